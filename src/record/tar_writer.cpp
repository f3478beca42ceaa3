#include "record/tar_writer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <functional>

#include "stoker/error.hpp"
#include "stoker/image.hpp"

#include "base/endian.hpp"
#include "record/example_format.hpp"
#include "record/example_names.hpp"
#include "record/tar_example_json.hpp"
#include "record/tar_format.hpp"
#include "record/tar_header.hpp"
#include "record/tar_names.hpp"

namespace stoker::record {

namespace {

constexpr std::size_t kEndBlocks = 2 * kTarBlock;
constexpr std::size_t kTapeRecord = 20 * kTarBlock;  // which tar pads its archives to
constexpr std::array<std::byte, kTapeRecord> kZeros{};

// What a reader takes for one whole number again. (-0 has a sign that it would lose.)
bool is_class_number(std::span<const float> labels) {
  constexpr float kLargest = 1 << 24;  // from here on neighbouring floats are not neighbouring numbers
  return labels.size() == 1 && std::abs(labels[0]) <= kLargest && std::trunc(labels[0]) == labels[0] &&
         !(labels[0] == 0 && std::signbit(labels[0]));
}

// Whether a number that a field tells of the image is no longer that of the image.
bool is_outdated(const Field& field, const ImageInfo* image) {
  if (!image || field.role != FieldRole::image_fact || field.type != FieldType::int64 ||
      field.bytes.size() != 8)
    return false;
  const auto number = load_le<std::int64_t>(field.bytes.data());
  return (field.name == kHeightName && number != image->height) ||
         (field.name == kWidthName && number != image->width) ||
         (field.name == kChannelsName && number != image->components);
}

bool is_left_out(const Field& field, const ImageInfo* image) {
  return field.role == FieldRole::label || field.role == FieldRole::key || is_outdated(field, image);
}

// Features of an Example that are no files.
bool is_feature(const Field& field) {
  return field.type != FieldType::bytes || field.name.find('/') != std::string::npos;
}

// The names under which containers without names keep their bytes, which tell nothing.
bool says_nothing(std::string_view field) { return field == "image" || field == "data" || field.empty(); }

std::string name_of_main(const Field& main) {
  if (has_main_ending(main.name) && main.name.find('/') == std::string::npos) return tar_field(main.name);
  if (const std::string_view ending = ending_of_content(main.bytes); !ending.empty())
    return std::string(ending);
  return says_nothing(main.name) ? "bin" : tar_field(main.name);
}

}  // namespace

TarWriter::TarWriter(std::shared_ptr<Store> store, const std::string& path)
    : out_(std::move(store), path, RecordFormat::tar, "") {}

Error TarWriter::refused(const NewSample& sample, std::string found, std::string allowed) const {
  return Error(ErrorCode::invalid_argument, {.operation = "write record",
                                             .object = fmt::format("{} ('{}')", out_.path(), sample.key),
                                             .found = std::move(found),
                                             .allowed = std::move(allowed)});
}

RecordInfo TarWriter::add(const NewSample& sample) {
  plan(sample);
  const std::string key = unused_key(sample);
  std::sort(members_.begin(), members_.end(),
            [](const Member& a, const Member& b) { return a.field < b.field; });
  for (const Member& member : members_)
    if (key.size() + 1 + member.field.size() > kLongestTarName)
      throw refused(sample, fmt::format("a name of {} bytes", key.size() + 1 + member.field.size()),
                    fmt::format("{} at most", kLongestTarName));
  const std::uint64_t begin = out_.bytes();
  out_.begin_record();
  for (const Member& member : members_) put_member(key, member);
  return {out_.path(), begin, bytes() - begin};
}

void TarWriter::put_member(const std::string& key, const Member& member) {
  header_.clear();
  append_tar_header(header_, fmt::format("{}.{}", key, member.field), member.bytes.size());
  out_.put(header_);
  if (member.is_main) main_offset_ = out_.bytes();
  out_.put(member.bytes);
  out_.put(std::span(kZeros).first(tar_padded(member.bytes.size()) - member.bytes.size()));
}

// The members of a sample. What is refused is refused before anything is written.
void TarWriter::plan(const NewSample& sample) {
  members_.clear();
  const Field& main = sample.fields[sample.main_field];
  if (!sample.labels.empty()) plan_labels(sample.labels);
  const bool main_is_label = main.role == FieldRole::label && !sample.labels.empty();
  if (main_is_label)
    members_.front().is_main = true;
  else if (main.type == FieldType::bytes)
    plan_main(main);
  std::vector<const Field*> features;
  std::vector<const Field*> others;
  for (std::size_t i = 0; i < sample.fields.size(); ++i) {
    const Field& field = sample.fields[i];
    const bool is_main = i == sample.main_field;
    if (is_main ? main_is_label || main.type == FieldType::bytes : is_left_out(field, sample.image)) continue;
    (is_feature(field) && fits_json(field) ? features : others).push_back(&field);
  }
  if (!features.empty()) plan_example(sample, std::move(features));
  for (const Field* field : others) {
    if (field->type == FieldType::bytes)
      add_member(tar_field(field->name), field->bytes);
    else
      plan_runs(sample, *field);
  }
}

void TarWriter::plan_labels(std::span<const float> labels) {
  labels_.clear();
  const bool is_class = is_class_number(labels);
  if (is_class) {
    labels_ = fmt::format("{:.0f}", labels[0]);
  } else {
    for (const float label : labels) {
      labels_ += labels_.empty() ? "[" : ", ";
      append_json_number(labels_, label);
    }
    labels_ += "]\n";
  }
  add_member(is_class ? "cls" : "labels.json", std::as_bytes(std::span(labels_)));
}

void TarWriter::plan_main(const Field& main) { add_member(name_of_main(main), main.bytes, true); }

void TarWriter::plan_example(const NewSample& sample, std::vector<const Field*> features) {
  std::sort(features.begin(), features.end(),
            [](const Field* a, const Field* b) { return a->name < b->name; });
  const auto twice = std::adjacent_find(features.begin(), features.end(),
                                        [](const Field* a, const Field* b) { return a->name == b->name; });
  if (twice != features.end())
    throw refused(sample, fmt::format("two fields '{}'", (*twice)->name), "each name once");
  example_ = example_json(features);
  const Field* main = &sample.fields[sample.main_field];
  add_member("example.json", std::as_bytes(std::span(example_)),
             std::find(features.begin(), features.end(), main) != features.end());
}

// Runs of bytes that are no text: a member each.
void TarWriter::plan_runs(const NewSample& sample, const Field& field) {
  const bool is_main = &field == &sample.fields[sample.main_field];
  int number = 0;
  const auto add_run = [&](std::span<const std::byte> run) {
    add_member(fmt::format("{}.{}", number, tar_field(field.name)), run, is_main && number == 0);
    ++number;
  };
  if (field.type != FieldType::bytes_list || !for_each_string(field.bytes, add_run))
    throw refused(sample, fmt::format("the field '{}' of {} bytes", field.name, field.bytes.size()),
                  "as many bytes as its type asks for");
}

// A name that is taken gets the first number in front that makes it another.
void TarWriter::add_member(std::string field, std::span<const std::byte> bytes, bool is_main) {
  const auto is_taken = [&](const std::string& name) {
    return std::any_of(members_.begin(), members_.end(),
                       [&](const Member& member) { return member.field == name; });
  };
  std::string name = field;
  for (int number = 1; is_taken(name); ++number) name = fmt::format("{}.{}", number, field);
  members_.push_back({std::move(name), bytes, is_main});
}

// Two samples of one key would become one where they are neighbours, and hide each other elsewhere. (That a
// hash meets another key's only gives a needless number.)
std::string TarWriter::unused_key(const NewSample& sample) {
  std::string key = tar_key(sample.key);
  if (key.empty()) key = fmt::format("{}", sample.id.value_or(records()));
  constexpr std::hash<std::string_view> hash_of;
  std::uint32_t& asked = keys_[hash_of(key)];
  if (asked++ == 0) return key;
  for (;; ++asked) {
    std::string numbered = fmt::format("{}~{}", key, asked - 1);
    if (keys_.try_emplace(hash_of(numbered), 1).second) return numbered;
  }
}

void TarWriter::prepare() {
  if (!ended_) {
    ended_ = true;
    const std::uint64_t end = out_.bytes() + kEndBlocks;
    out_.put(std::span(kZeros).first(kEndBlocks));
    out_.put(std::span(kZeros).first((kTapeRecord - end % kTapeRecord) % kTapeRecord));
  }
  out_.prepare();
}

void TarWriter::finish() {
  prepare();
  out_.finish();
}

}  // namespace stoker::record
