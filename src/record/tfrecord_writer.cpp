#include "record/tfrecord_writer.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "stoker/error.hpp"

#include "base/crc.hpp"
#include "base/units.hpp"
#include "record/example_format.hpp"
#include "record/example_names.hpp"
#include "record/tfrecord_format.hpp"
#include "record/tfrecord_index.hpp"

namespace stoker::record {

namespace {

// A raw record, whose bytes no reader would take for an Example.
bool is_raw(const NewSample& sample) {
  return sample.labels.empty() && sample.fields.size() == 1 && sample.fields[0].name == kRawName &&
         sample.fields[0].type == FieldType::bytes && !may_be_example(sample.fields[0].bytes);
}

}  // namespace

TFRecordWriter::TFRecordWriter(std::shared_ptr<Store> store, const std::string& path)
    : out_(std::move(store), path, RecordFormat::tfrecord, tfrecord_index_path(path)) {}

void TFRecordWriter::refuse(const NewSample& sample, std::string found, std::string allowed) const {
  throw Error(ErrorCode::invalid_argument, {.operation = "write record",
                                            .object = fmt::format("{} ('{}')", out_.path(), sample.key),
                                            .found = std::move(found),
                                            .allowed = std::move(allowed)});
}

RecordInfo TFRecordWriter::add(const NewSample& sample) {
  constexpr std::string_view kLimit = "less than 2 GiB, the largest Example that protobuf reads";
  std::uint64_t length = 0;
  for (const Field& field : sample.fields) length += field.bytes.size();
  if (length >= kTFRecordLimit) refuse(sample, format_bytes(length), std::string(kLimit));
  const bool raw = is_raw(sample);
  if (!raw) {
    encode(sample);
    length = encoder_.bytes();
    if (length >= kTFRecordLimit) refuse(sample, format_bytes(length), std::string(kLimit));
  }
  const std::uint64_t begin = out_.bytes();
  std::uint32_t crc = 0;
  const auto put = [&](std::span<const std::byte> piece) {
    crc = stoker::crc32c(piece, crc);
    out_.put(piece);
  };
  out_.begin_record();
  out_.put(tfrecord_head(length));
  if (raw)
    put(sample.fields[0].bytes);
  else
    encoder_.put_pieces(put);
  out_.put(tfrecord_tail(crc));
  main_offset_ = begin + kTFRecordHead + (raw ? 0 : encoder_.header_bytes() + main_in_features_);
  out_.add_index_line(tfrecord_index_line(begin, bytes() - begin));
  return {out_.path(), begin, bytes() - begin};
}

void TFRecordWriter::encode(const NewSample& sample) {
  features_.take(sample);
  check_names(sample);
  encoder_.clear();
  main_in_features_ = 0;
  const std::span<const Feature> features = features_.features();
  for (std::size_t i = 0; i < features.size(); ++i) {
    const Feature& feature = features[i];
    if (auto wrong = encoder_.add(feature.name, feature.type, feature.bytes))
      refuse(sample, fmt::format("the field '{}': {}", feature.name, *wrong),
             "what a feature of tf.train.Example holds");
    if (i == features_.main()) main_in_features_ = encoder_.value_offset();
  }
}

// Of two features of one name a reader sees the last alone.
void TFRecordWriter::check_names(const NewSample& sample) {
  names_.clear();
  for (const Feature& feature : features_.features()) names_.push_back(feature.name);
  if (names_.size() > kMostFeatures)
    refuse(sample, fmt::format("{} fields", names_.size()), fmt::format("at most {}", kMostFeatures));
  std::sort(names_.begin(), names_.end());
  const auto twice = std::adjacent_find(names_.begin(), names_.end());
  if (twice != names_.end())
    refuse(sample, fmt::format("two fields called '{}'", *twice), "names that differ");
}

}  // namespace stoker::record
