#include "record/tar_names.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "base/utf8.hpp"
#include "base/words.hpp"

namespace stoker::record {

namespace {

using namespace std::string_view_literals;

constexpr std::array kImageEndings = {"jpg"sv, "jpeg"sv, "png"sv, "webp"sv, "ppm"sv, "pgm"sv,
                                      "pbm"sv, "bmp"sv,  "tif"sv, "tiff"sv, "gif"sv};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool equal_but_case(std::string_view text, std::string_view lower_case) {
  return std::equal(text.begin(), text.end(), lower_case.begin(), lower_case.end(),
                    [](char c, char wanted) { return lower(c) == wanted; });
}

bool is_image_ending(std::string_view ending) {
  return std::any_of(kImageEndings.begin(), kImageEndings.end(),
                     [&](std::string_view known) { return equal_but_case(ending, known); });
}

std::string_view behind_last_dot(std::string_view text) { return text.substr(text.rfind('.') + 1); }

// "__meta__": the name of what describes a set.
bool is_description(std::string_view first_part) {
  return first_part.size() >= 4 && first_part.starts_with("__") && first_part.ends_with("__");
}

void append_escaped(std::string& to, char c) { to += fmt::format("%{:02X}", static_cast<unsigned char>(c)); }

bool is_control(char c) { return (c >= 0 && c < ' ') || c == 0x7f; }

// Whether a part of a path can stand as it is.
bool is_plain(std::string_view part, bool is_base) {
  return is_utf8(part) && std::none_of(part.begin(), part.end(), is_control) &&
         (is_base ? part.find('.') == std::string_view::npos : part != "..");
}

// `text` with bytes that are no UTF-8, control characters and `also` as %HH.
void append_escaped(std::string& to, std::string_view text, std::string_view also) {
  while (!text.empty()) {
    const std::size_t bytes = utf8_character_bytes(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(bytes, 1));
    if (bytes == 0 || is_control(character[0]) || also.find(character[0]) != std::string_view::npos)
      append_escaped(to, character[0]);
    else
      to += character;
    text.remove_prefix(character.size());
  }
}

}  // namespace

std::optional<TarName> split_tar_name(std::string_view name) {
  if (is_description(name.substr(0, name.find('/')))) return std::nullopt;
  const std::size_t base = name.rfind('/') + 1;  // 0 where there is no slash
  const std::size_t dot = name.find('.', base);
  if (dot == std::string_view::npos || dot == base) return std::nullopt;
  return TarName{name.substr(0, dot), name.substr(dot + 1)};
}

void assign_lower(std::string& to, std::string_view text) {
  to.assign(text);
  std::transform(to.begin(), to.end(), to.begin(), lower);
}

ImageName image_name(std::string_view field) {
  if (is_image_ending(field)) return ImageName::whole;
  return is_image_ending(behind_last_dot(field)) ? ImageName::by_its_end : ImageName::none;
}

bool has_main_ending(std::string_view field) {
  return image_name(field) != ImageName::none || equal_but_case(behind_last_dot(field), "npy");
}

std::string_view ending_of_content(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()),
                              std::min<std::size_t>(bytes.size(), 16));
  if (text.starts_with("\xff\xd8\xff")) return "jpg";
  if (text.starts_with("\x89PNG\r\n\x1a\n")) return "png";
  if (text.starts_with("RIFF") && text.size() >= 12 && text.substr(8, 4) == "WEBP") return "webp";
  if (text.starts_with("GIF87a") || text.starts_with("GIF89a")) return "gif";
  if (text.starts_with("BM") && text.size() >= 14 && text.substr(6, 4) == "\0\0\0\0"sv) return "bmp";
  if (text.starts_with("II*\0"sv) || text.starts_with("MM\0*"sv)) return "tif";
  if (text.starts_with("\x93NUMPY")) return "npy";
  if (text.size() >= 3 && text[0] == 'P' && (text[2] == '\n' || text[2] == ' ')) {
    constexpr std::array kByDigit = {"pbm"sv, "pgm"sv, "ppm"sv};  // 1 to 3 as text, 4 to 6 in binary
    if (text[1] >= '1' && text[1] <= '6') return kByDigit[static_cast<std::size_t>(text[1] - '1') % 3];
  }
  return "";
}

std::string tar_key(std::string_view key) {
  std::vector<std::string_view> parts = split(key, '/');
  std::erase(parts, "");
  if (parts.empty()) return "";
  std::string_view& base = parts.back();
  if (const std::size_t dot = base.rfind('.');
      dot != std::string_view::npos && dot > 0 && has_main_ending(base.substr(dot + 1)))
    base = base.substr(0, dot);
  const bool looks_like_description = parts.size() > 1 && is_description(parts.front());
  bool plain = !looks_like_description;
  for (std::size_t i = 0; i < parts.size(); ++i) plain &= is_plain(parts[i], i + 1 == parts.size());
  std::string made;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool is_base = i + 1 == parts.size();
    if (i > 0) made += '/';
    if (plain)
      made += parts[i];
    else
      append_escaped(made, parts[i], is_base || parts[i] == ".." ? "%." : "%");
  }
  if (looks_like_description) made.replace(0, 1, "%5F");
  return made;
}

std::string tar_field(std::string_view field) {
  std::string made;
  append_escaped(made, field, "");
  std::replace(made.begin(), made.end(), '/', '_');
  assign_lower(made, std::string(made));
  return made.empty() ? "bin" : made;
}

}  // namespace stoker::record
