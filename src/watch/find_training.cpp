#include <algorithm>
#include <chrono>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <thread>
#include <unistd.h>
#include <vector>

#include "stoker/watch.hpp"

#include "watch/gpu_reader.hpp"
#include "watch/linux/open_file.hpp"
#include "watch/linux/proc_file.hpp"
#include "watch/linux/proc_text.hpp"

namespace stoker {

namespace {

using watch::FileText;

constexpr std::chrono::milliseconds kPatience{15'000};
constexpr std::chrono::milliseconds kBusyWindow{300};
constexpr double kBusyCpus = 0.5;

struct Process {
  std::int64_t pid = 0, parent = 0;
  std::uint64_t start_ticks = 0, cpu_ticks = 0, resident_pages = 0;
  std::string name, command;
};
using Processes = std::map<std::int64_t, Process>;

// Kernel threads, which have no command line, are left out.
Processes read_processes(const std::string& proc_root) {
  Processes processes;
  for (const watch::NumberedEntry& entry : watch::numbered_entries(AT_FDCWD, proc_root)) {
    const std::string folder = fmt::format("{}/{}", proc_root, entry.number);
    const FileText text = watch::read_text(folder + "/stat", 4096);
    const auto stat = text ? watch::parse_stat(*text) : std::nullopt;
    FileText command = watch::read_text(folder + "/cmdline", watch::kCommandBytes);
    if (!stat || stat->state == 'Z' || !command || command->empty()) continue;
    processes[entry.number] = {entry.number,
                               stat->parent,
                               stat->start_ticks,
                               stat->user_ticks + stat->system_ticks,
                               stat->resident_pages,
                               std::string(stat->name),
                               watch::parse_command(std::move(*command))};
  }
  return processes;
}

const Process* find(const Processes& processes, std::int64_t pid) {
  const auto found = processes.find(pid);
  return found == processes.end() ? nullptr : &found->second;
}

TrainingProcess training(const Processes& processes, std::int64_t pid, std::string why) {
  const Process* process = find(processes, pid);
  return {pid, process ? process->command : std::string(), std::move(why)};
}

// A process that Python's multiprocessing starts by a command line of its own.
bool is_python_helper(const Process& process) {
  return process.command.find("multiprocessing.") != std::string::npos;
}

std::optional<TrainingProcess> holder_of_most_memory(const WatchOptions& options,
                                                     const Processes& processes) {
  watch::GpuReader reader(options);
  Snapshot snapshot;
  reader.start();
  reader.take(snapshot, kPatience);
  struct Held {
    std::uint64_t bytes = 0;
    std::vector<int> gpus;
  };
  std::map<std::int64_t, Held> held;
  for (const GpuSeen& gpu : snapshot.gpus) {
    for (const GpuProcess& process : gpu.processes.value_or({})) {
      if (!process.here || process.kind == "graphics" || process.pid == getpid()) continue;
      Held& found = held[process.pid];
      found.bytes += process.memory_bytes.value_or(0);
      if (std::find(found.gpus.begin(), found.gpus.end(), gpu.index) == found.gpus.end()) {
        found.gpus.push_back(gpu.index);
      }
    }
  }
  const auto most = std::max_element(
      held.begin(), held.end(), [](const auto& a, const auto& b) { return a.second.bytes < b.second.bytes; });
  if (most == held.end()) return std::nullopt;
  const std::vector<int>& gpus = most->second.gpus;
  return training(processes, most->first,
                  fmt::format("holds GPU{} {}", gpus.size() == 1 ? "" : "s", fmt::join(gpus, ", ")));
}

// CUDA opens nvidia-uvm and HIP kfd, which what only draws does not.
bool computes_on_gpu(const std::string& proc_root, std::int64_t pid) {
  const std::string folder = fmt::format("{}/{}/fd", proc_root, pid);
  for (const watch::NumberedEntry& entry : watch::numbered_entries(AT_FDCWD, folder)) {
    const std::string path = watch::read_link(AT_FDCWD, fmt::format("{}/{}", folder, entry.number));
    if (path == "/dev/nvidia-uvm" || path == "/dev/kfd") return true;
  }
  return false;
}

std::optional<TrainingProcess> holder_of_device(const WatchOptions& options, const Processes& processes) {
  std::set<std::int64_t> holders;
  for (const auto& [pid, process] : processes) {
    if (pid != getpid() && computes_on_gpu(options.proc_root, pid)) holders.insert(pid);
  }
  const Process* best = nullptr;
  for (const std::int64_t pid : holders) {
    const Process* process = find(processes, pid);
    if (holders.contains(process->parent)) continue;  // a worker that inherited it
    if (best == nullptr || process->resident_pages > best->resident_pages) best = process;
  }
  if (best == nullptr) return std::nullopt;
  return training(processes, best->pid, "has a GPU's device open");
}

// Left by a training that is gone. In a container the training itself may be the first process.
bool is_adopted(const Process& worker, const Process& parent) {
  if (parent.pid != 1 || parent.command == worker.command) return false;
  return !is_python_helper(worker) || parent.command.find("python") == std::string::npos;
}

std::optional<TrainingProcess> parent_of_workers(const Processes& processes) {
  std::map<std::int64_t, int> workers;
  for (const auto& [pid, process] : processes) {
    if (process.name != "pt_data_worker") continue;
    const Process* parent = find(processes, process.parent);
    if (parent && parent->command.find("multiprocessing.forkserver") != std::string::npos) {
      parent = find(processes, parent->parent);
    }
    if (parent && !is_adopted(process, *parent)) ++workers[parent->pid];
  }
  const auto most = std::max_element(workers.begin(), workers.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == workers.end()) return std::nullopt;
  return training(processes, most->first,
                  fmt::format("has {} data worker{}", most->second, most->second == 1 ? "" : "s"));
}

// The process that a job's processes come from: those that fork share its command line.
std::int64_t root_of(const Processes& processes, std::int64_t pid, const std::set<std::int64_t>& ours) {
  for (;;) {
    const Process* process = find(processes, pid);
    const Process* parent = process ? find(processes, process->parent) : nullptr;
    if (!parent || ours.contains(parent->pid)) return pid;
    if (parent->command != process->command && !is_python_helper(*process)) return pid;
    pid = parent->pid;
  }
}

std::optional<TrainingProcess> busiest(const WatchOptions& options) {
  const Processes before = read_processes(options.proc_root);
  const auto begin = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(kBusyWindow);
  const Processes processes = read_processes(options.proc_root);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::set<std::int64_t> ours;
  for (std::int64_t pid = getpid(); const Process* process = find(processes, pid); pid = process->parent) {
    if (!ours.insert(pid).second) break;
  }
  std::map<std::int64_t, std::uint64_t> ticks;
  for (const auto& [pid, process] : processes) {
    const Process* earlier = find(before, pid);
    if (!earlier || earlier->start_ticks != process.start_ticks || ours.contains(pid)) continue;
    ticks[root_of(processes, pid, ours)] += process.cpu_ticks - earlier->cpu_ticks;
  }
  const auto most = std::max_element(ticks.begin(), ticks.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == ticks.end()) return std::nullopt;
  const double cpus = static_cast<double>(most->second) / static_cast<double>(sysconf(_SC_CLK_TCK)) / seconds;
  if (cpus <= kBusyCpus) return std::nullopt;
  return training(processes, most->first, fmt::format("is the busiest: {:.1f} CPUs", cpus));
}

// The process that a data worker loads for; none where `process` is no worker.
const Process* parent_of_worker(const Processes& processes, const Process& process,
                                const WatchOptions& options) {
  const Process* parent = find(processes, process.parent);
  const bool spawned = process.command.find("multiprocessing.spawn") != std::string::npos ||
                       process.command.find("multiprocessing.forkserver") != std::string::npos;
  const bool forked = parent && parent->command == process.command && parent->name == process.name &&
                      process.command.find("python") != std::string::npos;
  if (process.name != "pt_data_worker" && !forked && !spawned) return nullptr;
  // A rank is started in the same ways, and computes itself.
  const auto computes = [&options](const Process& of) { return computes_on_gpu(options.proc_root, of.pid); };
  if (spawned && computes(process)) return nullptr;
  if (forked && computes(process) && !computes(*parent)) return nullptr;
  for (int step = 0; step < 4 && parent && is_python_helper(*parent); ++step)
    parent = find(processes, parent->parent);
  return parent && !is_adopted(process, *parent) ? parent : nullptr;
}

}  // namespace

TrainingProcess training_of(const WatchOptions& options) {
  TrainingProcess named{options.pid, {}, {}};
  const FileText status = watch::read_text(fmt::format("{}/{}/status", options.proc_root, options.pid));
  const auto group = status ? watch::number_of(*status, "Tgid") : std::nullopt;
  if (!group) return named;
  named.pid = static_cast<std::int64_t>(*group);
  if (named.pid != options.pid) named.why = fmt::format("{} is a thread of {}", options.pid, named.pid);
  const Processes processes = read_processes(options.proc_root);
  const Process* process = find(processes, named.pid);
  if (process == nullptr) return named;
  named.command = process->command;
  const Process* parent = parent_of_worker(processes, *process, options);
  if (parent == nullptr) return named;
  named.why = fmt::format("{}{} is a data worker of {}", named.why.empty() ? "" : named.why + ", and ",
                          process->pid, parent->pid);
  named.pid = parent->pid;
  named.command = parent->command;
  return named;
}

std::optional<TrainingProcess> find_training(const WatchOptions& options) {
  const Processes processes = read_processes(options.proc_root);
  if (auto found = holder_of_most_memory(options, processes)) return found;
  if (auto found = holder_of_device(options, processes)) return found;
  if (auto found = parent_of_workers(processes)) return found;
  return busiest(options);
}

}  // namespace stoker
