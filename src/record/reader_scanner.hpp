// Walks the samples of a source that knows where each lies: what cannot be read is damage of that sample
// alone.
#pragma once

#include <memory>

#include "stoker/record.hpp"

namespace stoker::record {

// Threads: one at a time.
class ReaderScanner final : public RecordScanner {
 public:
  explicit ReaderScanner(std::unique_ptr<RecordReader> reader) : reader_(std::move(reader)) {}
  Step next(Sample& sample, RecordInfo& info, BadRecord& bad) override;

 private:
  std::unique_ptr<RecordReader> reader_;
  std::size_t index_ = 0;
};

}  // namespace stoker::record
