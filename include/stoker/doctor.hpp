// From what was seen to why the GPU waits: one verdict with its evidence, and fixes with what they would
// bring.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stoker/reading.hpp"
#include "stoker/watch.hpp"

namespace stoker {

// Why the GPU waits, or that it does not. Enumerators are spelled as on the command line.
enum class Verdict {
  healthy,          // the GPU is busy, and nothing but its curves is known
  gpu_bound,        // the GPU is busy, and the data waits for it
  gpu_unused,       // a GPU that nobody uses, or that is held and not used
  data_bound,       // the GPU waits for data; the cause is not visible from this evidence
  cpu_bound,        // all allowed CPUs are busy preparing data
  quota_throttled,  // a cgroup's CPU quota stops the workers
  noisy_neighbour,  // other processes take the CPUs
  oversubscribed,   // more runnable threads than CPUs
  narrow_affinity,  // CPUs that exist may not be used
  too_few_workers,  // workers are busy, CPUs are free
  io_bandwidth,     // storage delivers all it can
  io_latency,       // each read waits long, storage could do more
  io_wait,          // workers wait for storage, of which kind is not visible from outside
  main_thread,      // the training's own thread is what all wait for
  hang,             // nothing moves
  unknown,
};
std::string_view to_string(Verdict verdict);

struct Evidence {
  std::string what;  // "workers on a CPU"
  Reading<double> value;
  std::string unit;    // "%", "CPUs", "images/s", "MB/s", …
  std::string source;  // "/proc/PID/task/*/schedstat", "NVML samples"
};

// What a predicted gain is worth.
enum class GainLabel {
  estimate,  // measured against applied fixes (docs/doctor.md has the errors)
  up_to,     // an upper bound: the next limit behind this one is not known
  at_least,  // a lower bound
  unknown,
};
std::string_view to_string(GainLabel label);

struct Fix {
  std::string what;  // "more workers: 1 → 2"
  struct How {
    std::string tool;  // "PyTorch DataLoader", "DALI", "tf.data", "MXNet", "Stoker", "shell"
    std::string text;  // "DataLoader(num_workers=2)"
  };
  std::vector<How> how;
  Reading<double> predicted_gain;  // a share: 0.75 is 75 % more images/s
  Reading<double> predicted_images_per_s;
  GainLabel label = GainLabel::unknown;
};

// A GPU over the whole trace. Percent 0..100.
struct GpuSummary {
  int index = 0;
  std::string name;
  Reading<double> util_mean;
  Reading<double> below_10_share;  // 0..1, of the samples
  Reading<double> above_90_share;
  Reading<double> sm_active_mean;
  Reading<double> power_mean_w, power_limit_w;
  Reading<std::uint64_t> memory_used_bytes, memory_total_bytes;
  Reading<double> period_s;    // of an oscillation; unknown where there is none, or none that could be seen
  Reading<double> duty_share;  // 0..1, of a period the GPU is busy
  std::vector<std::string> users;      // "python (pid 4711)"
  Reading<double> power_since_load_w;  // mean, by the energy counter
};

// Rates over the watched window.
struct CpuSummary {
  Reading<double> allowed;  // CPUs that the training may use
  std::string limited_by;   // "affinity", "cgroup quota …", "online CPUs"
  Reading<double> online;
  Reading<double> training;  // CPUs that it uses, its workers too
  Reading<double> others;    // CPUs that all other processes use
  Reading<double> workers_on_cpu, workers_waiting_for_cpu, workers_in_io,
      workers_idle;  // shares 0..1 of a worker
  Reading<double> workers_stopped,
      workers_asleep;               // the rest: stopped, or asleep for neither work nor storage
  Reading<double> throttled_share;  // of quota periods
  Reading<int> workers;
  Reading<double> steal_share;
};

struct IoSummary {
  Reading<double> read_bytes_per_s;  // from devices
  Reading<double> read_chars_per_s;  // through read calls
  Reading<double> reads_per_s;
  Reading<double> limit_bytes_per_s;  // of the cgroup or device
  std::string limited_by;
  Reading<double> cache_hit_share;  // of the bytes read
  Reading<double> device_latency_ms;
  std::string device, mount, file;  // where workers wait most
};

struct Cost {
  double per_hour = 0;
  Reading<double> lost_per_hour;
  std::string currency = "USD";
  std::string prices_dated;  // empty: a price given by hand
};

struct Report {
  Verdict verdict = Verdict::unknown;
  std::string summary;    // one sentence
  double confidence = 0;  // 0..1: how far the evidence is from the next verdict, and how much of it there is
  std::vector<std::string> causes;  // what else is so: "power-capped", "PCIe link at x8 of x16", …
  Reading<double> stall_share;      // of wall time that the training waits for data
  Reading<double> images_per_s;
  bool images_per_s_about = false;  // estimated: from the bytes read, and the sizes of files that were met
  double seconds = 0;               // watched, warm-up left out
  std::vector<Evidence> evidence;
  std::vector<Fix> fixes;  // best first
  std::vector<GpuSummary> gpus;
  CpuSummary cpu;
  IoSummary io;
  std::optional<Cost> cost;
  std::vector<NotSeen> unknown;
};

struct DiagnoseOptions {
  std::optional<double> batch_size;    // with a period seen, gives images/s where no counter does
  std::optional<double> images_per_s;  // what the training itself says
  std::optional<double> price_per_hour;
  std::string currency = "USD";
  std::string prices_dated;
};

// The verdict of a trace. A pure function: no clock, no files.
Report diagnose(const Trace& trace, const DiagnoseOptions& options = {});

// `gpu>=80`, `stall<0.1`, several joined by `,`: conditions on a report. gpu and gpu_min are the mean and the
// lowest utilisation of the GPUs that are used (of all where none is), percent; stall a share 0..1; cpu the
// training's share of the CPUs that it may use, percent; further images_per_s, confidence, unused (GPUs),
// throttled (a share), sm_active, and verdict==NAME.
struct Check {
  std::string text;
  bool met = false;
  std::string found;  // "gpu is 37"
};
// Errors: invalid_argument (names what is allowed). An unknown quantity does not meet a condition.
std::vector<Check> check_report(std::string_view conditions, const Report& report);

}  // namespace stoker
