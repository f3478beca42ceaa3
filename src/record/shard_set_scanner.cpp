#include "record/shard_set_scanner.hpp"

#include "stoker/error.hpp"

namespace stoker::record {

RecordScanner::Step ShardSetScanner::next(Sample& sample, RecordInfo& info, BadRecord& bad) {
  while (true) {
    if (shard_) {
      const Step step = shard_->next(sample, info, bad);
      if (step != Step::end) {
        ++ordinal_;
        return step;
      }
      shard_.reset();
    }
    if (next_shard_ == paths_.size()) return Step::end;
    const std::size_t shard = next_shard_++;
    try {
      shard_ = open_(shard, ordinal_);
    } catch (const Error& error) {
      // Full descriptors or a server that does not answer would condemn every shard behind this one.
      if (error.code() == ErrorCode::out_of_resources || error.code() == ErrorCode::unavailable) throw;
      bad = {.container = paths_[shard], .offset = 0, .key = "", .reason = error.what()};
      return Step::damage;
    }
  }
}

}  // namespace stoker::record
