// What is told of record formats without opening anything: names, endings, and what they can hold.
#include "stoker/record.hpp"

#include "record/shard_name.hpp"

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

std::string_view to_string(SeekIndexState state) {
  switch (state) {
    case SeekIndexState::none:
      return "none";
    case SeekIndexState::used:
      return "used";
    case SeekIndexState::unreadable:
      return "unreadable";
    case SeekIndexState::damaged:
      return "damaged";
    case SeekIndexState::unsupported:
      return "unsupported";
    case SeekIndexState::foreign:
      return "foreign";
  }
  return "unknown";
}

bool has_own_files(RecordFormat format) {
  return format == RecordFormat::folder || format == RecordFormat::list;
}

std::optional<RecordFormat> format_of_ending(std::string_view path) {
  if (path.ends_with(".rec")) return RecordFormat::recordio;
  if (path.ends_with(".tar")) return RecordFormat::tar;
  if (record::without_shard_count(path).ends_with(".tfrecord")) return RecordFormat::tfrecord;
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
