#include "pack/finished_shard.hpp"

#include <string>
#include <vector>

#include "stoker/error.hpp"

#include "record/seek_index_place.hpp"
#include "store/crc_of_file.hpp"

namespace stoker::packing {

namespace {

bool is_container_whole(Store& store, const std::string& waits, const std::string& stands,
                        const PackedShard& shard) {
  const std::string& path = store.info(waits) ? waits : stands;
  const auto info = store.info(path);
  return info && !info->is_folder && info->bytes == shard.bytes &&
         store::crc_of_file(*store.open_read(path)) == shard.crc32c;
}

bool is_whole(const WorkFolder& work, const WorkPlan& plan, const Destination& to, Store& store,
              std::size_t shard, const ShardSummary& summary) {
  const std::string waits = work.shard_path(plan.shards, shard);
  const std::string stands = to.path(plan.shards.relative_path(shard));
  const bool has_seek_index = !plan.options.contains("no-index");
  const std::vector<std::string> waiting = files_of_shard(waits, to.format),
                                 standing = files_of_shard(stands, to.format);
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    if (!has_seek_index && waiting[i] == record::seek_index_path(waits, to.format)) continue;
    if (!store.info(waiting[i]) && !store.info(standing[i])) return false;
  }
  return store.info(work.checksums_path(plan.shards, shard)) &&
         (to.list.empty() || store.info(work.list_path(plan.shards, shard))) &&
         is_container_whole(store, waits, stands, summary.report.shards.front());
}

}  // namespace

std::optional<ShardSummary> finished_shard(const WorkFolder& work, const WorkPlan& plan,
                                           const Destination& to, Store& store, std::size_t shard) {
  try {
    std::optional<ShardSummary> summary = work.summary(plan.shards, shard);
    if (summary && !is_whole(work, plan, to, store, shard, *summary)) summary.reset();
    return summary;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::corrupt_data) throw;
    return std::nullopt;
  }
}

}  // namespace stoker::packing
