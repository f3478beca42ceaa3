#include "doctor/roles.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace stoker::doctor {

namespace {

using Indexes = std::vector<std::size_t>;

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool is_helper(const ProcessSeen& process) {
  return contains(process.command, "resource_tracker") || contains(process.command, "semaphore_tracker") ||
         contains(process.command, "multiprocessing.forkserver");
}

bool is_launcher(const ProcessSeen& process) {
  constexpr std::array<std::string_view, 14> kLaunchers = {"sh",     "bash", "dash",       "zsh",  "env",
                                                           "nohup",  "time", "timeout",    "sudo", "srun",
                                                           "mpirun", "uv",   "accelerate", "conda"};
  return std::ranges::find(kLaunchers, process.name) != kLaunchers.end() ||
         contains(process.command, "torchrun") || contains(process.command, "torch.distributed");
}

const ProcessSeen* find(const Snapshot& snapshot, std::int64_t pid) {
  const auto found = std::ranges::find(snapshot.processes, pid, &ProcessSeen::pid);
  return found == snapshot.processes.end() ? nullptr : &*found;
}

double cpu_of(const ProcessSeen& process) {
  return process.user_s.value_or(0) + process.system_s.value_or(0);
}

bool holds_a_gpu(const Snapshot& snapshot, std::int64_t pid) {
  return std::ranges::any_of(snapshot.gpus, [pid](const GpuSeen& gpu) {
    return gpu.processes && std::ranges::any_of(*gpu.processes, [pid](const GpuProcess& process) {
             return process.here && process.pid == pid;
           });
  });
}

// Workers by the name that PyTorch gives them; where none bears it (before 1.13, other loaders), children
// that multiprocessing started, or forks that kept their parent's command line, unless they hold a GPU: such
// are ranks.
Indexes find_workers(const Snapshot& snapshot) {
  Indexes named, alike;
  for (std::size_t i = 0; i < snapshot.processes.size(); ++i) {
    const ProcessSeen& process = snapshot.processes[i];
    if (process.name.starts_with("pt_data_worker")) named.push_back(i);
    const ProcessSeen* parent = find(snapshot, process.parent);
    if (i == 0 || !parent || is_helper(process) || is_launcher(process) || holds_a_gpu(snapshot, process.pid))
      continue;
    const bool fork = !is_launcher(*parent) && process.name == parent->name && !process.command.empty() &&
                      process.command == parent->command;
    if (fork || contains(process.command, "multiprocessing.spawn")) alike.push_back(i);
  }
  return named.empty() ? alike : named;
}

Indexes listed_by_a_gpu(const Snapshot& snapshot, const Indexes& workers) {
  Indexes mains;
  for (std::size_t i = 0; i < snapshot.processes.size(); ++i)
    if (holds_a_gpu(snapshot, snapshot.processes[i].pid) && std::ranges::find(workers, i) == workers.end())
      mains.push_back(i);
  return mains;
}

Indexes parents_of(const Snapshot& snapshot, const Indexes& workers) {
  Indexes mains;
  for (const std::size_t worker : workers) {
    const ProcessSeen* parent = find(snapshot, snapshot.processes[worker].parent);
    // Forkserver and spawn put a process in between.
    for (int step = 0; step < 4 && parent && is_helper(*parent); ++step)
      parent = find(snapshot, parent->parent);
    if (!parent) continue;
    const auto index = static_cast<std::size_t>(parent - snapshot.processes.data());
    if (std::ranges::find(workers, index) == workers.end() && std::ranges::find(mains, index) == mains.end())
      mains.push_back(index);
  }
  return mains;
}

}  // namespace

Roles roles_of(const Snapshot& snapshot) {
  Roles roles;
  if (snapshot.processes.empty()) return roles;
  roles.workers = find_workers(snapshot);
  roles.mains = listed_by_a_gpu(snapshot, roles.workers);
  if (roles.mains.empty()) roles.mains = parents_of(snapshot, roles.workers);
  if (!roles.mains.empty()) return roles;
  for (std::size_t i = 0; i < snapshot.processes.size(); ++i) {
    const std::int64_t pid = snapshot.processes[i].pid;
    if (std::ranges::any_of(snapshot.loaders, [pid](const LoaderSeen& loader) { return loader.pid == pid; }))
      roles.mains.push_back(i);
  }
  if (!roles.mains.empty()) return roles;
  std::size_t main = 0;
  if (is_launcher(snapshot.processes[0]))
    for (std::size_t i = 1; i < snapshot.processes.size(); ++i)
      if (cpu_of(snapshot.processes[i]) > cpu_of(snapshot.processes[main])) main = i;
  roles.mains.push_back(main);
  return roles;
}

bool may_load(const ThreadsSeen& threads) {
  if (threads.main) return false;
  constexpr std::array<std::string_view, 8> kOthers = {"pt_autograd", "pt_data_pin", "cuda",  "nccl",
                                                       "NCCL",        "tensorboard", "wandb", "QueueFeeder"};
  return std::ranges::none_of(kOthers,
                              [&](std::string_view other) { return threads.name.starts_with(other); });
}

}  // namespace stoker::doctor
