// Traces made from stated shares, for tests: what a watcher would have seen of a training that behaves so.
#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "stoker/doctor.hpp"

namespace stoker::doctor::test {

// A PyTorch training with worker processes. Shares are 0..1 of time, CPUs are CPU seconds a second.
struct Made {
  int seconds = 30;
  int online = 2;
  int gpus = 1;
  double busy = 0.5;  // each GPU's utilisation / 100
  // The main thread: waiting for a batch, receiving it, on a CPU, waiting for one; the rest sleeps for the
  // GPU.
  double main_waits = 0.5, main_socket = 0, main_cpu = 0.02, main_delay = 0;
  // A worker's first thread; the rest of its time it is in a file.
  int workers = 2;
  double worker_cpu = 1, worker_delay = 0, worker_idle = 0, worker_stopped = 0;
  int more_threads = 1;                                 // in a worker, besides the first
  double more_threads_cpu = 0, more_threads_delay = 0;  // of all of them in one worker
  double others = 0;
  double read_chars = 0, read_bytes = 0, read_calls = 0;  // a second, of one worker
};

inline ThreadTally tally(char state, std::string call, double share, std::string target = {},
                         std::optional<std::int64_t> timeout_ms = std::nullopt) {
  ThreadTally t;
  t.state = state;
  t.call = std::move(call);
  t.target = std::move(target);
  t.timeout_ms = timeout_ms;
  t.count = static_cast<std::uint64_t>(std::lround(100 * share));
  return t;
}

inline ThreadsSeen threads(std::string name, bool main, int count, double cpu_s, double delay_s,
                           std::vector<ThreadTally> tallies) {
  ThreadsSeen seen;
  seen.name = std::move(name);
  seen.main = main;
  seen.count = count;
  seen.cpu_s = cpu_s;
  seen.run_delay_s = delay_s;
  seen.tallies = std::move(tallies);
  return seen;
}

inline ProcessSeen made_main(const Made& made, double t) {
  ProcessSeen main;
  main.pid = 100;
  main.parent = 1;
  main.start_ticks = 5;
  main.name = "python";
  main.command = "python train.py";
  main.user_s = made.main_cpu * t;
  main.system_s = 0.0;
  main.affinity_cpus = made.online;
  const double rest = 1 - made.main_waits - made.main_socket - made.main_cpu - made.main_delay;
  main.threads.push_back(threads(
      "python", true, 1, made.main_cpu * t, made.main_delay * t,
      {tally('S', "poll", made.main_waits, "pipe", 5000),
       tally('S', "recvmsg", made.main_socket, "unix_socket"),
       tally('R', "", made.main_cpu + made.main_delay), tally('S', "clock_nanosleep", std::max(0.0, rest))}));
  return main;
}

inline ProcessSeen made_worker(const Made& made, int number, double t) {
  ProcessSeen worker;
  worker.pid = 200 + number;
  worker.parent = 100;
  worker.start_ticks = 6;
  worker.name = "pt_data_worker";
  worker.command = "python train.py";
  worker.user_s = (made.worker_cpu + made.more_threads_cpu) * t;
  worker.system_s = 0.0;
  worker.affinity_cpus = made.online;
  const double file =
      std::max(0.0, 1 - made.worker_cpu - made.worker_delay - made.worker_idle - made.worker_stopped);
  worker.threads.push_back(
      threads("pt_data_worker", true, 1, made.worker_cpu * t, made.worker_delay * t,
              {tally('R', "", made.worker_cpu + made.worker_delay),
               tally('S', "poll", made.worker_idle, "pipe", 5000), tally('D', "pread64", file, "file"),
               tally('T', "", made.worker_stopped)}));
  if (made.more_threads > 0)
    worker.threads.push_back(threads("python", false, made.more_threads, made.more_threads_cpu * t,
                                     made.more_threads_delay * t, {}));
  ProcessIo io;
  io.read_chars = static_cast<std::uint64_t>(made.read_chars * t);
  io.read_bytes = static_cast<std::uint64_t>(made.read_bytes * t);
  io.read_calls = static_cast<std::uint64_t>(made.read_calls * t);
  worker.io = io;
  return worker;
}

inline Snapshot made_snapshot(const Made& made, int second) {
  Snapshot snapshot;
  const double t = second + 50;  // counters do not begin at 0
  snapshot.time_s = 1000 + second;
  snapshot.host.online_cpus = made.online;
  snapshot.host.watcher_cpu_s = 0.0;
  const double job = made.main_cpu + made.workers * (made.worker_cpu + made.more_threads_cpu);
  CpuTimes cpu;
  cpu.user_s = (job + made.others) * t;
  cpu.idle_s = std::max(0.0, made.online - job - made.others) * t;
  snapshot.host.cpu = cpu;
  for (int gpu = 0; gpu < made.gpus; ++gpu) {
    GpuSeen seen;
    seen.index = gpu;
    seen.name = "A100";
    seen.uuid = "GPU-" + std::to_string(gpu);
    seen.util_percent = 100 * made.busy;
    seen.sample_interval_s = 1.0 / 6;
    for (int i = 1; i <= 6; ++i)
      seen.samples.push_back({.time_s = snapshot.time_s - 1 + i / 6.0, .percent = 100 * made.busy});
    snapshot.gpus.push_back(seen);
  }
  snapshot.processes.push_back(made_main(made, t));
  for (int worker = 0; worker < made.workers; ++worker)
    snapshot.processes.push_back(made_worker(made, worker, t));
  return snapshot;
}

// `change` is applied to each snapshot; its second argument is the time that counters count.
inline Trace made_trace(const Made& made, const std::function<void(Snapshot&, double)>& change = {}) {
  Trace trace;
  trace.source = "made";
  trace.kind = "stoker";
  trace.pid = 100;
  for (int second = 0; second <= made.seconds; ++second) {
    trace.snapshots.push_back(made_snapshot(made, second));
    if (change) change(trace.snapshots.back(), second + 50);
  }
  return trace;
}

inline CgroupLevel quota_level(std::string path, double cpus, double throttled_share, double throttled_cpus,
                               double t) {
  CgroupLevel level;
  level.path = std::move(path);
  level.quota_cpus = cpus;
  level.periods = static_cast<std::uint64_t>(10 * t);
  level.throttled_periods = static_cast<std::uint64_t>(10 * throttled_share * t);
  level.throttled_s = throttled_cpus * t;
  return level;
}

// Logs of curves alone: one value a second on each GPU.
inline Trace made_log(const std::vector<std::vector<double>>& gpus, double step_s = 1) {
  Trace trace;
  trace.kind = "nvidia-smi csv";
  for (std::size_t i = 0; i < gpus.front().size(); ++i) {
    Snapshot& snapshot = trace.snapshots.emplace_back();
    snapshot.time_s = step_s * static_cast<double>(i);
    for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
      GpuSeen& seen = snapshot.gpus.emplace_back();
      seen.index = static_cast<int>(gpu);
      seen.util_percent = gpus[gpu][i];
    }
  }
  return trace;
}

}  // namespace stoker::doctor::test
