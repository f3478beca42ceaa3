#include "jpeg/header.hpp"

#include <cstring>
#include <fmt/format.h>
#include <optional>

#include "jpeg/exif.hpp"

namespace stoker::jpeg {

namespace {

// Markers' second bytes. Source: ITU-T T.81 table B.1.
constexpr int kSoi = 0xd8, kEoi = 0xd9, kSos = 0xda, kDri = 0xdd, kTem = 0x01;
constexpr int kApp0 = 0xe0, kApp1 = 0xe1, kApp14 = 0xee;
constexpr int kDht = 0xc4, kJpg = 0xc8, kDac = 0xcc;

using Bytes = std::span<const std::byte>;

int u8(Bytes bytes, std::size_t at) { return std::to_integer<int>(bytes[at]); }
int u16(Bytes bytes, std::size_t at) { return u8(bytes, at) << 8 | u8(bytes, at + 1); }

bool is_frame(int marker) {
  return marker >= 0xc0 && marker <= 0xcf && marker != kDht && marker != kJpg && marker != kDac;
}
bool stands_alone(int marker) { return marker == kTem || (marker >= 0xd0 && marker <= 0xd9); }

Process process_of(int marker) {
  switch (marker) {
    case 0xc0:
      return Process::baseline;
    case 0xc1:
      return Process::extended;
    case 0xc2:
      return Process::progressive;
    case 0xc3:
      return Process::lossless;
    case 0xc9:
      return Process::arithmetic_sequential;
    case 0xca:
      return Process::arithmetic_progressive;
    default:
      return Process::other;
  }
}

bool begins_with(Bytes bytes, std::string_view text) {
  return bytes.size() >= text.size() && std::memcmp(bytes.data(), text.data(), text.size()) == 0;
}

tl::unexpected<Error> corrupt(std::string found, std::string allowed = "") {
  return fail(ErrorCode::corrupt_data,
              {.operation = "read JPEG header", .found = std::move(found), .allowed = std::move(allowed)});
}

// The next marker at or behind `at` (its second byte's value) and where its segment begins; none at the end.
// Stuffed zeros, fill bytes and junk in between are passed over.
std::optional<int> next_marker(Bytes bytes, std::size_t& at) {
  while (at < bytes.size()) {
    if (u8(bytes, at++) != 0xff) continue;
    while (at < bytes.size() && u8(bytes, at) == 0xff) ++at;
    if (at >= bytes.size()) return std::nullopt;
    const int code = u8(bytes, at++);
    if (code != 0) return code;
  }
  return std::nullopt;
}

Result<void> read_frame(Bytes body, int marker, Header& header) {
  if (!header.components.empty()) return corrupt("two frame headers");
  if (body.size() < 6) return corrupt(fmt::format("a frame header of {} bytes", body.size()), "6 or more");
  header.process = process_of(marker);
  header.precision = u8(body, 0);
  header.height = u16(body, 1);
  header.width = u16(body, 3);
  const std::size_t components = static_cast<std::size_t>(u8(body, 5));
  if (header.width == 0 || header.height == 0) {
    return corrupt(fmt::format("a picture of {} x {} pixels", header.width, header.height),
                   "1 or more a side (a height that comes behind the picture, DNL, is not read)");
  }
  if (components == 0 || body.size() < 6 + 3 * components) {
    return corrupt(fmt::format("{} components in a frame header of {} bytes", components, body.size()));
  }
  for (std::size_t i = 0; i < components; ++i) {
    const int sampling = u8(body, 7 + 3 * i);
    header.components.push_back({u8(body, 6 + 3 * i), sampling >> 4, sampling & 15});
  }
  return {};
}

void read_application(Bytes body, int marker, Header& header) {
  using namespace std::string_view_literals;
  constexpr std::size_t kAdobeTransformAt = 11;
  if (marker == kApp0 && begins_with(body, "JFIF\0"sv)) header.has_jfif = true;
  if (marker == kApp14 && begins_with(body, "Adobe"sv) && body.size() > kAdobeTransformAt) {
    header.adobe_transform = u8(body, kAdobeTransformAt);
  }
  // A second EXIF block (some editors add one) does not replace the first.
  if (marker == kApp1 && header.orientation == 1 && begins_with(body, "Exif\0\0"sv)) {
    header.orientation = exif_orientation(body.subspan(6));
  }
}

}  // namespace

std::string_view to_string(Process process) {
  switch (process) {
    case Process::baseline:
      return "baseline";
    case Process::extended:
      return "ext-seq";
    case Process::progressive:
      return "progressive";
    case Process::lossless:
      return "lossless";
    case Process::arithmetic_sequential:
      return "arith-seq";
    case Process::arithmetic_progressive:
      return "arith-prog";
    case Process::other:
      return "other";
  }
  return "other";
}

std::string sampling_text(const Header& header) {
  std::string text;
  for (const Component& component : header.components) {
    text += fmt::format("{}{}x{}", text.empty() ? "" : " ", component.h, component.v);
  }
  return text;
}

Result<Header> read_header(Bytes bytes) {
  if (bytes.size() < 2 || u8(bytes, 0) != 0xff || u8(bytes, 1) != kSoi) {
    return corrupt(bytes.empty() ? "no bytes" : "no start-of-image marker", "a file that begins with ff d8");
  }
  Header header;
  std::size_t at = 2;
  while (true) {
    const std::optional<int> marker = next_marker(bytes, at);
    if (!marker || *marker == kEoi) return corrupt("the file ends before its first scan");
    if (stands_alone(*marker)) continue;
    if (*marker == kSos) break;
    if (bytes.size() - at < 2) return corrupt("the file ends inside a segment's length");
    const std::size_t length = static_cast<std::size_t>(u16(bytes, at));
    if (length < 2 || length > bytes.size() - at) {
      return corrupt(fmt::format("segment ff {:02x} at offset {} claims {} bytes", *marker, at - 2, length),
                     fmt::format("2 to {}", bytes.size() - at));
    }
    const Bytes body = bytes.subspan(at + 2, length - 2);
    if (is_frame(*marker)) {
      if (auto done = read_frame(body, *marker, header); !done)
        return tl::unexpected(std::move(done).error());
    } else if (*marker == kDri && body.size() >= 2) {
      header.restart_interval = u16(body, 0);
    } else {
      read_application(body, *marker, header);
    }
    at += length;
  }
  if (header.components.empty()) return corrupt("a scan without a frame header before it");
  return header;
}

}  // namespace stoker::jpeg
