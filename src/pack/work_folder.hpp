// NAME.packing: where the shards of a pack wait until all are finished, and what a pack that was interrupted
// goes on from.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stoker/pack.hpp"
#include "stoker/store.hpp"

#include "pack/destination.hpp"
#include "pack/shard_plan.hpp"
#include "pack/shard_summary.hpp"
#include "store/file_lock.hpp"

namespace stoker::packing {

// What all processes of a pack agree on before the first shard is begun.
struct WorkPlan {
  std::string source;  // as it was given, made absolute
  // By their names on the command line: those that shape the shards. Others may differ from run to run.
  std::map<std::string, std::string> options;
  std::map<std::string, std::string> manifest_options;  // as options_text
  std::optional<SourceFingerprint> fingerprint;         // of a container; a listing is kept instead
  std::vector<std::string> classes;
  std::vector<std::string> passed_over;
  std::vector<std::string> other_files;
  std::uint64_t repeated_ids = 0;
  ShardPlan shards;
};

// The plan's options of a pack.
std::map<std::string, std::string> plan_options(const PackOptions& options, const Destination& to);

// Threads: one at a time. Errors of every member: io, out_of_resources.
class WorkFolder {
 public:
  WorkFolder(std::shared_ptr<Store> store, Destination to);

  // Keeps other processes from the same part. Errors: unavailable (one is at it).
  void lock(PackPart part);
  // The plan that lies there; none: there is none. Errors: corrupt_data, unsupported.
  std::optional<WorkPlan> read_plan() const;
  void write_plan(const WorkPlan& plan);

  std::string listing_path() const;
  // Of shard `shard` of a plan: its container. What belongs to it lies beside it, by the same name and more.
  std::string shard_path(const ShardPlan& plan, std::size_t shard) const;
  std::string list_path(const ShardPlan& plan, std::size_t shard) const;
  std::string skipped_path(const ShardPlan& plan, std::size_t shard) const;
  std::string checksums_path(const ShardPlan& plan, std::size_t shard) const;
  std::string summary_path(const ShardPlan& plan, std::size_t shard) const;
  // None: not finished. Errors: corrupt_data.
  std::optional<ShardSummary> summary(const ShardPlan& plan, std::size_t shard) const;
  // How many finished shards wait there.
  std::size_t waiting(const ShardPlan& plan) const;

  // Removes the folder and all in it. Errors: invalid_argument (it is none of a pack's).
  void remove();

 private:
  std::string in_folder(const std::string& name) const { return to_.work + '/' + name; }
  std::optional<std::string> read_all(const std::string& path) const;

  const std::shared_ptr<Store> store_;
  const Destination to_;
  std::unique_ptr<store::FileLock> lock_;
};

}  // namespace stoker::packing
