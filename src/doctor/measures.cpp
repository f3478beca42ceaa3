#include "doctor/measures.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "doctor/loader_counters.hpp"
#include "doctor/rates.hpp"
#include "doctor/roles.hpp"

namespace stoker::doctor {

namespace {

constexpr double kReceiving = 0.05;    // CPUs of a main thread that takes batches and does little else
constexpr double kBusyThreads = 0.05;  // CPUs: below it a group of threads does not load

// Each process of `after` with itself in `before`; none where it began in between.
const ProcessSeen* same_process(const Snapshot& before, const ProcessSeen& process) {
  for (const ProcessSeen& other : before.processes)
    if (other.pid == process.pid && other.start_ticks == process.start_ticks) return &other;
  return nullptr;
}

const ThreadsSeen* same_threads(const ProcessSeen* before, const ThreadsSeen& threads) {
  if (!before) return nullptr;
  for (const ThreadsSeen& other : before->threads)
    if (other.main == threads.main && other.name == threads.name) return &other;
  return nullptr;
}

Reading<double> cpu_time(const ProcessSeen& process) {
  if (process.user_s && process.system_s) return *process.user_s + *process.system_s;
  double sum = 0;
  bool seen = false;
  for (const ThreadsSeen& threads : process.threads)
    if (threads.cpu_s) {
      sum += *threads.cpu_s;
      seen = true;
    }
  return seen ? Reading<double>(sum) : Reading<double>::unknown("no CPU times");
}

// A process or thread that began within the window began at 0.
Reading<double> before_or_zero(bool existed, const Reading<double>& before) {
  return existed ? before : Reading<double>(0.0);
}

struct ThreadGrowth {
  Growth cpu, delay;
  ActivityCount activity;
  double count = 0;  // mean number of threads, summed over the steps

  void add(const ProcessSeen* before, const ThreadsSeen& threads) {
    const ThreadsSeen* other = same_threads(before, threads);
    // A group that appears in a process that was there had other names before: its past is not this window's.
    if (other || !before) {
      cpu.add(before_or_zero(other, other ? other->cpu_s : Reading<double>()), threads.cpu_s);
      delay.add(before_or_zero(other, other ? other->run_delay_s : Reading<double>()), threads.run_delay_s);
    }
    activity.add(threads.tallies);
    count += threads.count;
  }
};

struct NamedGrowth {
  std::string name;
  ThreadGrowth growth;
};

// Everything that is summed over the steps of a window.
struct Sums {
  ThreadGrowth main, worker_first, worker_rest;
  std::vector<NamedGrowth> groups;  // a main process's other threads
  Growth job, workers_all;
  std::size_t steps = 0, mains = 0, workers = 0;
  int threads_per_worker = 0;

  void add(const Snapshot& before, const Snapshot& after) {
    ++steps;
    const Roles roles = roles_of(after);
    mains += roles.mains.size();
    workers += roles.workers.size();
    for (const ProcessSeen& process : after.processes) {
      const ProcessSeen* other = same_process(before, process);
      const Reading<double> now = cpu_time(process);
      job.add(before_or_zero(other, other ? cpu_time(*other) : Reading<double>()), now);
    }
    for (const std::size_t i : roles.mains) add_main(before, after.processes[i]);
    for (const std::size_t i : roles.workers) add_worker(before, after.processes[i]);
  }

 private:
  void add_main(const Snapshot& before, const ProcessSeen& process) {
    const ProcessSeen* other = same_process(before, process);
    for (const ThreadsSeen& threads : process.threads) {
      if (threads.main) {
        main.add(other, threads);
        continue;
      }
      if (!may_load(threads)) continue;
      auto group = std::ranges::find(groups, threads.name, &NamedGrowth::name);
      if (group == groups.end()) group = groups.insert(groups.end(), {.name = threads.name, .growth = {}});
      group->growth.add(other, threads);
    }
  }

  void add_worker(const Snapshot& before, const ProcessSeen& process) {
    const ProcessSeen* other = same_process(before, process);
    int count = 0;
    for (const ThreadsSeen& threads : process.threads) {
      (threads.main ? worker_first : worker_rest).add(other, threads);
      count += threads.count;
    }
    threads_per_worker = std::max(threads_per_worker, count);
    workers_all.add(before_or_zero(other, other ? cpu_time(*other) : Reading<double>()), cpu_time(process));
  }
};

int rounded(double x) { return whole(x + 0.5); }

void take_main(const Sums& sums, Measures& m) {
  const double threads = std::max(1.0, static_cast<double>(sums.mains) / static_cast<double>(sums.steps));
  m.mains = rounded(static_cast<double>(sums.mains) / static_cast<double>(sums.steps));
  m.main_cpu = divided(sums.main.cpu.per(m.seconds), threads);
  m.main_delay = divided(sums.main.delay.per(m.seconds), threads);
  const ActivityCount& seen = sums.main.activity;
  m.main_samples = seen.total();
  if (m.main_samples == 0) return;
  m.main_waits = seen.share_of(seen.waiting + seen.blocked + seen.unseen);
  m.main_socket = seen.share_of(seen.unix_socket);
  m.main_io = seen.share_of(seen.io + seen.network);
  m.main_network = seen.share_of(seen.network);
  m.waits_guessed = seen.unseen * 2 > seen.total();
}

void take_worker_shares(const ThreadGrowth& growth, double threads, Measures& m) {
  const ActivityCount& seen = growth.activity;
  m.worker_samples = seen.total();
  m.worker_cpu = divided(growth.cpu.per(m.seconds), threads);
  m.worker_delay = divided(growth.delay.per(m.seconds), threads);
  if (m.worker_samples == 0) return;
  m.worker_idle = seen.share_of(seen.waiting + seen.unix_socket + seen.unseen);
  m.worker_other = seen.share_of(seen.blocked + seen.sleeping);
  m.worker_stopped = seen.share_of(seen.stopped);
  // By subtraction: sampled states say .43 where the wait is .62. Without CPU times, the samples.
  if (m.worker_cpu && m.worker_delay)
    m.worker_io =
        share(1 - *m.worker_idle - *m.worker_other - *m.worker_stopped - *m.worker_cpu - *m.worker_delay);
  else
    m.worker_io = seen.share_of(seen.io + seen.network);
  // Time that nobody was met waiting in is a fault of the sampling, not of the storage.
  if (seen.io + seen.network == 0) m.worker_io = 0;
}

void take_worker_processes(const Sums& sums, Measures& m) {
  const double workers = static_cast<double>(sums.workers) / static_cast<double>(sums.steps);
  m.kind = WorkerKind::processes;
  m.workers = std::max(1, rounded(workers));
  m.threads_per_worker = sums.threads_per_worker;
  take_worker_shares(sums.worker_first, workers, m);
  const auto first = sums.worker_first.cpu.per(m.seconds);
  const auto rest = sums.worker_rest.cpu.per(m.seconds);
  m.workers_cpu = first ? std::optional(*first + rest.value_or(0)) : sums.workers_all.per(m.seconds);
  if (!first && m.workers_cpu) m.worker_cpu = *m.workers_cpu / workers;
  const auto first_delay = sums.worker_first.delay.per(m.seconds);
  const auto rest_delay = sums.worker_rest.delay.per(m.seconds);
  if (first && first_delay) {
    m.runnable_beside = rest.value_or(0) + rest_delay.value_or(0);
    m.runnable = *first + *first_delay + *m.runnable_beside;
  }
}

// `--data-nthreads 4`, `--workers=8`: the number behind an option of a command line.
std::optional<int> number_behind(const std::string& command, std::string_view option) {
  const std::size_t at = command.find(option);
  if (at == std::string::npos) return std::nullopt;
  std::size_t digit = at + option.size();
  if (digit >= command.size() || (command[digit] != ' ' && command[digit] != '=')) return std::nullopt;
  int number = 0;
  std::size_t digits = 0;
  for (++digit; digit < command.size() && command[digit] >= '0' && command[digit] <= '9' && digits < 5;
       ++digit, ++digits)
    number = number * 10 + (command[digit] - '0');
  return digits > 0 && number > 0 ? std::optional(number) : std::nullopt;
}

std::optional<int> threads_asked_for(const Snapshot& snapshot) {
  for (const ProcessSeen& process : snapshot.processes)
    for (const std::string_view option : {"--data-nthreads", "--preprocess-threads", "--preprocess_threads"})
      if (const auto number = number_behind(process.command, option)) return number;
  return std::nullopt;
}

// The name that tells whose the loader's threads are: TensorFlow's own threads bear one, those of tf.data
// their process's.
std::string telling_name(const std::vector<NamedGrowth>& groups, const NamedGrowth& busiest) {
  const auto tensorflow =
      std::ranges::find_if(groups, [](const NamedGrowth& group) { return group.name.starts_with("tf_"); });
  return tensorflow == groups.end() ? busiest.name : tensorflow->name;
}

void take_loader_threads(const Sums& sums, const Snapshot& last, Measures& m) {
  const NamedGrowth* busiest = nullptr;
  double cpu = 0, delay = 0;
  for (const NamedGrowth& group : sums.groups) {
    const double own = group.growth.cpu.per(m.seconds).value_or(0);
    if (own < kBusyThreads) continue;
    cpu += own;
    delay += group.growth.delay.per(m.seconds).value_or(0);
    if (!busiest || own > busiest->growth.cpu.per(m.seconds).value_or(0)) busiest = &group;
  }
  if (!busiest) return;
  const double steps = static_cast<double>(sums.steps);
  const double there = std::max(1.0, busiest->growth.count / steps);
  const ActivityCount& seen = busiest->growth.activity;
  // Of many alike threads only those that ever work are loaders: as many as it takes.
  const double at_work = cpu + delay + there * seen.share_of(seen.io + seen.network);
  const std::optional<int> asked = threads_asked_for(last);
  const double workers = std::min(there, asked ? *asked : std::max(1.0, std::ceil(at_work - 0.1)));
  m.kind = WorkerKind::threads;
  m.threads_named = telling_name(sums.groups, *busiest);
  m.mxnet = asked.has_value();
  m.workers = std::max(1, rounded(workers));
  m.threads_per_worker = 1;
  m.workers_cpu = std::min(cpu, static_cast<double>(m.workers));
  // What that many threads cannot use is an engine's: it grows with the rate, and needs no more of them.
  m.engine_cpu = cpu - *m.workers_cpu;
  m.worker_samples = seen.total();
  m.worker_cpu = *m.workers_cpu / m.workers;
  m.worker_delay = delay / m.workers;
  m.worker_io = share(there * seen.share_of(seen.io + seen.network) / m.workers);
  m.worker_idle = share(1 - *m.worker_cpu - *m.worker_delay - *m.worker_io);
  m.worker_other = 0;
  m.worker_stopped = seen.share_of(seen.stopped);
  m.runnable = cpu + delay;
  m.runnable_beside = 0;
}

void take_machine(const Trace& trace, const Window& window, const Sums& sums, Measures& m) {
  m.job_cpu = sums.job.per(m.seconds);
  Growth busy, idle, iowait, steal, watcher, cpu_waits, io_waits;
  for (std::size_t i = window.first + 1; i <= window.last; ++i) {
    const HostSeen& before = trace.snapshots[i - 1].host;
    const HostSeen& after = trace.snapshots[i].host;
    watcher.add(before.watcher_cpu_s, after.watcher_cpu_s);
    if (before.cpu_pressure && after.cpu_pressure)
      cpu_waits.add(before.cpu_pressure->some_s, after.cpu_pressure->some_s);
    if (before.io_pressure && after.io_pressure)
      io_waits.add(before.io_pressure->some_s, after.io_pressure->some_s);
    if (!before.cpu || !after.cpu) continue;
    busy.add(before.cpu->busy_s(), after.cpu->busy_s());
    idle.add(before.cpu->idle_s, after.cpu->idle_s);
    iowait.add(before.cpu->iowait_s, after.cpu->iowait_s);
    steal.add(before.cpu->steal_s, after.cpu->steal_s);
  }
  m.cpu_pressure = cpu_waits.per(m.seconds);
  m.io_pressure = io_waits.per(m.seconds);
  if (const auto used = busy.per(m.seconds)) {
    if (m.job_cpu) m.others_cpu = std::max(0.0, *used - *m.job_cpu - watcher.per(m.seconds).value_or(0));
    const double all = *busy.total() + *idle.total() + *iowait.total() + *steal.total();
    if (all > 0) m.steal = *steal.total() / all;
    if (m.online) m.free_cpu = std::max(0.0, *m.online - *used);
  }
}

void take_quotas(const Trace& trace, const Window& window, Measures& m) {
  for (Quota& quota : m.quotas) {
    Growth periods, throttled, seconds;
    for (std::size_t i = window.first + 1; i <= window.last; ++i)
      for (const CgroupLevel& before : trace.snapshots[i - 1].cgroups)
        for (const CgroupLevel& after : trace.snapshots[i].cgroups) {
          if (before.path != quota.path || after.path != quota.path || !after.quota_cpus) continue;
          if (before.periods && after.periods)
            periods.add(static_cast<double>(*before.periods), static_cast<double>(*after.periods));
          if (before.throttled_periods && after.throttled_periods)
            throttled.add(static_cast<double>(*before.throttled_periods),
                          static_cast<double>(*after.throttled_periods));
          seconds.add(before.throttled_s, after.throttled_s);
        }
    if (periods.total() && *periods.total() > 0 && throttled.total())
      quota.throttled_share = share(*throttled.total() / *periods.total());
    quota.throttled_cpus = seconds.per(m.seconds);
  }
}

}  // namespace

std::optional<double> Measures::allowed_with_quota() const {
  if (quotas.empty()) return allowed;
  return allowed ? std::min(*allowed, quotas.front().cpus) : quotas.front().cpus;
}

std::optional<double> Measures::stall() const {
  std::optional<double> waits = stall_counted;
  if (!waits && main_waits) waits = *main_waits + main_socket.value_or(0) + main_delay.value_or(0);
  if (!waits) return std::nullopt;
  if (!busy) return share(*waits);
  return share(*waits < idle() - unexplained_idle() ? *waits : idle());
}

double Measures::unexplained_idle() const {
  if (stall_counted || main_samples == 0) return 0;
  const double p = std::clamp(main_waits.value_or(0) + main_socket.value_or(0), 0.0, 1.0);
  return 2 * std::sqrt(p * (1 - p) / static_cast<double>(main_samples)) +
         std::min(kReceiving, main_cpu.value_or(0));
}

void measure_limits(const Trace& trace, std::size_t index, Measures& m) {
  const Snapshot& snapshot = trace.snapshots[index];
  if (snapshot.host.online_cpus) m.online = *snapshot.host.online_cpus;
  if (snapshot.host.cores && *snapshot.host.cores > 0) m.cores = *snapshot.host.cores;
  m.allowed = m.online;
  m.allowed_by = "online CPUs";
  const auto tighten = [&m](double cpus, std::string by) {
    if (m.allowed && cpus >= *m.allowed) return;
    m.allowed = cpus;
    m.allowed_by = std::move(by);
  };
  const Roles roles = roles_of(snapshot);
  // The workers' own: somebody may have pinned them.
  for (const std::size_t i : roles.workers.empty() ? roles.mains : roles.workers) {
    const Reading<int>& cpus = snapshot.processes[i].affinity_cpus;
    if (cpus && *cpus > 0) tighten(*cpus, "affinity");
  }
  for (const CgroupLevel& level : snapshot.cgroups) {
    if (level.cpuset_cpus && *level.cpuset_cpus > 0)
      tighten(*level.cpuset_cpus, fmt::format("the cpuset of cgroup {}", level.path));
    if (level.quota_cpus && *level.quota_cpus > 0)
      m.quotas.push_back({.path = level.path,
                          .version = level.version,
                          .cpus = *level.quota_cpus,
                          .throttled_share = std::nullopt,
                          .throttled_cpus = std::nullopt});
  }
  std::ranges::sort(m.quotas, {}, &Quota::cpus);
  m.mains = static_cast<int>(roles.mains.size());
  m.workers = static_cast<int>(roles.workers.size());
  if (m.workers > 0) m.kind = WorkerKind::processes;
}

Measures measure(const Trace& trace, const Window& window, const std::vector<const GpuCurve*>& curves) {
  Measures m;
  if (trace.snapshots.empty()) return m;
  measure_limits(trace, window.last, m);
  // A log's reading stands for the time before it; the first one's counts too, as in the table of GPUs.
  const bool log = trace.snapshots[window.last].processes.empty();
  m.busy = busy_share(curves, log ? window.from_s - 1e-3 : window.from_s, window.to_s);
  m.seconds = window.seconds();
  if (window.last <= window.first || !(m.seconds > 0)) return m;
  m.snapshots = window.last - window.first + 1;

  Sums sums;
  for (std::size_t i = window.first + 1; i <= window.last; ++i)
    sums.add(trace.snapshots[i - 1], trace.snapshots[i]);
  take_main(sums, m);
  if (sums.workers > 0)
    take_worker_processes(sums, m);
  else
    take_loader_threads(sums, trace.snapshots[window.last], m);
  take_machine(trace, window, sums, m);
  take_quotas(trace, window, m);
  take_loader_counters(trace, window, m);
  return m;
}

}  // namespace stoker::doctor
