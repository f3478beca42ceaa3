#include "watch/linux/training_watch.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

#include "stoker/error.hpp"

#include "watch/linux/loader_counters.hpp"
#include "watch/linux/mounts.hpp"
#include "watch/linux/proc_text.hpp"

namespace stoker::watch {

namespace {

// Of each process at one look, beside its main thread: a hundred threads of a pool tell no more.
constexpr std::size_t kMostThreads = 32;
// Processes at one snapshot whose open files are looked at.
constexpr std::size_t kOpenFilesOf = 4;
// Snapshots between two reads of the mount table.
constexpr int kMountsLast = 10;

std::int64_t process_of(const std::string& proc_root, std::int64_t pid) {
  const FileText status = read_text(fmt::format("{}/{}/status", proc_root, pid));
  const auto group = status ? number_of(*status, "Tgid") : std::nullopt;
  return group ? static_cast<std::int64_t>(*group) : pid;
}

void add_once(std::vector<NotSeen>& not_seen, std::string what, const std::string& why) {
  if (why.empty()) return;
  const bool told =
      std::any_of(not_seen.begin(), not_seen.end(), [&](const NotSeen& x) { return x.what == what; });
  if (!told) not_seen.push_back({std::move(what), why});
}

}  // namespace

TrainingWatch::TrainingWatch(const WatchOptions& options)
    : proc_root_(options.proc_root),
      pid_(process_of(options.proc_root, options.pid)),
      live_(options.proc_root == "/proc"),
      tree_(options.proc_root, pid_),
      cgroups_(options.proc_root, options.cgroup_root, pid_) {
  if (identify(proc_root_, pid_).start_ticks == 0) {
    throw Error(ErrorCode::not_found,
                {.operation = "watch",
                 .object = fmt::format("process {}", options.pid),
                 .found = "no such process that runs",
                 .next_step = "see `ps`; of a container look from inside it, or by the host's "
                              "number"});
  }
  look();
}

bool TrainingWatch::lives() {
  return !processes_.empty() && processes_.front()->id().pid == pid_ && processes_.front()->lives();
}

void TrainingWatch::look() {
  std::vector<std::unique_ptr<ProcessWatch>> found;
  for (const ProcessId& id : tree_.look()) {
    if (live_ && id.pid == getpid()) continue;
    const auto known = std::find_if(processes_.begin(), processes_.end(), [&](const auto& process) {
      return process && process->id().pid == id.pid && process->id().start_ticks == id.start_ticks;
    });
    if (known != processes_.end()) {
      (*known)->update(id);
      found.push_back(std::move(*known));
    } else {
      found.push_back(std::make_unique<ProcessWatch>(proc_root_, id, budget_));
    }
    found.back()->threads().look_for_threads();
  }
  processes_ = std::move(found);
}

void TrainingWatch::sample_main() {
  if (!processes_.empty()) processes_.front()->threads().sample_main();
}

void TrainingWatch::sample_others() {
  ++rounds_;
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    if (i > 0) processes_[i]->threads().sample_main();
    // A worker's helpers tell less than its first thread: half as often, for half of the workers at a time.
    if (i == 0 || (i + rounds_) % 2 == 0) processes_[i]->threads().sample_others(kMostThreads, random_);
  }
}

std::size_t TrainingWatch::thread_count() const {
  std::size_t count = 0;
  for (const auto& process : processes_) count += process->threads().thread_count();
  return count;
}

void TrainingWatch::read(Snapshot& snapshot) {
  read_processes(snapshot);
  snapshot.cgroups = cgroups_.read(snapshot.host.online_cpus.value_or(0));
  read_mounts(snapshot);
  read_loaders(snapshot);
}

void TrainingWatch::read_processes(Snapshot& snapshot) {
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    ProcessSeen seen;
    if (!processes_[i]->read(seen)) continue;
    const std::size_t behind =
        (i + processes_.size() - next_open_files_ % processes_.size()) % processes_.size();
    if (behind < kOpenFilesOf) processes_[i]->look_for_open_files(seen);
    add_once(snapshot.not_seen, "I/O of the processes", seen.io.why());
    add_once(snapshot.not_seen, "environment of the processes", seen.cuda_visible_devices.why());
    const ThreadBlindness& blindness = processes_[i]->threads().blindness();
    add_once(snapshot.not_seen, "system calls of the threads", blindness.calls);
    add_once(snapshot.not_seen, "run-queue waits of the threads", blindness.run_delays);
    snapshot.processes.push_back(std::move(seen));
  }
  next_open_files_ += kOpenFilesOf;
}

void TrainingWatch::read_mounts(Snapshot& snapshot) {
  if (mounts_.empty() || ++mounts_age_ >= kMountsLast) {
    mounts_ =
        parse_mountinfo(read_text(fmt::format("{}/{}/mountinfo", proc_root_, pid_), 8U << 20U).value_or(""));
    mounts_age_ = 0;
  }
  for (ProcessSeen& process : snapshot.processes) {
    for (FileSeen& file : process.files) {
      if (const MountSeen* mount = mount_of(mounts_, file.path)) file.mount = mount->path;
      if (!file.mount.empty()) used_mounts_.insert(file.mount);
    }
  }
  for (const std::string& path : used_mounts_) {
    const MountSeen* mount = mount_of(mounts_, path);
    if (mount == nullptr || mount->path != path) continue;
    snapshot.mounts.push_back(*mount);
    if (!mount->type.starts_with("nfs")) continue;
    const FileText counters = read_text(fmt::format("{}/{}/mountstats", proc_root_, pid_), 8U << 20U);
    if (counters) {
      read_nfs_counters(*counters, snapshot.mounts.back());
    } else {
      add_once(snapshot.not_seen, "counters of NFS", why_not(counters.error()));
    }
  }
}

void TrainingWatch::read_loaders(Snapshot& snapshot) {
  for (const auto& process : processes_) {
    std::string fault;
    if (auto loader = read_loader(*process, proc_root_, fault))
      snapshot.loaders.push_back(std::move(*loader));
    add_once(snapshot.not_seen, "counters of Stoker's loader", fault);
  }
}

}  // namespace stoker::watch
