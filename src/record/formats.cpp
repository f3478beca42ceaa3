// What is told of record formats without opening anything: their names, endings, and what they can hold.
#include <algorithm>

#include "stoker/record.hpp"

namespace stoker {

std::string_view to_string(RecordFormat format) {
  switch (format) {
    case RecordFormat::folder:
      return "folder";
    case RecordFormat::list:
      return "list";
    case RecordFormat::recordio:
      return "recordio";
    case RecordFormat::tar:
      return "tar";
    case RecordFormat::tfrecord:
      return "tfrecord";
    case RecordFormat::mds:
      return "mds";
  }
  return "unknown";
}

bool has_own_files(RecordFormat format) {
  return format == RecordFormat::folder || format == RecordFormat::list;
}

namespace {

// train.tfrecord-00003-of-01024 → train.tfrecord. Source: TensorFlow's naming of sharded files.
std::string_view without_shard_number(std::string_view path) {
  constexpr std::string_view kPattern = "-00000-of-00000";
  if (path.size() < kPattern.size()) return path;
  const std::string_view tail = path.substr(path.size() - kPattern.size());
  const bool matches = std::equal(tail.begin(), tail.end(), kPattern.begin(), [](char c, char wanted) {
    return wanted == '0' ? c >= '0' && c <= '9' : c == wanted;
  });
  return matches ? path.substr(0, path.size() - kPattern.size()) : path;
}

}  // namespace

std::optional<RecordFormat> format_of_ending(std::string_view path) {
  if (path.ends_with(".rec")) return RecordFormat::recordio;
  if (path.ends_with(".tar")) return RecordFormat::tar;
  if (without_shard_number(path).ends_with(".tfrecord")) return RecordFormat::tfrecord;
  return std::nullopt;
}

std::vector<std::string> fields_lost(const NewSample& sample, RecordFormat format) {
  std::vector<std::string> names;
  if (format != RecordFormat::recordio) return names;
  for (std::size_t i = 0; i < sample.fields.size(); ++i)
    if (i != sample.main_field && sample.fields[i].role == FieldRole::content)
      names.push_back(sample.fields[i].name);
  return names;
}

}  // namespace stoker
