#include "cli/option_words.hpp"

#include <algorithm>

namespace stoker::cli {

namespace {

// A word of the text ends at these alone: "a/max_pixels.txt" is a path.
constexpr std::string_view kBefore = " (";
constexpr std::string_view kBehind = " ),;:=";

bool has_several_parts(std::string_view word) { return word.find_first_of("_-") != std::string_view::npos; }

}  // namespace

OptionWords::OptionWords(std::vector<std::string> names, std::span<const std::string> given)
    : names_(std::move(names)), given_(given.begin(), given.end()) {}

std::string OptionWords::option_of(std::string_view word) const {
  std::string name = word.starts_with("--") ? std::string(word) : "--" + std::string(word);
  std::replace(name.begin(), name.end(), '_', '-');
  return std::find(names_.begin(), names_.end(), name) == names_.end() ? "" : name;
}

std::string OptionWords::spelled(std::string_view text) const {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(kBehind), text.size());
    std::size_t begin = 0;
    while (begin < end && kBefore.find(text[begin]) != std::string_view::npos) ++begin;
    const std::string_view word = text.substr(begin, end - begin);
    const std::string option =
        has_several_parts(word) && !word.starts_with('-') ? option_of(word) : std::string();
    out += text.substr(0, begin);
    out += option.empty() ? word : std::string_view(option);
    const std::size_t next = std::min(end + 1, text.size());
    out += text.substr(end, next - end);
    text.remove_prefix(next);
  }
  return out;
}

bool OptionWords::is_about_option(const Error& error) const {
  const std::string& object = error.parts().object;
  if (error.code() != ErrorCode::invalid_argument || option_of(object).empty()) return false;
  return object.starts_with("--") || std::find(given_.begin(), given_.end(), object) == given_.end();
}

std::string OptionWords::told(const Error& error) const {
  if (!is_about_option(error)) return spelled(error.what());
  ErrorParts parts = error.parts();
  parts.object = option_of(parts.object);
  return spelled(Error(error.code(), std::move(parts)).what());
}

}  // namespace stoker::cli
