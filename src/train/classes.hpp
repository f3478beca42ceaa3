// What the labels of the data mean: class maps that must agree, and how many classes there are.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "stoker/record.hpp"

#include "base/result.hpp"

namespace stoker::training {

// A source with the name that messages use for it.
struct NamedRecords {
  std::string source;
  const RecordReader* reader = nullptr;
};

// Errors: invalid_argument.
Result<void> check_not_empty(const NamedRecords& records);

// Errors: invalid_argument where both class maps are known and differ; the first difference is named.
Result<void> check_class_maps(const NamedRecords& train, const NamedRecords& val);

// The number of classes of `train`: `wanted` if not 0, else of its class map, else the largest label + 1. A
// source that does not know its labels is read once for that. Errors: invalid_argument (fewer than 2 classes,
// a class map with more than `wanted`, a label that is no whole number from 0, a record without labels: it is
// named), cancelled (`stop` was set), and the reader's.
Result<int> count_classes(const NamedRecords& train, int wanted, const std::atomic<bool>* stop);

// Checks the labels that are known without reading, and those of a few records; returns the most labels that
// one of those few has. Errors: invalid_argument (a label out of range, a record without one: it is named),
// and the reader's.
Result<std::size_t> check_labels(const NamedRecords& records, int num_classes);

// One label as a class. Errors: invalid_argument, naming the record by key (unless empty), container and
// offset.
Result<std::int64_t> class_of(float label, int num_classes, const NamedRecords& records, std::uint64_t index,
                              const std::string& key);

}  // namespace stoker::training
