#include "pack/work_folder.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "stoker/error.hpp"

#include "base/os_error.hpp"
#include "pack/manifest.hpp"
#include "record/cbor_text.hpp"
#include "record/small_text.hpp"
#include "store/leftovers.hpp"
#include "store/local_store.hpp"

namespace stoker::packing {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::string_view kSchema = "stoker.pack-plan/1";
constexpr const char* kPlanName = "plan.stoker";
constexpr const char* kListingName = "listing.stoker";
constexpr std::uint64_t kLargestText = std::uint64_t{1} << 30;  // of what this program wrote itself

std::vector<std::uint8_t> plan_bytes(const WorkPlan& plan) {
  Json json = {{"schema", kSchema},
               {"source", record::bytes_json(plan.source)},
               {"options", plan.options},
               {"manifest_options", plan.manifest_options},
               {"classes", record::bytes_json(plan.classes)},
               {"passed_over", record::bytes_json(plan.passed_over)},
               {"other_files", record::bytes_json(plan.other_files)},
               {"repeated_ids", plan.repeated_ids},
               {"stem", record::bytes_json(plan.shards.stem)},
               {"ending", plan.shards.ending},
               {"numbered", plan.shards.numbered},
               {"cuts", plan.shards.cuts}};
  if (plan.fingerprint)
    json["fingerprint"] = {plan.fingerprint->records, plan.fingerprint->bytes, plan.fingerprint->head_crc32c,
                           plan.fingerprint->tail_crc32c};
  return Json::to_cbor(json);
}

WorkPlan plan_of(std::string_view bytes) {
  const Json json = Json::from_cbor(bytes.begin(), bytes.end());
  if (json.at("schema") != kSchema) throw Json::other_error::create(501, "another schema", nullptr);
  WorkPlan plan{.source = record::text_of_bytes(json.at("source")),
                .options = json.at("options").get<std::map<std::string, std::string>>(),
                .manifest_options = json.at("manifest_options").get<std::map<std::string, std::string>>(),
                .classes = record::texts_of_bytes(json.at("classes")),
                .passed_over = record::texts_of_bytes(json.at("passed_over")),
                .other_files = record::texts_of_bytes(json.at("other_files")),
                .repeated_ids = json.at("repeated_ids").get<std::uint64_t>()};
  plan.shards.stem = record::text_of_bytes(json.at("stem"));
  plan.shards.ending = json.at("ending").get<std::string>();
  plan.shards.numbered = json.at("numbered").get<bool>();
  plan.shards.cuts = json.at("cuts").get<std::vector<std::uint64_t>>();
  if (plan.shards.cuts.size() < 2 || !std::is_sorted(plan.shards.cuts.begin(), plan.shards.cuts.end()))
    throw Json::other_error::create(501, "no cuts", nullptr);
  if (json.contains("fingerprint")) {
    const Json& print = json["fingerprint"];
    plan.fingerprint = SourceFingerprint{.records = print.at(0).get<std::uint64_t>(),
                                         .bytes = print.at(1).get<std::uint64_t>(),
                                         .head_crc32c = print.at(2).get<std::uint32_t>(),
                                         .tail_crc32c = print.at(3).get<std::uint32_t>()};
  }
  return plan;
}

// Whether a folder holds what a pack puts there, or nothing.
bool is_of_a_pack(const fs::path& folder) {
  if (fs::exists(folder / kPlanName) || fs::exists(folder / kListingName)) return true;
  for (const auto& entry : fs::directory_iterator(folder))
    if (!entry.path().filename().string().starts_with('.')) return false;
  return true;
}

}  // namespace

std::map<std::string, std::string> plan_options(const PackOptions& options, const Destination& to) {
  std::map<std::string, std::string> text = options_text(options);
  text["format"] = to_string(to.format);
  if (options.shards > 0) text["shards"] = std::to_string(options.shards);
  if (options.shard_bytes > 0) text["shard-size"] = std::to_string(options.shard_bytes);
  if (!options.seek_index) text["no-index"] = "true";
  if (!options.open.root.empty()) text["root"] = options.open.root;
  if (!options.open.classes_file.empty()) text["classes"] = options.open.classes_file;
  return text;
}

WorkFolder::WorkFolder(std::shared_ptr<Store> store, Destination to)
    : store_(std::move(store)), to_(std::move(to)) {}

void WorkFolder::lock(PackPart part) {
  const fs::path folder(store::local_path(to_.work));
  const fs::path parent = folder.parent_path().empty() ? fs::path(".") : folder.parent_path();
  store::remove_left_folders(parent.string(), folder.filename().string());
  lock_.reset();  // one that went with the folder, or that another process may take first
  try {
    lock_ = std::make_unique<store::FileLock>(in_folder(fmt::format("part-{}-of-{}", part.index, part.count)),
                                              std::chrono::seconds(0));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unavailable) throw;
    throw Error(
        ErrorCode::unavailable,
        {.operation = "pack",
         .object = to_.name(),
         .found = part.count == 1 ? std::string("another process packs to it")
                                  : fmt::format("another process is at part {}/{}", part.index, part.count),
         .next_step = "wait for it, or take another name"});
  }
}

std::optional<std::string> WorkFolder::read_all(const std::string& path) const {
  if (!store_->info(path)) return std::nullopt;
  return record::read_small_text(*store_, path, kLargestText);
}

std::optional<WorkPlan> WorkFolder::read_plan() const {
  const std::string path = in_folder(kPlanName);
  const auto bytes = read_all(path);
  if (!bytes) return std::nullopt;
  try {
    return plan_of(*bytes);
  } catch (const Json::exception&) {
    throw Error(ErrorCode::corrupt_data,
                {.operation = "resume a pack",
                 .object = path,
                 .found = "no plan of a pack, or one of another version of this program",
                 .next_step = fmt::format("remove the folder {} and begin anew", to_.work)});
  }
}

void WorkFolder::write_plan(const WorkPlan& plan) {
  const auto file = store_->create(in_folder(kPlanName));
  const std::vector<std::uint8_t> bytes = plan_bytes(plan);
  file->append(std::as_bytes(std::span(bytes)));
  file->commit();
}

std::string WorkFolder::listing_path() const { return in_folder(kListingName); }

std::string WorkFolder::shard_path(const ShardPlan& plan, std::size_t shard) const {
  return in_folder(plan.file_name(shard));
}
std::string WorkFolder::list_path(const ShardPlan& plan, std::size_t shard) const {
  return shard_path(plan, shard) + ".list";
}
std::string WorkFolder::skipped_path(const ShardPlan& plan, std::size_t shard) const {
  return shard_path(plan, shard) + ".skipped";
}
std::string WorkFolder::checksums_path(const ShardPlan& plan, std::size_t shard) const {
  return shard_path(plan, shard) + ".checksums";
}
std::string WorkFolder::summary_path(const ShardPlan& plan, std::size_t shard) const {
  return shard_path(plan, shard) + ".finished";
}

std::optional<ShardSummary> WorkFolder::summary(const ShardPlan& plan, std::size_t shard) const {
  const std::string path = summary_path(plan, shard);
  const auto bytes = read_all(path);
  if (!bytes) return std::nullopt;
  ShardSummary summary = value_or_throw(summary_from_bytes(*bytes, path));
  summary.report.shards.at(0).path = to_.path(plan.relative_path(shard));
  return summary;
}

std::size_t WorkFolder::waiting(const ShardPlan& plan) const {
  std::size_t count = 0;
  for (std::size_t shard = 0; shard < plan.shards(); ++shard)
    if (store_->info(summary_path(plan, shard)) && store_->info(shard_path(plan, shard))) ++count;
  return count;
}

void WorkFolder::remove() {
  const fs::path folder(store::local_path(to_.work));
  std::error_code failed;
  if (!fs::exists(folder, failed)) return;
  if (!fs::is_directory(folder, failed) || !is_of_a_pack(folder))
    throw Error(ErrorCode::invalid_argument, {.operation = "pack",
                                              .object = folder.string(),
                                              .found = "it is there, and is no folder of an unfinished pack",
                                              .next_step = "move it away, or take another name"});
  // It goes as a whole: half of it would be taken for finished shards that lack what lies beside them.
  const fs::path doomed = folder.parent_path() / store::temporary_name(folder.filename().string());
  fs::rename(folder, doomed, failed);
  if (!failed) fs::remove_all(doomed, failed);
  if (failed) throw os_error("remove", folder.string(), failed.value());
}

}  // namespace stoker::packing
