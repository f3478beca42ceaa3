#include "train/classes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <fmt/format.h>
#include <limits>

namespace stoker::training {

namespace {

constexpr int kLargestClassCount = 1'000'000;
// Records that check_labels() reads to see whether there are labels at all.
constexpr std::size_t kLookedAt = 16;

std::string named(const NamedRecords& records, std::uint64_t index, const std::string& key) {
  const RecordInfo info = records.reader->info(index);
  const std::string place = fmt::format("{} offset {}", info.container, info.offset);
  return key.empty() ? fmt::format("record {} ({})", index, place)
                     : fmt::format("record {} (key {}, {})", index, key, place);
}

// NaN is no class either.
bool is_class(float label, int num_classes) {
  return label >= 0 && label < static_cast<float>(num_classes) && label == std::floor(label);
}

Error no_label(const NamedRecords& records, std::uint64_t index, const std::string& key) {
  return Error(ErrorCode::invalid_argument,
               {.operation = "read labels",
                .object = named(records, index, key),
                .found = "it has no label",
                .allowed = "records with a class number each",
                .next_step = "pack the source again from a folder of classes or a .lst"});
}

// A record that is damaged, or a file that vanished, has no say here: the loader's policy for bad samples
// meets it later.
bool is_about_one_record(const Error& error) {
  return error.code() == ErrorCode::corrupt_data || error.code() == ErrorCode::not_found;
}

// The label of a record that has to be read for it.
Result<float> read_label(const NamedRecords& records, std::uint64_t index, Sample& sample) {
  records.reader->read(index, sample);
  if (sample.labels.empty()) return tl::unexpected(no_label(records, index, sample.key));
  return sample.labels.front();
}

Result<int> largest_label(const NamedRecords& train, const std::atomic<bool>* stop) {
  const std::span<const float> known = train.reader->known_labels();
  Sample sample;
  std::int64_t largest = -1;
  for (std::size_t i = 0; i < train.reader->size(); ++i) {
    if (stop != nullptr && stop->load(std::memory_order_relaxed))
      return fail(ErrorCode::cancelled,
                  {.operation = "read labels", .object = train.source, .found = "stopped on request"});
    float label = 0;
    if (!known.empty()) {
      label = known[i];
    } else {
      try {
        auto read = read_label(train, i, sample);
        if (!read) return tl::unexpected(read.error());
        label = *read;
      } catch (const Error& error) {
        if (is_about_one_record(error)) continue;
        throw;
      }
    }
    auto as_class = class_of(label, kLargestClassCount, train, i, sample.key);
    if (!as_class) return tl::unexpected(as_class.error());
    largest = std::max(largest, *as_class);
  }
  return static_cast<int>(largest + 1);
}

}  // namespace

Result<void> check_not_empty(const NamedRecords& records) {
  if (records.reader->size() > 0) return {};
  return fail(ErrorCode::invalid_argument,
              {.operation = "open", .object = records.source, .found = "it holds no records"});
}

Result<void> check_class_maps(const NamedRecords& train, const NamedRecords& val) {
  const std::vector<std::string>& ours = train.reader->classes();
  const std::vector<std::string>& theirs = val.reader->classes();
  if (ours.empty() || theirs.empty() || ours == theirs) return {};
  std::size_t at = 0;
  while (at < ours.size() && at < theirs.size() && ours[at] == theirs[at]) ++at;
  const auto name = [at](const std::vector<std::string>& classes) {
    return at < classes.size() ? fmt::format("\"{}\"", classes[at]) : std::string("nothing");
  };
  return fail(ErrorCode::invalid_argument,
              {.operation = "compare class maps",
               .object = fmt::format("{} and {}", train.source, val.source),
               .found = fmt::format("class {} is {} in the first and {} in the second ({} and {} classes)",
                                    at, name(ours), name(theirs), ours.size(), theirs.size()),
               .allowed = "the same classes in the same order",
               .next_step = "pack or open both with the same --classes FILE"});
}

Result<int> count_classes(const NamedRecords& train, int wanted, const std::atomic<bool>* stop) {
  const int in_map = static_cast<int>(train.reader->classes().size());
  if (wanted > 0) {
    if (in_map > wanted)
      return fail(
          ErrorCode::invalid_argument,
          {.object = "--num-classes",
           .found = fmt::format("{}", wanted),
           .allowed = fmt::format("{} or more: the class map of {} has that many", in_map, train.source)});
    return wanted;
  }
  int count = in_map;
  if (count == 0) {
    auto largest = largest_label(train, stop);
    if (!largest) return largest;
    count = *largest;
  }
  if (count < 2)
    return fail(ErrorCode::invalid_argument, {.operation = "count classes",
                                              .object = train.source,
                                              .found = fmt::format("{}", count),
                                              .allowed = "2 or more: one class is nothing to learn"});
  return count;
}

Result<std::size_t> check_labels(const NamedRecords& records, int num_classes) {
  const std::span<const float> known = records.reader->known_labels();
  for (std::size_t i = 0; i < known.size(); ++i)
    if (auto checked = class_of(known[i], num_classes, records, i, /*key=*/""); !checked)
      return tl::unexpected(checked.error());

  const std::size_t size = records.reader->size();
  std::size_t most = 0;
  Sample sample;
  for (std::size_t i = 0; i < std::min(size, kLookedAt); ++i) {
    const std::size_t index = i * size / std::min(size, kLookedAt);
    try {
      auto label = read_label(records, index, sample);
      if (!label) return tl::unexpected(label.error());
      if (auto checked = class_of(*label, num_classes, records, index, sample.key); !checked)
        return tl::unexpected(checked.error());
      most = std::max(most, sample.labels.size());
    } catch (const Error& error) {
      if (!is_about_one_record(error)) throw;
    }
  }
  return most;
}

Result<std::int64_t> class_of(float label, int num_classes, const NamedRecords& records, std::uint64_t index,
                              const std::string& key) {
  if (is_class(label, num_classes)) return static_cast<std::int64_t>(label);
  const bool is_larger = label >= static_cast<float>(num_classes) && std::floor(label) == label;
  return fail(ErrorCode::invalid_argument,
              {.operation = "read labels",
               .object = fmt::format("{}: {}", records.source, named(records, index, key)),
               .found = fmt::format("label {}", label),
               .allowed = fmt::format("whole numbers 0..{}", num_classes - 1),
               .next_step = is_larger ? "raise --num-classes, or pack the data with labels that begin at 0"
                                      : "mend the label, or leave the record out"});
}

}  // namespace stoker::training
