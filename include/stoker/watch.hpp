// What can be seen of a machine and of a training on it, from outside: snapshots, and the traces that they
// make. A Trace comes from a live machine (Watcher) or from a file (read_trace), and nothing downstream can
// tell which.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stoker/reading.hpp"

namespace stoker {

// ---- GPUs -------------------------------------------------------------------------------------------------

// One of the driver's buffered utilisation samples. Units: seconds on the clock of Snapshot::time_s, when the
// sample's period ended; percent 0..100.
struct GpuSample {
  double time_s = 0;
  double percent = 0;
  bool operator==(const GpuSample&) const = default;
};

// A process that a GPU's driver lists. `pid` is the driver's word: in a container it may be the host's
// number, or one that does not exist here (`here` is false then).
struct GpuProcess {
  std::int64_t pid = 0;
  bool here = true;
  std::string kind;  // compute, graphics, mps; open: holds the device file where the driver lists nobody here
  std::string name;
  Reading<std::uint64_t> memory_bytes;
  Reading<double> sm_percent;  // of the time since the last snapshot; garbage above 100 is left out
  bool operator==(const GpuProcess&) const = default;
};

// Why the driver runs a GPU's clocks lower than it could. Source: nvml.h, nvmlClocksEventReason*.
enum GpuSlowReason : std::uint64_t {
  kSlowIdle = 0x1,
  kSlowApplicationClocks = 0x2,
  kSlowPowerCap = 0x4,
  kSlowHardware = 0x8,
  kSlowSyncBoost = 0x10,
  kSlowThermal = 0x20,
  kSlowHardwareThermal = 0x40,
  kSlowPowerBrake = 0x80,
};

struct GpuSeen {
  int index = 0;       // the driver's (PCI) order, which CUDA's may differ from
  std::string vendor;  // nvidia, amd, intel; empty in logs that do not tell
  std::string name;
  std::string uuid;
  std::string mig_parent;  // a MIG instance's GPU by UUID; such a one has no utilisation, only SM activity
  Reading<double> util_percent;       // the driver's last period (1/6 to 1 s): time with at least one kernel
  std::vector<GpuSample> samples;     // since the last snapshot, in order of time
  Reading<double> sample_interval_s;  // of `samples`
  Reading<double> memory_util_percent;
  Reading<double> sm_active_percent;      // GPM or DCGM: cycles with at least one warp, averaged over SMs
  Reading<double> engine_active_percent;  // GPM or DCGM: the graphics or compute engine is active
  Reading<double> jpeg_percent;           // the JPEG engine
  Reading<std::uint64_t> memory_used_bytes, memory_total_bytes;
  Reading<double> power_w, power_limit_w;
  Reading<double> energy_j;  // since the driver was loaded
  Reading<double> sm_clock_mhz, sm_clock_max_mhz;
  Reading<double> temperature_c;
  Reading<std::uint64_t> slow_reasons;  // GpuSlowReason bits
  Reading<int> pcie_generation, pcie_generation_max, pcie_width, pcie_width_max;
  Reading<double> pcie_rx_bytes_per_s, pcie_tx_bytes_per_s;
  Reading<std::vector<GpuProcess>> processes;
  bool operator==(const GpuSeen&) const = default;
};

// ---- The machine ------------------------------------------------------------------------------------------

// Units: seconds since boot, summed over the CPUs that it stands for.
struct CpuTimes {
  double user_s = 0, system_s = 0, idle_s = 0, iowait_s = 0, steal_s = 0;  // nice is user, irqs are system
  double busy_s() const { return user_s + system_s; }
  bool operator==(const CpuTimes&) const = default;
};

// Time that some or all tasks stood still for want of a resource. Units: seconds since boot.
struct Pressure {
  double some_s = 0, full_s = 0;
  bool operator==(const Pressure&) const = default;
};

struct HostSeen {
  Reading<double> uptime_s;
  Reading<int> online_cpus;
  Reading<int> cores;  // physical, where hyper-threads share them
  Reading<CpuTimes> cpu;
  std::vector<CpuTimes> per_cpu;
  Reading<double> cpu_percent;  // logs that hold no counters: busy, of all CPUs together
  Reading<Pressure> cpu_pressure, io_pressure, memory_pressure;
  Reading<std::uint64_t> memory_total_bytes, memory_available_bytes;
  Reading<double> watcher_cpu_s;  // this program's own CPU time, which is nobody's neighbour
  bool operator==(const HostSeen&) const = default;
};

// One device's throttle in a cgroup. Absent values are no limit.
struct IoLimit {
  std::string device;  // "254:0"
  std::optional<double> read_bytes_per_s, read_ops_per_s;
  bool operator==(const IoLimit&) const = default;
};

// One level of the watched process's cgroups, itself or an ancestor. What a level does not limit is absent.
struct CgroupLevel {
  std::string path;  // the folder it was read from
  int version = 2;
  std::optional<double> quota_cpus;
  std::optional<std::uint64_t> periods, throttled_periods;
  std::optional<double> throttled_s;  // summed over the CPUs
  std::optional<int> cpuset_cpus;
  std::optional<std::uint64_t> memory_limit_bytes, memory_used_bytes, refaults;
  std::vector<IoLimit> io_limits;
  std::optional<Pressure> cpu_pressure, io_pressure;
  bool operator==(const CgroupLevel&) const = default;
};

// Units: since boot. Source: kernel Documentation/admin-guide/iostats.rst.
struct DeviceSeen {
  std::string number;  // "254:0"
  std::string name;
  std::uint64_t reads = 0, read_bytes = 0, writes = 0, written_bytes = 0;
  double read_time_s = 0;  // summed over requests: / reads is the mean latency
  double busy_s = 0;       // some request was under way; says little on devices that serve many at once
  double weighted_s = 0;   // / time is the mean number of requests under way
  std::optional<bool> rotational;
  bool operator==(const DeviceSeen&) const = default;
};

struct NetworkSeen {
  std::string name;
  std::uint64_t received_bytes = 0, sent_bytes = 0;
  Reading<double> speed_bytes_per_s;
  bool operator==(const NetworkSeen&) const = default;
};

// A mount that somebody reads from: of network and FUSE file systems the block devices show nothing.
struct MountSeen {
  std::string path, source, type;
  std::string device;  // "254:0" (a partition's disk), "0:47"
  bool network = false;
  Reading<std::uint64_t> read_bytes, reads;  // NFS: from mountstats
  Reading<double> read_time_s;               // NFS: summed over requests
  bool operator==(const MountSeen&) const = default;
};

// ---- The training -----------------------------------------------------------------------------------------

// How often sampled threads were met in one state since the last snapshot. `call`, `wait` and `target` are
// read for sleeping threads only; a call that the kernel does not let us see is empty.
struct ThreadTally {
  char state = '?';  // R running or ready, S sleeping, D uninterruptible, T stopped, t traced, Z gone
  std::string call;  // the system call, "poll", "futex", "pread64"; "running" where it was left meanwhile,
                     // "page_fault" outside of any, "other"
  std::optional<std::int64_t> timeout_ms;  // of poll and its kind; -1: for ever
  std::string wait;                        // the kernel function it sleeps in (wchan)
  std::string target;  // what a read or poll is on: "file", "pipe", "socket", "unix_socket", "eventfd", …
  std::uint64_t count = 0;
  bool operator==(const ThreadTally&) const = default;
};

// Threads of one process that bear one name. The process's first thread stands alone (`main`). Counters:
// since the threads began, those that ended since they were seen with them, so that none falls. Of a process
// with very many threads some are sampled, at random.
struct ThreadsSeen {
  std::string name;
  bool main = false;
  int count = 0;
  Reading<double> cpu_s;
  Reading<double> run_delay_s;  // ready, and waiting for a CPU
  std::vector<ThreadTally> tallies;
  bool operator==(const ThreadsSeen&) const = default;
};

// Source: man 5 proc, /proc/PID/io.
struct ProcessIo {
  std::uint64_t read_chars = 0;  // through read calls, from the page cache, pipes and sockets too
  std::uint64_t read_calls = 0;
  std::uint64_t read_bytes = 0;  // from block devices
  std::uint64_t written_chars = 0, written_bytes = 0;
  bool operator==(const ProcessIo&) const = default;
};

// A file that a process was met reading, waiting to open, or holding open for reading since the last
// snapshot. A few are kept.
struct FileSeen {
  std::string path;
  std::string mount;
  std::uint64_t size_bytes = 0;  // 0: not known, or empty
  std::uint64_t count = 0;
  bool operator==(const FileSeen&) const = default;
};

struct ProcessSeen {
  std::int64_t pid = 0, parent = 0;
  std::uint64_t start_ticks = 0;  // with pid, tells a process from one that reuses its number
  std::string name;               // of the main thread: "python", "pt_data_worker"
  std::string command;            // the command line, cut to 256 bytes
  std::string user;
  Reading<double> user_s, system_s;  // of all threads, ended ones too
  Reading<double> block_io_delay_s;  // unknown unless delay accounting is on
  std::vector<ThreadsSeen> threads;
  Reading<ProcessIo> io;
  std::vector<FileSeen> files;
  Reading<int> affinity_cpus;
  Reading<std::string> cuda_visible_devices;  // as the process began; empty where it is not set
  Reading<std::uint64_t> resident_bytes;
  bool operator==(const ProcessSeen&) const = default;
};

struct LoaderStage {
  std::string name;
  std::uint64_t items = 0, bytes = 0, queue_depth = 0;
  double busy_s = 0, blocked_on_input_s = 0, blocked_on_output_s = 0;
  bool operator==(const LoaderStage&) const = default;
};

// Stoker's own loader in one of the watched processes, by its counter file.
struct LoaderSeen {
  std::int64_t pid = 0;
  int threads = 0;
  std::uint64_t images = 0, batches = 0, bad_samples = 0;
  std::vector<LoaderStage> stages;
  bool operator==(const LoaderSeen&) const = default;
};

// What was asked for and could not be read, whole probes above all.
struct NotSeen {
  std::string what;  // "GPUs", "I/O of the workers"
  std::string why;
  bool operator==(const NotSeen&) const = default;
};

// Everything seen at one instant. Counters only grow: two snapshots make a rate.
struct Snapshot {
  double time_s = 0;  // monotonic; the samples of GPUs are on the same clock
  double wall_s = 0;  // since 1970; 0 in logs without a date
  std::vector<GpuSeen> gpus;
  HostSeen host;
  std::vector<CgroupLevel> cgroups;    // of the watched process, its own first
  std::vector<ProcessSeen> processes;  // the watched one first, then its descendants
  std::vector<DeviceSeen> devices;
  std::vector<NetworkSeen> networks;
  std::vector<MountSeen> mounts;
  std::vector<LoaderSeen> loaders;
  std::vector<NotSeen> not_seen;
  bool operator==(const Snapshot&) const = default;
};

// What an active probe measured (`doctor --probe`): the only part of a trace that costs the training
// anything.
struct ProbeSeen {
  struct Readers {
    int readers = 0;
    double bytes_per_s = 0, reads_per_s = 0;
    bool operator==(const Readers&) const = default;
  };
  std::vector<Readers> storage;  // whole files of the data set, with 1 and more readers
  std::optional<double> mean_file_bytes;
  std::optional<double> decode_ms;  // CPU time of one image: decoded whole, a random crop resized to 224
  std::optional<double> decode_small_ms;     // the same image at a short side of 256
  std::optional<double> stoker_ms;           // the same crop by Stoker's loader
  std::optional<double> second_thread_gain;  // rate of two hyper-threads of one core over that of one
  bool operator==(const ProbeSeen&) const = default;
};

struct Trace {
  std::string source;    // "live", or the file
  std::string kind;      // "stoker", "nvidia-smi csv", "dmon", …
  std::int64_t pid = 0;  // the watched process; 0: none
  std::vector<Snapshot> snapshots;
  std::optional<ProbeSeen> probe;
  std::uint64_t unreadable_values = 0;  // "[N/A]" and its kind: left out and counted
  std::vector<NotSeen> not_seen;        // what this kind of trace cannot tell, lines that were left out
  bool operator==(const Trace&) const = default;
};

// ---- Watching ---------------------------------------------------------------------------------------------

struct WatchOptions {
  std::int64_t pid = 0;                             // 0: the machine alone
  std::chrono::milliseconds interval{1000};         // between snapshots
  std::chrono::milliseconds main_thread_every{50};  // with ± 60 % of jitter, so that nothing aliases
  std::chrono::milliseconds workers_every{200};
  bool threads = true;  // sample thread states; false: counters alone
  // Where the kernel and the driver are read; other folders in tests.
  std::string proc_root = "/proc";
  std::string sys_root = "/sys";
  std::string cgroup_root = "/sys/fs/cgroup";
  std::string nvml_library;  // empty: libnvidia-ml.so.1, as the loader finds it
};

// Reads one snapshot after the other. Never writes to, stops or traces what it watches; needs no root.
// Threads: one.
class Watcher {
 public:
  // Errors: not_found (no such process).
  explicit Watcher(WatchOptions options);
  ~Watcher();
  Watcher(Watcher&&) noexcept;
  Watcher& operator=(Watcher&&) noexcept;

  // What is known at once, without waiting: counters since boot and since the processes began.
  Snapshot first();
  // Samples threads for one interval, then reads everything. A process that ended is absent.
  Snapshot next();
  bool watched_process_lives() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// The process that a look at this machine is most likely about: the one that holds most of a GPU, else one
// with data workers, else the busiest; empty where nothing computes.
struct TrainingProcess {
  std::int64_t pid = 0;
  std::string command;
  std::string why;  // "holds GPU 0"
};
std::optional<TrainingProcess> find_training(const WatchOptions& options);

// What to watch where somebody names WatchOptions::pid: a data worker's training, a thread's process; `why`
// says so ("4712 is a data worker of 4711") and is empty where it is the process itself, or not there.
TrainingProcess training_of(const WatchOptions& options);

// ---- Traces -----------------------------------------------------------------------------------------------

// Reads Stoker's own traces and every log of GPUs it knows, told by content: nvidia-smi CSV (and tables of
// scripts like it), dmon, nvidia-smi tables, gpustat, DCGM text and CSV, W&B events, tegrastats; UTF-8 and
// UTF-16. A last line that was cut is left out and said in not_seen, as are lines that are no row, gaps and
// clocks that go back. Without time stamps a period is assumed: not_seen has "time" then. Of a log of more
// than 32,768 readings of GPUs one look in 2, 4, … is kept, and said.
// Errors: not_found, io, corrupt_data, invalid_argument (a folder), out_of_resources (more than 64 MiB),
// unsupported (a kind that is known and not read, or not known).
Trace read_trace(const std::string& path);

// One JSON object a line: a head, then the snapshots, each flushed whole; what did not fit is taken back.
// Errors: io, not_found, out_of_resources (a full disk), invalid_argument (the file exists and is not empty).
class TraceWriter {
 public:
  TraceWriter(const std::string& path, std::int64_t pid);
  ~TraceWriter();
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;
  void append(const Snapshot& snapshot);
  void append(const ProbeSeen& probe);

 private:
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace stoker
