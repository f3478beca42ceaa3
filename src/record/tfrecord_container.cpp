#include "record/tfrecord_container.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/endian.hpp"
#include "record/example_format.hpp"
#include "record/example_names.hpp"
#include "record/tfrecord_index.hpp"

namespace stoker::record {

namespace {

void set_key(Sample& sample, std::uint64_t ordinal) {
  const fmt::format_int digits(ordinal);
  sample.key.assign(digits.data(), digits.size());
}

// All data of a record that is no Example.
void describe_raw(std::span<const std::byte> data, std::uint64_t ordinal, Sample& sample) {
  set_key(sample, ordinal);
  sample.labels.clear();
  sample.fields.resize(1);
  sample.fields[0].name = kRawName;
  sample.fields[0].bytes = data;
  sample.fields[0].type = FieldType::bytes;
  sample.fields[0].role = FieldRole::content;
  sample.main_field = 0;
}

// The feature called `first`, else the one called `second`, of those that `may_be`; null if none.
template <class MayBe>
Field* feature_called(std::vector<Field>& fields, std::string_view first, std::string_view second,
                      MayBe&& may_be) {
  Field* found = nullptr;
  for (Field& field : fields) {
    if (field.name == first && may_be(field)) return &field;
    if (field.name == second && may_be(field)) found = &field;
  }
  return found;
}

void take_labels(const Field& field, std::vector<float>& labels) {
  if (field.type == FieldType::float32) {
    labels.resize(field.bytes.size() / sizeof(float));
    if (!labels.empty()) std::memcpy(labels.data(), field.bytes.data(), field.bytes.size());
    return;
  }
  labels.clear();
  for (std::size_t i = 0; i < field.bytes.size(); i += sizeof(std::int64_t))
    labels.push_back(static_cast<float>(load_le<std::int64_t>(field.bytes.data() + i)));
}

// Key, labels, roles and main field, from the features.
void describe_example(std::uint64_t ordinal, Sample& sample) {
  for (Field& field : sample.fields)
    if (is_fact_name(field.name)) field.role = FieldRole::image_fact;
  sample.labels.clear();
  Field* const label = feature_called(sample.fields, kLabelName, kPlainLabelName, [](const Field& field) {
    return field.type == FieldType::int64 || field.type == FieldType::float32;
  });
  if (label) {
    label->role = FieldRole::label;
    take_labels(*label, sample.labels);
  }
  Field* const key = feature_called(sample.fields, kFilenameName, kFileNameName, [](const Field& field) {
    return field.type == FieldType::bytes && !field.bytes.empty();
  });
  if (key) {
    key->role = FieldRole::key;
    sample.key.assign(reinterpret_cast<const char*>(key->bytes.data()), key->bytes.size());
  } else {
    set_key(sample, ordinal);
  }
  sample.main_field = main_feature(sample.fields);
}

}  // namespace

Walked TFRecordContainer::walk_record(WindowReader& window, std::uint64_t offset,
                                      std::uint64_t container_bytes) const {
  const std::uint64_t left = container_bytes - offset;
  const auto head = window.at(offset, std::min<std::uint64_t>(kTFRecordHead, left));
  if (auto reason = wrong_with_head(head, offset, left))
    return {.damage = Damage{offset, std::move(*reason)}, .resume = offset + 1};
  return {.end = offset + kTFRecordFraming + load_le<std::uint64_t>(head.data())};
}

std::optional<std::uint64_t> TFRecordContainer::find_record(WindowReader& window, std::uint64_t from,
                                                            std::uint64_t limit) const {
  std::uint64_t position = from;
  while (position < limit && limit - position >= kTFRecordFraming) {
    const auto bytes =
        window.at(position, std::min<std::uint64_t>(WindowReader::kLargestWindow, limit - position));
    if (bytes.size() < kTFRecordHead) return std::nullopt;
    const std::size_t found = find_head(bytes, limit - position);
    if (found < bytes.size()) return position + found;
    position += bytes.size() - (kTFRecordHead - 1);  // heads that the window cuts are looked at next
  }
  return std::nullopt;
}

std::optional<std::string> TFRecordContainer::unpack(std::span<std::byte> extent, std::uint64_t offset,
                                                     std::uint64_t ordinal, Sample& sample) const {
  TFRecordData record = data_of_record(extent, offset);
  if (record.damage) return std::move(record.damage);
  switch (parse_example(record.data, sample)) {
    case ParsedExample::example:
      describe_example(ordinal, sample);
      break;
    case ParsedExample::no_example:
      describe_raw(record.data, ordinal, sample);
      break;
    case ParsedExample::too_many:
      return fmt::format("an Example of more than {} features", kMostFeatures);
  }
  return std::nullopt;
}

std::optional<std::vector<std::uint64_t>> TFRecordContainer::offsets_by_text_index(
    Store& store, const ReadableFile& container) const {
  return offsets_of_tfrecord_index(store, container);
}

}  // namespace stoker::record
