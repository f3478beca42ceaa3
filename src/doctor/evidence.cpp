#include "doctor/evidence.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "doctor/rates.hpp"

namespace stoker::doctor {

namespace {

constexpr const char* kSchedstat = "/proc/PID/task/*/schedstat";
constexpr const char* kStates = "/proc/PID/task/*/{stat,syscall}, sampled";
constexpr const char* kNotWatched = "no such process was watched";

class List {
 public:
  void percent(std::string what, std::optional<double> value, const char* source) {
    add(std::move(what), value ? std::optional(100 * *value) : std::nullopt, "%", source);
  }
  void add(std::string what, std::optional<double> value, const char* unit, const char* source) {
    if (value) entries_.push_back({.what = std::move(what), .value = *value, .unit = unit, .source = source});
  }
  std::vector<Evidence> take() { return std::move(entries_); }

 private:
  std::vector<Evidence> entries_;
};

}  // namespace

std::vector<Evidence> evidence_of(const Measures& m, const IoMeasures& io, const Speed& speed) {
  List list;
  list.percent("GPU busy", m.busy, "the driver's utilisation, over the window");
  list.percent(kWaitsForData, m.stall(),
               m.stall_counted ? "counters of Stoker's loader"
                               : "main thread: waiting for a batch, receiving it, waiting for a CPU; at most "
                                 "the GPU's idle share");
  list.percent("main thread waits for a batch", m.main_waits, kStates);
  list.percent("main thread receives batches", m.main_socket, kStates);
  list.percent("main thread on a CPU", m.main_cpu, kSchedstat);
  list.percent("main thread waits for a CPU", m.main_delay, kSchedstat);
  const char* what = m.kind == WorkerKind::processes ? "workers" : "loader threads";
  if (m.kind != WorkerKind::none) {
    const char* source = m.kind == WorkerKind::stoker ? "counters of Stoker's loader" : kSchedstat;
    list.add(what, m.workers, "", m.kind == WorkerKind::stoker ? source : "/proc/PID/task/*/children");
    list.percent(fmt::format("{} on a CPU", what), m.worker_cpu, source);
    list.percent(fmt::format("{} wait for a CPU", what), m.worker_delay, source);
    list.percent(fmt::format("{} wait for storage", what), m.worker_io,
                 m.kind == WorkerKind::stoker ? source : "the rest of their time");
    list.percent(fmt::format("{} have nothing to do", what), m.worker_idle,
                 m.kind == WorkerKind::stoker ? source : kStates);
    list.percent(fmt::format("{} are stopped", what),
                 m.worker_stopped.value_or(0) > 0 ? m.worker_stopped : std::nullopt, kStates);
  }
  list.add("CPUs that the training may use", m.allowed_with_quota(), "CPUs",
           "affinity, cpusets and quotas of every cgroup level");
  list.add("CPUs that it uses", m.job_cpu, "CPUs", "/proc/PID/stat");
  list.add("CPUs that others use", m.others_cpu, "CPUs", "/proc/stat");
  for (const Quota& quota : m.quotas) {
    list.add(fmt::format("quota of cgroup {}", quota.path), quota.cpus, "CPUs",
             "cpu.max or cpu.cfs_quota_us");
    list.percent(fmt::format("periods in which {} was throttled", quota.path), quota.throttled_share,
                 "cpu.stat");
  }
  list.percent("time that some task waited for a CPU", m.cpu_pressure, "/proc/pressure/cpu");
  list.percent("time that some task waited for storage", m.io_pressure, "/proc/pressure/io");
  list.percent("CPU time stolen by the hypervisor", m.steal.value_or(0) > 0.01 ? m.steal : std::nullopt,
               "/proc/stat");
  const auto mb = [](const Reading<double>& x) { return x ? std::optional(*x / 1e6) : std::nullopt; };
  list.add("read", mb(io.summary.read_chars_per_s), "MB/s", "/proc/PID/io rchar");
  list.add("read from devices", mb(io.summary.read_bytes_per_s), "MB/s", "/proc/PID/io read_bytes");
  list.percent("of a limit on reading", io.limit_used, "io.max or blkio.throttle");
  list.add("latency of a device's read", io.summary.device_latency_ms.optional(), "ms", "/proc/diskstats");
  if (speed.images_per_s)
    list.add(speed.about ? "images, about" : "images", speed.images_per_s.optional(), "images/s",
             speed.source.c_str());
  return list.take();
}

CpuSummary cpu_summary(const Measures& m) {
  CpuSummary cpu;
  const char* no_rates = "needs two snapshots of a watched process";
  cpu.allowed = reading(m.allowed_with_quota(), kNotWatched);
  if (!m.quotas.empty() && (!m.allowed || m.quotas.front().cpus < *m.allowed))
    cpu.limited_by = fmt::format("the quota of cgroup {}", m.quotas.front().path);
  else
    cpu.limited_by = m.allowed ? m.allowed_by : "";
  cpu.online = reading(m.online, "the number of CPUs was not read");
  cpu.training = reading(m.job_cpu, no_rates);
  cpu.others = reading(m.others_cpu, no_rates);
  const char* no_workers =
      m.kind == WorkerKind::none ? "no workers were seen" : "their threads were not read";
  cpu.workers_on_cpu = reading(m.worker_cpu, no_workers);
  cpu.workers_waiting_for_cpu = reading(m.worker_delay, no_workers);
  cpu.workers_in_io = reading(m.worker_io, no_workers);
  cpu.workers_idle = reading(m.worker_idle, no_workers);
  cpu.workers_stopped = reading(m.worker_stopped, no_workers);
  cpu.workers_asleep = reading(m.worker_other, no_workers);
  cpu.throttled_share = Reading<double>::unknown(m.quotas.empty() ? "no cgroup has a quota" : no_rates);
  for (const Quota& quota : m.quotas)
    if (quota.throttled_share && *quota.throttled_share >= cpu.throttled_share.value_or(0))
      cpu.throttled_share = *quota.throttled_share;
  cpu.workers = m.mains > 0 ? Reading<int>(m.workers) : Reading<int>::unknown(kNotWatched);
  cpu.steal_share = reading(m.steal, no_rates);
  return cpu;
}

std::vector<NotSeen> unknowns_of(const Trace& trace, const Measures& m, bool watched) {
  std::vector<NotSeen> unknown = trace.not_seen;
  const auto add = [&unknown](std::string what, std::string why) {
    if (std::ranges::find(unknown, what, &NotSeen::what) == unknown.end())
      unknown.push_back({std::move(what), std::move(why)});
  };
  if (!trace.snapshots.empty())
    for (const NotSeen& not_seen : trace.snapshots.back().not_seen) add(not_seen.what, not_seen.why);
  if (trace.unreadable_values > 0)
    add("some values", fmt::format("{} were not readable and are left out", trace.unreadable_values));
  if (!m.busy) add("how busy the GPU is", "no GPU's utilisation was read");
  if (!watched) {
    add("why the GPU waits", "no process was watched: watch one with --pid");
    return unknown;
  }
  if (m.snapshots < 2) {
    add("rates", "there is one snapshot only");
    return unknown;
  }
  if (!m.main_waits && !m.stall_counted)
    add("how long the training waits for data", "the states of its main thread were not sampled");
  if (m.waits_guessed)
    add("what the main thread waits for",
        "the calls of another user's process need root: any sleep while the GPU idles is taken for it");
  if (!m.main_delay) add("how long threads wait for a CPU", "no schedstat in this kernel or trace");
  if (m.kind != WorkerKind::none && m.worker_samples == 0 && m.kind != WorkerKind::stoker)
    add("whether workers wait for storage", "their states were not sampled");
  if (!m.others_cpu) add("what other processes use", "the machine's CPU times were not read");
  return unknown;
}

}  // namespace stoker::doctor
