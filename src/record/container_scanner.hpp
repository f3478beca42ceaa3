// Walks a container record by record, past damage.
#pragma once

#include <memory>

#include "stoker/record.hpp"

#include "record/container_format.hpp"

namespace stoker::record {

// Threads: one at a time.
class ContainerScanner final : public RecordScanner {
 public:
  // `first_ordinal`: how many records of a set lie before the container.
  ContainerScanner(const ContainerFormat& format, std::unique_ptr<ReadableFile> file,
                   std::uint64_t first_ordinal = 0);
  Step next(Sample& sample, RecordInfo& info, BadRecord& bad) override;

 private:
  Step report(Damage damage, std::uint64_t resume_from, BadRecord& bad);

  const ContainerFormat& format_;
  std::unique_ptr<ReadableFile> file_;
  WindowReader window_;
  std::uint64_t offset_ = 0;
  std::uint64_t prefetched_ = 0;
  std::uint64_t ordinal_;
};

}  // namespace stoker::record
