// Walks a RecordIO container record by record, past damage.
#pragma once

#include <memory>

#include "stoker/record.hpp"

#include "record/recordio_walk.hpp"

namespace stoker::record {

// Threads: one at a time.
class RecordIOScanner final : public RecordScanner {
 public:
  explicit RecordIOScanner(std::unique_ptr<ReadableFile> file);
  Step next(Sample& sample, RecordInfo& info, BadRecord& bad) override;

 private:
  std::optional<Damage> swallowed_record(std::uint64_t begin, std::uint64_t end);
  Step report(Damage damage, std::uint64_t resume_from, BadRecord& bad);

  std::unique_ptr<ReadableFile> file_;
  WindowReader window_;
  std::uint64_t offset_ = 0;
  std::uint64_t prefetched_ = 0;
  std::uint64_t ordinal_ = 0;
};

}  // namespace stoker::record
