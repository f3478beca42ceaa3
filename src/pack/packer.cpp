#include "pack/packer.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "stoker/record.hpp"

#include "pack/class_names.hpp"
#include "pack/clocks.hpp"
#include "pack/cutting.hpp"
#include "pack/destination.hpp"
#include "pack/finished_shard.hpp"
#include "pack/manifest.hpp"
#include "pack/pack_source.hpp"
#include "pack/publisher.hpp"
#include "pack/shard_maker.hpp"
#include "pack/stop.hpp"
#include "store/local_store.hpp"

namespace stoker::packing {
namespace {

// All that can be refused without opening the source comes before it is walked.
Destination checked(const PackOptions& options) {
  Destination to = check_options(options);
  if (options.open.classes_file.empty()) check_class_folders(options);
  return to;
}

std::string absolute(const std::string& source) {
  std::error_code failed;
  const auto path = std::filesystem::weakly_canonical(source, failed);
  return failed || path.empty() ? source : path.string();
}

// Names by the labels that are packed: labels that the offset left without a class have a name that says so.
std::vector<std::string> classes_behind(std::int64_t label_offset, std::vector<std::string> classes) {
  if (classes.empty()) return classes;
  if (label_offset < 0) {
    const auto lost = std::min<std::size_t>(classes.size(), static_cast<std::size_t>(-label_offset));
    classes.erase(classes.begin(), classes.begin() + static_cast<std::ptrdiff_t>(lost));
  }
  std::vector<std::string> names;
  for (std::int64_t label = 0; label < label_offset; ++label)
    names.push_back(fmt::format("unused-{}", label));
  names.insert(names.end(), std::make_move_iterator(classes.begin()), std::make_move_iterator(classes.end()));
  return names;
}

class Packer {
 public:
  Packer(const PackOptions& options, const std::shared_ptr<Store>& store,
         const PackProgressCallback& progress, const std::atomic<bool>* cancel)
      : options_(options),
        to_(checked(options)),
        store_(store ? store : open_store(to_.name())),
        progress_(progress),
        cancel_(cancel),
        work_(store_, to_),
        is_part_(options.part.count > 1) {}

  PackReport run() {
    const Stopwatch watch;
    PackReport report;
    check_old_set(to_, *store_);
    work_.lock(options_.part);
    try {
      open();
      report = make();
    } catch (...) {
      give_up();
      throw;
    }
    report.wall_s = watch.wall_s();
    report.cpu_s = watch.cpu_s();
    const std::uint64_t made = report.packed - std::min(report.packed, packed_before_);
    report.images_per_s = report.wall_s > 0 ? static_cast<double>(made) / report.wall_s : 0;
    return report;
  }

 private:
  // The source and the plan: those of the pack that is gone on with, or new ones.
  void open() {
    std::optional<WorkPlan> found = work_.read_plan();
    const bool goes_on = options_.resume || is_part_;
    if (found && !goes_on) refuse_to_lose(*found);
    if (!goes_on) {
      work_.remove();
      work_.lock(options_.part);
      found.reset();
    }
    if (found) plan_ = *found;
    owns_work_ = true;
    own_files_ = own_files_format(options_);
    if (own_files_) {
      ListedSource listed =
          open_listed_source(options_, *own_files_, store_, work_.listing_path(), options_.shard_bytes > 0);
      source_ = std::move(listed.reader);
      other_files_ = std::move(listed.other_files);
      repeated_ids_ = listed.repeated_ids;
    } else {
      source_ = open_pack_source(options_);
    }
    WorkPlan wanted = plan();
    if (found) {
      check_same(*found, wanted);
      return;
    }
    wanted.shards.cuts = cut(options_, to_, *source_);
    plan_ = std::move(wanted);
    check_not_the_source();
    work_.write_plan(plan_);
  }

  WorkPlan plan() const {
    WorkPlan plan{.source = absolute(options_.source),
                  .options = plan_options(options_, to_),
                  .manifest_options = options_text(options_),
                  .classes = classes_behind(options_.label_offset, source_->classes()),
                  .passed_over = hidden_folders(options_),
                  .other_files = other_files_,
                  .repeated_ids = repeated_ids_};
    if (!own_files_) plan.fingerprint = source_->fingerprint();
    plan.shards.stem = to_.stem;
    plan.shards.ending = to_.ending;
    plan.shards.numbered = options_.shards > 0 || options_.shard_bytes > 0;
    return plan;
  }

  void refuse_to_lose(const WorkPlan& found) const {
    const std::size_t waiting = work_.waiting(found.shards);
    if (waiting == 0 || found.shards.shards() == 1) return;
    throw Error(ErrorCode::invalid_argument,
                {.operation = "pack",
                 .object = to_.name(),
                 .found = fmt::format("{} holds {} of {} finished shards of a pack that was interrupted",
                                      to_.work, waiting, found.shards.shards()),
                 .next_step = "--resume goes on with it; remove the folder to begin anew"});
  }

  void check_same(const WorkPlan& found, const WorkPlan& wanted) const {
    const auto differs = [&](std::string what, std::string was, std::string is) {
      throw Error(ErrorCode::invalid_argument,
                  {.operation = "resume a pack",
                   .object = to_.name(),
                   .found = fmt::format("{} is {} now, and was {} when the pack was begun", what, is, was),
                   .next_step = fmt::format("give it as it was, or remove {} to begin anew", to_.work)});
    };
    if (found.source != wanted.source) differs("the source", found.source, wanted.source);
    std::map<std::string, std::string> names = found.options;
    names.insert(wanted.options.begin(), wanted.options.end());
    for (const auto& [name, value] : names) {
      const auto value_in = [&name](const std::map<std::string, std::string>& options) {
        const auto at = options.find(name);
        return at == options.end() ? std::string("not given") : at->second;
      };
      const std::string was = value_in(found.options), is = value_in(wanted.options);
      if (was != is) differs("--" + name, was, is);
    }
    if (found.fingerprint != wanted.fingerprint || found.shards.samples() != source_->size())
      differs("the source", "another state of it", "changed");
  }

  // Shards whose names are known only now.
  void check_not_the_source() {
    const auto is_target = [&](const std::string& container) {
      for (const std::size_t shard : {std::size_t{0}, plan_.shards.shards() - 1})
        if (absolute(to_.path(plan_.shards.relative_path(shard))) == absolute(container)) return true;
      return false;
    };
    if (own_files_ || source_->size() == 0) return;
    for (const std::size_t sample : {std::size_t{0}, source_->size() - 1})
      if (const std::string container = source_->info(sample).container; is_target(container))
        throw Error(ErrorCode::invalid_argument,
                    {.operation = "pack",
                     .object = "destination " + to_.name(),
                     .found = fmt::format("{} would be overwritten, and it is the source", container),
                     .allowed = "another name",
                     .next_step = "pack to a new name, then move it"});
  }

  PackReport make() {
    const ShardRange mine = plan_.shards.shards_of(options_.part);
    std::vector<std::size_t> shards;
    PackProgress before{.total = samples_of(mine)};
    for (std::size_t shard = mine.first; shard < mine.end; ++shard) {
      const auto summary = finished_shard(work_, plan_, to_, *store_, shard);
      if (!summary) {
        shards.push_back(shard);
        continue;
      }
      ++kept_;
      packed_before_ += summary->report.packed;
      before.done += summary->report.inputs;
      before.skipped += summary->report.skipped_count;
      before.bytes_out += summary->report.bytes_out;
    }
    const MakerResult made =
        make_shards(options_, to_, work_, plan_, *source_, shards, store_, before, progress_, cancel_);
    const Stopwatch publishing;
    PackReport report = is_part_ ? part_report(mine) : publish_all();
    report.shards_kept = kept_;
    report.sync_s = made.sync_s + publishing.wall_s();
    report.sync_cpu_s = made.sync_cpu_s + publishing.cpu_s();
    return report;
  }

  std::uint64_t samples_of(const ShardRange& shards) const {
    return plan_.shards.cuts[shards.end] - plan_.shards.cuts[shards.first];
  }

  PackReport publish_all() {
    PackReport report = publish(options_, to_, work_, plan_, *store_, cancel_);
    // With a larger tolerated share what was made may still be taken over.
    if (report.too_many_bad && plan_.shards.shards() > 1) return report;
    work_.remove();
    return report;
  }

  PackReport part_report(const ShardRange& mine) {
    ShardSummary sum;
    for (std::size_t shard = mine.first; shard < mine.end; ++shard)
      add_summary(sum, std::move(*work_.summary(plan_.shards, shard)));
    PackReport report = std::move(sum.report);
    report.classes = plan_.classes;
    report.passed_over = plan_.passed_over;
    report.other_files = plan_.other_files;
    report.repeated_ids = plan_.repeated_ids;
    report.shards_planned = plan_.shards.shards();
    report.waits_for_merge = true;
    return report;
  }

  // Finished shards of several wait for a pack with `resume`; anything less is of no use.
  void give_up() {
    if (!owns_work_) return;
    try {
      if (is_part_ || (plan_.shards.shards() > 1 && work_.waiting(plan_.shards) > 0)) return;
      work_.remove();
    } catch (const std::exception&) {
      // What cannot be removed stays; the first error is the one to tell.
    }
  }

  const PackOptions& options_;
  const Destination to_;
  const std::shared_ptr<Store> store_;
  const PackProgressCallback& progress_;
  const std::atomic<bool>* const cancel_;
  WorkFolder work_;
  const bool is_part_;
  std::optional<RecordFormat> own_files_;
  std::unique_ptr<RecordReader> source_;
  std::vector<std::string> other_files_;  // beside the samples of a folder
  std::uint64_t repeated_ids_ = 0;        // in a list
  WorkPlan plan_;
  bool owns_work_ = false;           // what lies in it is this pack's
  std::uint64_t kept_ = 0;           // shards finished before
  std::uint64_t packed_before_ = 0;  // samples in them
};

// Options need not be said again; those that are must be as they were.
void check_merged(const PackOptions& options, const Destination& to, const WorkPlan& plan) {
  const auto differs = [&](std::string found, std::string next_step) {
    throw Error(ErrorCode::invalid_argument, {.operation = "merge a pack",
                                              .object = to.name(),
                                              .found = std::move(found),
                                              .next_step = std::move(next_step)});
  };
  if (!options.source.empty() && plan.source != absolute(options.source))
    differs(fmt::format("parts of {}, where {} is given", plan.source, options.source),
            "give the source that the parts were made of");
  for (const auto& [name, value] : plan_options(options, to)) {
    const auto was = plan.options.find(name);
    if (was == plan.options.end() || was->second != value)
      differs(fmt::format("--{} is {} now, and was {} when the parts were made", name, value,
                          was == plan.options.end() ? "not given" : was->second),
              "leave the option out, or make the parts again with it");
  }
}

PackReport run_merge(const PackOptions& options) {
  const Destination to = destination_of(options);
  const std::shared_ptr<Store> store = open_store(to.name());
  WorkFolder work(store, to);
  const std::optional<WorkPlan> plan = work.read_plan();
  if (!plan) {
    if (std::optional<PackReport> done = published_report(to, *store)) return *done;
    throw Error(ErrorCode::not_found, {.operation = "merge a pack",
                                       .object = to.work,
                                       .found = "no finished parts, and no pack of this name",
                                       .next_step = "run all parts with --part i/n first"});
  }
  check_merged(options, to, *plan);
  std::vector<std::size_t> missing;
  for (std::size_t shard = 0; shard < plan->shards.shards(); ++shard)
    if (!finished_shard(work, *plan, to, *store, shard)) missing.push_back(shard);
  if (!missing.empty())
    throw Error(
        ErrorCode::invalid_argument,
        {.operation = "merge a pack",
         .object = to.name(),
         .found = fmt::format("{} of {} shards are not finished, or were changed since; the first: {}",
                              missing.size(), plan->shards.shards(), plan->shards.file_name(missing.front())),
         .next_step = "run the parts that make them, with --part i/n, to their end"});
  const Stopwatch watch;
  PackReport report = publish(options, to, work, *plan, *store, nullptr);
  if (!report.too_many_bad) work.remove();
  report.shards_kept = report.shards_planned;
  report.wall_s = watch.wall_s();
  report.cpu_s = watch.cpu_s();
  return report;
}

}  // namespace

PackReport run_pack(const PackOptions& options, std::shared_ptr<Store> destination_store,
                    const PackProgressCallback& progress, const std::atomic<bool>* cancel) {
  return Packer(options, destination_store, progress, cancel).run();
}

}  // namespace stoker::packing

namespace stoker {

PackReport pack(const PackOptions& options, const PackProgressCallback& progress,
                const std::atomic<bool>* cancel) {
  return packing::run_pack(options, nullptr, progress, cancel);
}

PackReport merge_pack(const PackOptions& options) { return packing::run_merge(options); }

}  // namespace stoker
