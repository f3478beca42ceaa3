// What the rules and formulas need, measured over a window: shares of time, and CPUs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stoker/doctor.hpp"

#include "doctor/activity.hpp"
#include "doctor/gpu_curve.hpp"
#include "doctor/window.hpp"

namespace stoker::doctor {

enum class WorkerKind {
  none,       // the main thread loads its own data
  processes,  // PyTorch's workers and their like
  threads,    // of the main process: DALI, tf.data, MXNet
  stoker,     // Stoker's loader, by its own counters
};

// A cgroup's CPU quota over the window.
struct Quota {
  std::string path;
  int version = 2;
  double cpus = 0;
  std::optional<double> throttled_share;  // of periods, 0..1
  std::optional<double> throttled_cpus;   // throttled seconds a second
};

// Absent: not seen. Shares are 0..1 of time, or of the samples of a thread; CPUs are CPU seconds a second.
struct Measures {
  double seconds = 0;
  std::size_t snapshots = 0;
  std::uint64_t main_samples = 0, worker_samples = 0;

  std::optional<double> busy;  // b: the mean of the training's GPUs

  // One main thread.
  int mains = 0;
  std::optional<double> main_waits;     // p: for a batch
  std::optional<double> main_socket;    // k: receiving a batch
  std::optional<double> main_delay;     // mrq: ready, without a CPU
  std::optional<double> main_cpu;       // mcpu
  std::optional<double> main_io;        // in files of its own, or at sockets
  std::optional<double> main_network;   // of that, at sockets
  bool waits_guessed = false;           // the calls it sleeps in could not be read
  std::optional<double> stall_counted;  // by Stoker's own loader

  // Workers.
  WorkerKind kind = WorkerKind::none;
  std::string threads_named;  // what the loader's threads are called
  bool mxnet = false;         // by its command line
  int workers = 0;
  int threads_per_worker = 0;
  std::optional<double> workers_cpu;   // e: all threads of all workers
  std::optional<double> worker_cpu;    // cwm: the first thread of one
  std::optional<double> worker_delay;  // rq: likewise
  std::optional<double> worker_idle;   // idle_w: with nothing to do, or with its batch not yet taken
  std::optional<double> worker_other;  // asleep for something that is neither work nor storage
  std::optional<double> worker_io;     // z
  std::optional<double> worker_stopped;
  double engine_cpu = 0;                  // other threads of the main process, alike by name
  std::optional<double> runnable;         // threads of all workers that run or want to
  std::optional<double> runnable_beside;  // of them, not a worker's first thread

  // The machine.
  std::optional<double> job_cpu;     // all processes of the training
  std::optional<double> others_cpu;  // everybody else, this program apart
  std::optional<double> online;
  std::optional<double> cores;    // physical ones
  std::optional<double> allowed;  // C: by affinity and cpusets; a quota apart
  std::string allowed_by;
  std::optional<double> free_cpu;
  std::optional<double> cpu_pressure, io_pressure;  // shares of time that some task waited
  std::optional<double> steal;                      // share of all CPU time
  std::vector<Quota> quotas;                        // every level that has one, the tightest first

  // CPUs that the training may use, quotas too.
  std::optional<double> allowed_with_quota() const;
  double idle() const { return 1 - busy.value_or(0); }
  // s = min(p + k + mrq, idle); idle too where the samples do not tell the two apart: it is measured, they
  // are counted. Absent where neither was seen.
  std::optional<double> stall() const;
  // Idle time that the main thread's samples may miss: two standard errors of them, and what it computes to
  // take a batch.
  double unexplained_idle() const;
  // Of the main threads, and of others that work for each batch and do not load.
  double main_cpus() const { return main_cpu.value_or(0) * std::max(1, mains) + engine_cpu; }
};

Measures measure(const Trace& trace, const Window& window, const std::vector<const GpuCurve*>& curves);

// What is certain without two snapshots: limits, numbers of workers.
void measure_limits(const Trace& trace, std::size_t snapshot, Measures& measures);

}  // namespace stoker::doctor
