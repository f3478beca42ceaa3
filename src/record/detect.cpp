#include "record/detect.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "stoker/error.hpp"

#include "base/crc.hpp"
#include "base/endian.hpp"
#include "record/list_reader.hpp"
#include "record/recordio_format.hpp"

namespace stoker::record {

namespace {

bool begins_with(std::span<const std::byte> head, std::string_view text, std::size_t at = 0) {
  return head.size() >= at + text.size() && std::memcmp(head.data() + at, text.data(), text.size()) == 0;
}

// A tar header carries the sum of its bytes, its own field counted as blanks. Source: POSIX pax, "ustar
// Interchange Format".
bool is_tar(std::span<const std::byte> head) {
  constexpr std::size_t kBlock = 512, kSumAt = 148, kSumBytes = 8;
  if (head.size() < kBlock) return false;
  if (begins_with(head, "ustar", 257)) return true;
  unsigned stored = 0, digits = 0, sum = 0;
  for (std::size_t i = kSumAt; i < kSumAt + kSumBytes; ++i) {
    const char c = static_cast<char>(head[i]);
    if (c >= '0' && c <= '7') {
      stored = stored * 8 + static_cast<unsigned>(c - '0');
      ++digits;
    } else if (digits > 0) {
      break;
    }
  }
  for (std::size_t i = 0; i < kBlock; ++i)
    sum += i >= kSumAt && i < kSumAt + kSumBytes ? ' ' : static_cast<unsigned>(head[i]);
  return digits > 0 && stored == sum;
}

// A TFRecord begins with a length and the masked CRC of its 8 bytes.
bool is_tfrecord(std::span<const std::byte> head) {
  if (head.size() < 12) return false;
  const std::uint32_t crc = crc32c(head.first(8));
  return (crc >> 15 | crc << 17) + 0xa282ead8u == load_le<std::uint32_t>(head.data() + 8);
}

// Whether the first line that is not blank is one of a list.
bool is_list(std::span<const std::byte> head) {
  std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  if (text.find('\0') != std::string_view::npos) return false;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (is_blank_or_comment(line)) continue;
    ListLine parsed;
    return line.find('\t') != std::string_view::npos && parse_list_line(line, parsed).has_value();
  }
  return false;
}

}  // namespace

std::string_view foreign_format(std::string_view path, std::span<const std::byte> head) {
  if (is_tar(head)) return "a tar archive";
  if (is_tfrecord(head)) return "a TFRecord file";
  if (begins_with(head, "\x1f\x8b")) return "a gzip-compressed file";
  if (begins_with(head, "\x28\xb5\x2f\xfd")) return "a zstd-compressed file";
  if (begins_with(head, "PK\x03\x04")) return "a zip archive";
  if (begins_with(head, "PAR1")) return "a Parquet file";
  if (begins_with(head, "\xff\xd8\xff") || begins_with(head, "\x89PNG") || begins_with(head, "RIFF"))
    return "a single image";
  if (path.ends_with(".mds")) return "a shard of an MDS data set";
  if (path.ends_with(".beton")) return "an FFCV file";
  return {};
}

RecordFormat detect_file(const std::string& path, std::span<const std::byte> head) {
  if (head.size() >= 4 && load_le<std::uint32_t>(head.data()) == kMagic) return RecordFormat::recordio;
  const std::string_view foreign = foreign_format(path, head);
  if (foreign.empty()) {
    if (path.ends_with(".rec")) return RecordFormat::recordio;  // empty, or damaged in its first bytes
    if (path.ends_with(".lst") || is_list(head)) return RecordFormat::list;
  }
  throw Error(ErrorCode::unsupported,
              {.operation = "open records",
               .object = path,
               .found = foreign.empty() ? "a file of no known format" : std::string(foreign),
               .allowed = "a folder of class folders, a .lst, a RecordIO file (.rec)"});
}

}  // namespace stoker::record
