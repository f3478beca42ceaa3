#include "watch/linux/host.hpp"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <set>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

#include "watch/linux/proc_file.hpp"
#include "watch/linux/proc_text.hpp"

namespace stoker::watch {

namespace {

// Errors of a file, or of its form, as a reading that says why.
template <class T>
Reading<T> reading_of(const FileText& text, const std::optional<T>& value) {
  if (value) return *value;
  return Reading<T>::unknown(text ? "garbled" : why_not(text.error()));
}

Reading<Pressure> read_pressure(const std::string& path) {
  const FileText text = read_text(path);
  if (!text && text.error() == ENOENT) return Reading<Pressure>::unknown("no PSI in this kernel");
  if (!text && text.error() == EOPNOTSUPP) {
    return Reading<Pressure>::unknown("PSI is off (boot the kernel with psi=1)");
  }
  return reading_of<Pressure>(text, text ? parse_pressure(*text) : std::nullopt);
}

Reading<std::uint64_t> memory(const FileText& text, std::string_view key) {
  auto kib = text ? number_of(*text, key) : std::nullopt;
  if (kib) *kib *= 1024;
  return reading_of(text, kib);
}

double own_cpu_s() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// "cpu  …" in front, then "cpu0 …" for each CPU that is online.
void read_cpu_times(const FileText& text, HostSeen& host) {
  const auto ticks_per_s = static_cast<double>(sysconf(_SC_CLK_TCK));
  for (const std::string_view line : lines_of(text ? std::string_view(*text) : std::string_view())) {
    if (!line.starts_with("cpu")) break;
    const CpuTimes times = parse_cpu_times(line.substr(std::min(line.find(' '), line.size())), ticks_per_s);
    if (line.starts_with("cpu ")) {
      host.cpu = times;
    } else {
      host.per_cpu.push_back(times);
    }
  }
  if (!host.cpu) host.cpu = reading_of<CpuTimes>(text, std::nullopt);
  host.online_cpus = reading_of<int>(
      text, host.per_cpu.empty() ? std::nullopt : std::optional(static_cast<int>(host.per_cpu.size())));
}

}  // namespace

HostReader::HostReader(std::string proc_root, std::string sys_root)
    : proc_root_(std::move(proc_root)), sys_root_(std::move(sys_root)) {}

HostSeen HostReader::read() {
  HostSeen host;
  const FileText uptime = read_text(proc_root_ + "/uptime");
  host.uptime_s = reading_of(uptime, uptime ? to_double(Words(*uptime).next()) : std::nullopt);
  read_cpu_times(read_text(proc_root_ + "/stat"), host);
  host.cores = count_cores(host.online_cpus.value_or(0));
  host.cpu_pressure = read_pressure(proc_root_ + "/pressure/cpu");
  host.io_pressure = read_pressure(proc_root_ + "/pressure/io");
  host.memory_pressure = read_pressure(proc_root_ + "/pressure/memory");
  const FileText meminfo = read_text(proc_root_ + "/meminfo");
  host.memory_total_bytes = memory(meminfo, "MemTotal");
  host.memory_available_bytes = memory(meminfo, "MemAvailable");
  host.watcher_cpu_s = own_cpu_s();
  return host;
}

// Hyper-threads of one core name the same siblings.
Reading<int> HostReader::count_cores(int online_cpus) {
  if (online_cpus == cores_for_) return cores_;
  std::set<std::string> cores;
  // Numbers may have gaps where CPUs are offline; these have no topology.
  constexpr int kMostGaps = 1024;
  for (int cpu = 0, gaps = 0, found = 0; found < online_cpus && gaps < kMostGaps; ++cpu) {
    const std::string folder = fmt::format("{}/devices/system/cpu/cpu{}/topology", sys_root_, cpu);
    const FileText siblings = read_text(folder + "/thread_siblings_list");
    siblings ? ++found : ++gaps;
    if (siblings) cores.insert(*siblings);
  }
  cores_for_ = online_cpus;
  cores_ =
      cores.empty() ? Reading<int>::unknown(why_not(ENOENT)) : Reading<int>(static_cast<int>(cores.size()));
  return cores_;
}

}  // namespace stoker::watch
