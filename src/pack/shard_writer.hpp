// One shard in the making, with all that lies beside it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stoker/record.hpp"

#include "pack/shard_index.hpp"
#include "pack/tally.hpp"
#include "pack/text_files.hpp"
#include "pack/work_folder.hpp"

namespace stoker::packing {

// Threads: one at a time. Dropped unfinished, it leaves nothing.
class ShardWriter {
 public:
  // Errors: io, out_of_resources; of every member.
  ShardWriter(const PackOptions& options, const Destination& to, const WorkFolder& work,
              const ShardPlan& plan, std::size_t shard, const std::vector<std::string>& classes,
              std::shared_ptr<Store> store);

  // The next sample of the shard's range: appended, or named among the skipped ones.
  void add(PackedSample& sample);
  std::uint64_t bytes() const { return writer_->bytes(); }
  const PackReport& report() const { return tally_.report(); }
  // All is durable in the work folder then, the summary last.
  void finish();

 private:
  const std::string summary_path_, skipped_path_;
  const std::vector<std::string>& classes_;
  const std::shared_ptr<Store> store_;
  Tally tally_;
  const std::unique_ptr<RecordWriter> writer_;
  std::unique_ptr<ShardIndex> index_;  // none: not asked for
  std::unique_ptr<LineFile> list_;     // none: the format keeps keys itself
  std::unique_ptr<LineFile> skipped_;  // none: so far none was
  std::unique_ptr<LineFile> checksums_;
  std::string line_;
};

}  // namespace stoker::packing
