#include "record/shard_name.hpp"

#include <algorithm>
#include <array>

#include "base/words.hpp"

namespace stoker::record {

namespace {

// Without the digits at its end and `before` them; the text as it is where it does not end so.
std::string_view without_digits(std::string_view text, std::string_view before) {
  const std::size_t last = text.find_last_not_of("0123456789");
  if (last == std::string_view::npos || last + 1 == text.size()) return text;
  const std::string_view head = text.substr(0, last + 1);
  return head.ends_with(before) ? head.substr(0, head.size() - before.size()) : text;
}

bool ends_with_any(std::string_view text, std::span<const std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(),
                     [text](std::string_view ending) { return text.ends_with(ending); });
}

}  // namespace

std::string_view last_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }
std::string_view folder_of(std::string_view path) { return path.substr(0, path.rfind('/') + 1); }

std::string_view without_ending(std::string_view path) {
  const std::size_t name = folder_of(path).size(), dot = path.rfind('.');
  return dot != std::string_view::npos && dot > name ? path.substr(0, dot) : path;
}

std::string_view without_shard_count(std::string_view path) {
  const std::string_view counted = without_digits(path, "-of-");
  if (counted.size() == path.size()) return path;
  const std::string_view stem = without_digits(counted, "-");
  return stem.size() == counted.size() ? path : stem;
}

std::string_view without_shard_number(std::string_view path) {
  const std::string_view stem = without_shard_count(path);
  return stem.size() < path.size() ? stem : without_digits(path, "-");
}

std::optional<RecordFormat> format_of_shard_name(std::string_view path) {
  if (path.ends_with(".tgz")) return RecordFormat::tar;
  if (path.ends_with(".gz")) path.remove_suffix(3);
  if (const auto format = format_of_ending(path)) return format;
  // ImageNet's train-00000-of-01024 has no ending.
  return without_shard_count(path).size() < path.size() ? std::optional(RecordFormat::tfrecord)
                                                        : std::nullopt;
}

bool is_side_file(std::string_view path) {
  static constexpr std::array<std::string_view, 8> kEndings = {".idx",  ".index", ".seek", ".lst",
                                                               ".json", ".tsv",   ".txt",  ".md"};
  return ends_with_any(path, kEndings);
}

std::optional<std::string> path_within(std::string_view folder, std::string_view relative) {
  if (relative.empty() || relative.starts_with('/') || relative.find('\0') != std::string_view::npos)
    return std::nullopt;
  for (const std::string_view part : split(relative, '/'))
    if (part == "..") return std::nullopt;
  return std::string(folder) + std::string(relative);
}

}  // namespace stoker::record
