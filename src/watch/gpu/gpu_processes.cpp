#include "watch/gpu/gpu_processes.hpp"

#include <algorithm>
#include <fcntl.h>
#include <set>
#include <string_view>
#include <unistd.h>
#include <utility>

#include "watch/linux/proc_file.hpp"
#include "watch/linux/proc_text.hpp"

namespace stoker::watch {

namespace {

constexpr double kLookAgainAfter = 10;
constexpr std::uint64_t kInUse = 256ULL
                                 << 20;  // more than drivers set aside on an idle GPU of a training server

bool in_use(const GpuSeen& gpu) {
  return gpu.util_percent.value_or(0) > 0 || gpu.memory_used_bytes.value_or(0) > kInUse;
}

}  // namespace

void GpuProcesses::read_namespaces() {
  by_other_number_.clear();
  for (const NumberedEntry& entry : numbered_entries(AT_FDCWD, proc_root_)) {
    const FileText status = read_text(proc_root_ + "/" + std::to_string(entry.number) + "/status", 8192);
    if (!status) continue;
    Words numbers(value_of(*status, "NSpid").value_or(""));
    while (const auto number = numbers.next_number<std::int64_t>()) {
      if (*number == entry.number) continue;
      const auto [found, added] = by_other_number_.emplace(*number, entry.number);
      if (!added) found->second = 0;  // two containers use the number: nobody can tell
    }
  }
}

void GpuProcesses::find(GpuProcess& process, double now_s) {
  const auto name_of = [&](std::int64_t pid) {
    return read_text(proc_root_ + "/" + std::to_string(pid) + "/comm", 256);
  };
  FileText name = name_of(process.pid);
  if (!name) {
    if (now_s - namespaces_read_s_ >= kLookAgainAfter) {
      read_namespaces();
      namespaces_read_s_ = now_s;
    }
    const auto other = by_other_number_.find(process.pid);
    if (other != by_other_number_.end() && other->second != 0) {
      name = name_of(other->second);
      if (name) process.pid = other->second;
    }
  }
  process.here = name.has_value();
  if (name) process.name = name->substr(0, name->find('\n'));
}

void GpuProcesses::read_holders() {
  holders_.clear();
  std::map<std::string, std::map<std::int64_t, std::int64_t>> parents;  // of the holders, by device file
  for (const NumberedEntry& process : numbered_entries(AT_FDCWD, proc_root_)) {
    if (process.number == getpid()) continue;
    const std::string folder = proc_root_ + "/" + std::to_string(process.number);
    std::set<std::string> devices;
    for (const NumberedEntry& file : numbered_entries(AT_FDCWD, folder + "/fd")) {
      std::string name = read_link(AT_FDCWD, folder + "/fd/" + std::to_string(file.number));
      if (name.starts_with("/dev/nvidia")) devices.insert(std::move(name));
    }
    if (devices.empty()) continue;
    const FileText status = read_text(folder + "/status", 8192);
    const auto parent = status ? number_of(*status, "PPid") : std::nullopt;
    for (const std::string& device : devices)
      parents[device][process.number] = static_cast<std::int64_t>(parent.value_or(0));
  }
  // Workers that were forked from a holder hold what it held.
  for (const auto& [device, holders] : parents)
    for (const auto& [pid, parent] : holders)
      if (!holders.contains(parent)) holders_[device].push_back(pid);
}

void GpuProcesses::find_holders(GpuSeen& gpu, const std::string& device, double now_s) {
  if (!gpu.processes || !in_use(gpu)) return;
  std::vector<GpuProcess> processes = *gpu.processes;
  if (std::any_of(processes.begin(), processes.end(), [](const GpuProcess& process) { return process.here; }))
    return;
  if (now_s - holders_read_s_ >= kLookAgainAfter) {
    read_holders();
    holders_read_s_ = now_s;
  }
  const auto found = holders_.find(device);
  if (found == holders_.end()) return;
  if (processes.size() == 1 && found->second.size() == 1)
    processes[0].pid = found->second[0];
  else
    for (const std::int64_t pid : found->second) processes.push_back({.pid = pid, .kind = "open"});
  for (GpuProcess& process : processes) find(process, now_s);
  gpu.processes = std::move(processes);
}

}  // namespace stoker::watch
