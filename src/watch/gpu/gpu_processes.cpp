#include "watch/gpu/gpu_processes.hpp"

#include <fcntl.h>

#include "watch/linux/proc_file.hpp"
#include "watch/linux/proc_text.hpp"

namespace stoker::watch {

namespace {

constexpr double kLookAgainAfter = 10;

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
    if (now_s - read_s_ >= kLookAgainAfter) {
      read_namespaces();
      read_s_ = now_s;
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

}  // namespace stoker::watch
