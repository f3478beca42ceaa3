#include "watch/linux/process_watch.hpp"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <fmt/format.h>
#include <mutex>
#include <pwd.h>
#include <unistd.h>
#include <unordered_map>
#include <utility>

#include "base/cpus.hpp"
#include "watch/linux/proc_text.hpp"

namespace stoker::watch {

namespace {

constexpr std::size_t kMostOpenFiles = 64;
constexpr std::size_t kMostFiles = 8;
constexpr int kYoungLooks = 5;  // so long the facts are read at every look: it may still call exec

// The value of a variable in an environ file; empty where it is not set.
std::string variable(std::string_view environ, std::string_view name) {
  while (!environ.empty()) {
    const std::string_view entry = environ.substr(0, environ.find('\0'));
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=') {
      return std::string(entry.substr(name.size() + 1));
    }
    environ.remove_prefix(std::min(environ.size(), entry.size() + 1));
  }
  return {};
}

// A user's name, or the number where it has none.
std::string user_name(std::uint32_t id) {
  static std::mutex mutex;
  static std::unordered_map<std::uint32_t, std::string> known;
  const std::lock_guard lock(mutex);
  const auto [entry, fresh] = known.try_emplace(id);
  if (fresh) {
    std::array<char, 4096> memory;
    passwd record{};
    passwd* found = nullptr;
    const bool named = getpwuid_r(id, &record, memory.data(), memory.size(), &found) == 0 && found != nullptr;
    entry->second = named ? found->pw_name : std::to_string(id);
  }
  return entry->second;
}

// Open for reading alone: a log or a checkpoint is none of the data.
bool is_read_only(int process, std::int64_t descriptor) {
  const FileText text = read_text(process, fmt::format("fdinfo/{}", descriptor), 4096);
  if (!text) return false;
  const auto flags = value_of(*text, "flags");  // octal
  return flags && !flags->empty() && (flags->back() - '0') % 4 == O_RDONLY;
}

}  // namespace

ProcessWatch::ProcessWatch(const std::string& proc_root, const ProcessId& id, DescriptorBudget& budget)
    : proc_root_(proc_root),
      live_(proc_root == "/proc"),
      id_(id),
      folder_(open(fmt::format("{}/{}", proc_root, id.pid).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)),
      stat_(folder_.get(), "stat", budget),
      io_(folder_.get(), "io", budget),
      threads_(folder_.get(), id.pid, live_, budget) {}

bool ProcessWatch::lives() {
  std::array<char, 1024> memory;
  const auto text = stat_.read(memory);
  const auto stat = text ? parse_stat(*text) : std::nullopt;
  if (!stat || stat->start_ticks != id_.start_ticks) return false;
  return stat->state != 'X' && (stat->state != 'Z' || stat->threads > 1);
}

bool ProcessWatch::read(ProcessSeen& seen) {
  std::array<char, 1024> memory;
  const auto text = stat_.read(memory);
  const auto stat = text ? parse_stat(*text) : std::nullopt;
  if (!stat || stat->start_ticks != id_.start_ticks) return false;
  if (stat->state == 'X' || (stat->state == 'Z' && stat->threads <= 1)) return false;
  const auto ticks_per_s = static_cast<double>(sysconf(_SC_CLK_TCK));
  seen.pid = id_.pid;
  seen.parent = stat->parent;
  seen.start_ticks = stat->start_ticks;
  seen.name = stat->name;
  seen.user_s = static_cast<double>(stat->user_ticks) / ticks_per_s;
  seen.system_s = static_cast<double>(stat->system_ticks) / ticks_per_s;
  seen.block_io_delay_s = block_io_delay(*stat);
  seen.resident_bytes = stat->resident_pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  if (looks_ < kYoungLooks || facts_.name != seen.name) read_facts(seen.name);
  ++looks_;
  seen.command = facts_.command;
  seen.user = facts_.user;
  seen.cuda_visible_devices = facts_.cuda_visible_devices;
  seen.affinity_cpus = affinity();
  const auto io_text = io_.read(memory);
  const auto io = io_text ? parse_io(*io_text) : std::nullopt;
  seen.io = io ? Reading<ProcessIo>(*io)
               : Reading<ProcessIo>::unknown(io_text ? "garbled" : why_not(io_text.error()));
  seen.threads = threads_.take();
  seen.files = threads_.take_files();
  return true;
}

void ProcessWatch::read_facts(const std::string& name) {
  facts_.name = name;
  facts_.command = parse_command(read_text(folder(), "cmdline", 4 * kCommandBytes).value_or(""));
  const std::string status = read_text(folder(), "status").value_or("");
  user_id_ = static_cast<std::uint32_t>(number_of(status, "Uid").value_or(0));
  facts_.user = status.empty() ? "" : user_name(user_id_);
  inner_pid_ = id_.pid;
  if (const auto pids = value_of(status, "NSpid")) {
    Words words(*pids);
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
      inner_pid_ = to_integer(word).value_or(inner_pid_);
    }
  }
  const FileText environment = read_text(folder(), "environ", 4U << 20U);
  runtime_folder_ = variable(environment.value_or(""), "XDG_RUNTIME_DIR");
  facts_.cuda_visible_devices = environment
                                    ? Reading<std::string>(variable(*environment, "CUDA_VISIBLE_DEVICES"))
                                    : Reading<std::string>::unknown(why_not(environment.error()));
}

// Source: kernel Documentation/accounting/delay-accounting.rst: off by default since 5.14, and counted only
// for processes that began when it was on.
Reading<double> ProcessWatch::block_io_delay(const StatLine& stat) const {
  if (stat.block_io_ticks > 0) {
    return static_cast<double>(stat.block_io_ticks) / static_cast<double>(sysconf(_SC_CLK_TCK));
  }
  const FileText on = read_text(proc_root_ + "/sys/kernel/task_delayacct", 16);
  if (on && on->starts_with('0')) {
    return Reading<double>::unknown("delay accounting is off (sysctl kernel.task_delayacct=1, as root)");
  }
  return Reading<double>::unknown("none so far, or it began before delay accounting was switched on");
}

Reading<int> ProcessWatch::affinity() const {
  if (live_) {
    const int cpus = affinity_cpus(id_.pid);
    return cpus > 0 ? Reading<int>(cpus) : Reading<int>::unknown("the process ended");
  }
  const FileText status = read_text(folder(), "status");
  const auto list = status ? value_of(*status, "Cpus_allowed_list") : std::nullopt;
  const auto cpus = list ? count_cpus(*list) : std::nullopt;
  return cpus ? Reading<int>(*cpus) : Reading<int>::unknown("this kernel does not show it");
}

void ProcessWatch::look_for_open_files(ProcessSeen& seen) {
  std::vector<NumberedEntry> open_files = numbered_entries(folder(), "fd");
  if (open_files.size() > kMostOpenFiles) open_files.resize(kMostOpenFiles);
  for (const NumberedEntry& entry : open_files) {
    if (entry.number <= STDERR_FILENO) continue;
    const OpenFile file = open_file(folder(), entry.number);
    if (file.kind != "file" || file.size_bytes == 0 || !is_read_only(folder(), entry.number)) continue;
    count_file(file, kMostFiles, seen.files);
  }
}

}  // namespace stoker::watch
