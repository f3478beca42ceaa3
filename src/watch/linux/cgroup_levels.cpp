#include "watch/linux/cgroup_levels.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "watch/linux/proc_file.hpp"
#include "watch/linux/proc_text.hpp"

namespace stoker::watch {

namespace {

std::string text_of(const std::string& path) { return read_text(path).value_or(""); }

std::optional<std::uint64_t> number_in(const std::string& path) {
  return Words(text_of(path)).next_number<std::uint64_t>();
}

// v1 writes "no limit" as the largest number of pages: beyond any machine's memory.
std::optional<std::uint64_t> memory_limit(const std::string& path) {
  constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 60U;
  const auto bytes = number_in(path);
  return bytes && *bytes < kNoLimit ? bytes : std::nullopt;
}

std::optional<Pressure> pressure_in(const std::string& path) {
  const FileText text = read_text(path);
  return text ? parse_pressure(*text) : std::nullopt;
}

void read_throttling(const std::string& folder, bool v2, CgroupLevel& level) {
  std::string quota = text_of(folder + (v2 ? "/cpu.max" : "/cpu.cfs_quota_us"));
  if (!v2) quota += " " + text_of(folder + "/cpu.cfs_period_us");
  level.quota_cpus = parse_cpu_quota(quota);
  if (!level.quota_cpus) return;
  const std::string stat = text_of(folder + "/cpu.stat");
  level.periods = number_of(stat, "nr_periods");
  level.throttled_periods = number_of(stat, "nr_throttled");
  if (const auto microseconds = number_of(stat, "throttled_usec")) {
    level.throttled_s = static_cast<double>(*microseconds) * 1e-6;
  } else if (const auto nanoseconds = number_of(stat, "throttled_time")) {
    level.throttled_s = static_cast<double>(*nanoseconds) * 1e-9;
  }
}

void read_cpuset(const std::string& folder, bool v2, int online_cpus, CgroupLevel& level) {
  const auto cpus = count_cpus(text_of(folder + (v2 ? "/cpuset.cpus.effective" : "/cpuset.effective_cpus")));
  if (cpus && *cpus < online_cpus) level.cpuset_cpus = cpus;
}

void read_memory(const std::string& folder, bool v2, CgroupLevel& level) {
  level.memory_limit_bytes = memory_limit(folder + (v2 ? "/memory.max" : "/memory.limit_in_bytes"));
  if (!level.memory_limit_bytes) return;
  level.memory_used_bytes = number_in(folder + (v2 ? "/memory.current" : "/memory.usage_in_bytes"));
  const std::string stat = text_of(folder + "/memory.stat");
  // Of the page cache; older kernels count anonymous pages with them.
  for (const char* name : {"workingset_refault_file", "total_workingset_refault", "workingset_refault"}) {
    level.refaults = number_of(stat, name);
    if (level.refaults) return;
  }
}

// io.max: "254:0 rbps=1048576 wbps=max riops=max wiops=max".
void read_io_max(const std::string& text, std::vector<IoLimit>& limits) {
  for (const std::string_view line : lines_of(text)) {
    Words words(line);
    IoLimit limit{.device = std::string(words.next())};
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
      if (word.starts_with("rbps=")) limit.read_bytes_per_s = to_double(word.substr(5));
      if (word.starts_with("riops=")) limit.read_ops_per_s = to_double(word.substr(6));
    }
    if (limit.read_bytes_per_s || limit.read_ops_per_s) limits.push_back(limit);
  }
}

// blkio.throttle.*_device: "254:0 1048576", a line a device.
void read_blkio(const std::string& text, std::optional<double> IoLimit::* member,
                std::vector<IoLimit>& limits) {
  for (const std::string_view line : lines_of(text)) {
    Words words(line);
    const std::string device(words.next());
    const auto value = words.next_number<double>();
    if (!value || *value <= 0) continue;
    const auto known = std::find_if(limits.begin(), limits.end(),
                                    [&](const IoLimit& limit) { return limit.device == device; });
    IoLimit& limit = known == limits.end() ? limits.emplace_back() : *known;
    limit.device = device;
    limit.*member = *value;
  }
}

CgroupLevel read_level(const CgroupHierarchy& hierarchy, const std::string& folder, int online_cpus) {
  const bool v2 = hierarchy.v2();
  CgroupLevel level{.path = folder, .version = v2 ? 2 : 1};
  if (hierarchy.controls("cpu")) read_throttling(folder, v2, level);
  if (hierarchy.controls("cpuset")) read_cpuset(folder, v2, online_cpus, level);
  if (hierarchy.controls("memory")) read_memory(folder, v2, level);
  if (v2) {
    read_io_max(text_of(folder + "/io.max"), level.io_limits);
    level.cpu_pressure = pressure_in(folder + "/cpu.pressure");
    level.io_pressure = pressure_in(folder + "/io.pressure");
  } else if (hierarchy.controls("blkio")) {
    const std::string start = folder + "/blkio.throttle.read_";
    read_blkio(text_of(start + "bps_device"), &IoLimit::read_bytes_per_s, level.io_limits);
    read_blkio(text_of(start + "iops_device"), &IoLimit::read_ops_per_s, level.io_limits);
  }
  return level;
}

bool says_nothing(const CgroupLevel& level) {
  return level == CgroupLevel{.path = level.path, .version = level.version};
}

}  // namespace

CgroupReader::CgroupReader(std::string proc_root, std::string cgroup_root, std::int64_t pid)
    : proc_root_(std::move(proc_root)), cgroup_root_(std::move(cgroup_root)), pid_(pid) {}

std::vector<CgroupLevel> CgroupReader::read(int online_cpus) {
  std::string told = text_of(fmt::format("{}/{}/cgroup", proc_root_, pid_));
  if (told != told_) {
    hierarchies_ = read_cgroups(proc_root_, std::to_string(pid_), cgroup_root_);
    told_ = std::move(told);
  }
  std::vector<CgroupLevel> levels;
  for (const CgroupHierarchy& hierarchy : hierarchies_) {
    for (const std::string& folder : hierarchy.folders) {
      CgroupLevel level = read_level(hierarchy, folder, online_cpus);
      if (!says_nothing(level)) levels.push_back(std::move(level));
    }
  }
  return levels;
}

}  // namespace stoker::watch
