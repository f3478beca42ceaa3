#include "image/sniff.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <string_view>

namespace stoker {

std::string_view to_string(ImageKind kind) {
  switch (kind) {
    case ImageKind::unknown:
      return "unknown";
    case ImageKind::jpeg:
      return "jpeg";
    case ImageKind::png:
      return "png";
    case ImageKind::webp:
      return "webp";
    case ImageKind::gif:
      return "gif";
    case ImageKind::bmp:
      return "bmp";
    case ImageKind::tiff:
      return "tiff";
    case ImageKind::pnm:
      return "pnm";
  }
  return "unknown";
}

namespace image {

namespace {

using namespace std::string_view_literals;

constexpr std::size_t kLooked = 64;

std::string_view beginning(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), kLooked)};
}

// "P1" to "P6" and a white space or comment: so that a text that begins with "P5" is not taken for one
// easily.
bool is_pnm(std::string_view head) {
  return head.size() >= 3 && head[0] == 'P' && head[1] >= '1' && head[1] <= '6' &&
         " \t\r\n#"sv.find(head[2]) != std::string_view::npos;
}

bool is_text(std::string_view head) {
  return std::all_of(head.begin(), head.end(), [](char letter) {
    const unsigned code = static_cast<unsigned char>(letter);
    return code >= 0x20 ? code != 0x7f : letter == '\t' || letter == '\n' || letter == '\r';
  });
}

}  // namespace

ImageKind sniff(std::span<const std::byte> bytes) {
  const std::string_view head = beginning(bytes);
  if (head.starts_with("\xff\xd8"sv)) return ImageKind::jpeg;
  if (head.starts_with("\x89PNG\r\n\x1a\n"sv)) return ImageKind::png;
  if (head.starts_with("RIFF"sv) && head.size() >= 12 && head.substr(8, 4) == "WEBP"sv)
    return ImageKind::webp;
  if (head.starts_with("GIF87a"sv) || head.starts_with("GIF89a"sv)) return ImageKind::gif;
  if (head.starts_with("BM"sv)) return ImageKind::bmp;
  if (head.starts_with("II*\0"sv) || head.starts_with("MM\0*"sv)) return ImageKind::tiff;
  if (is_pnm(head)) return ImageKind::pnm;
  return ImageKind::unknown;
}

std::string describe(std::span<const std::byte> bytes) {
  const std::string_view head = beginning(bytes);
  if (head.empty()) return "no bytes";
  if (head.starts_with("version https://git-lfs"sv)) return "a git-LFS pointer, not the file itself";
  if (is_text(head)) return "text";
  std::string text = "bytes that begin with";
  for (const char letter : head.substr(0, 4))
    text += fmt::format(" {:02x}", static_cast<unsigned char>(letter));
  return text;
}

}  // namespace image
}  // namespace stoker
