#include "doctor/io.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <vector>

#include "doctor/rates.hpp"
#include "doctor/roles.hpp"

namespace stoker::doctor {

namespace {

constexpr double kAtLimit = 0.8;      // of a limit in bytes or operations
constexpr double kFromDevices = 0.1;  // of the bytes read: below it they come from no block device
constexpr double kDeviceFull = 0.9;   // of time
constexpr double kQuickRead_ms = 5;   // a device that answers sooner is not at its limit
constexpr std::size_t kFewestSizes = 3;
constexpr double kFarBelow = 30;                      // times smaller than the median: no image of the set
constexpr double kHeldTimes = 8;                      // the median's: held open, and not read in passing
constexpr std::uint64_t kLargestImage = 64ULL << 20;  // a larger file holds many images

struct Sums {
  Growth chars, calls, bytes;
};

// Of the workers; of the main processes where there are none.
Sums sum_reads(const Trace& trace, const Window& window) {
  Sums sums;
  for (std::size_t i = window.first + 1; i <= window.last; ++i) {
    const Snapshot& after = trace.snapshots[i];
    const Roles roles = roles_of(after);
    for (const std::size_t index : roles.workers.empty() ? roles.mains : roles.workers) {
      const ProcessSeen& process = after.processes[index];
      if (!process.io) continue;
      for (const ProcessSeen& before : trace.snapshots[i - 1].processes) {
        if (before.pid != process.pid || before.start_ticks != process.start_ticks || !before.io) continue;
        sums.chars.add(static_cast<double>(before.io->read_chars),
                       static_cast<double>(process.io->read_chars));
        sums.calls.add(static_cast<double>(before.io->read_calls),
                       static_cast<double>(process.io->read_calls));
        sums.bytes.add(static_cast<double>(before.io->read_bytes),
                       static_cast<double>(process.io->read_bytes));
      }
    }
  }
  return sums;
}

struct FileStatistics {
  std::map<std::string, std::uint64_t> files, mounts;  // path → times met
  std::map<std::string, std::uint64_t> sizes;          // of one image each, as far as can be told
};

FileStatistics files_met(const Trace& trace, const Window& window) {
  FileStatistics met;
  for (std::size_t i = window.first; i <= window.last && i < trace.snapshots.size(); ++i)
    for (const ProcessSeen& process : trace.snapshots[i].processes)
      for (const FileSeen& file : process.files) {
        met.files[file.path] += file.count;
        if (!file.mount.empty()) met.mounts[file.mount] += file.count;
        if (file.size_bytes > 0 && file.size_bytes <= kLargestImage) met.sizes[file.path] = file.size_bytes;
      }
  return met;
}

std::string ending_of(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos || path.find('/', dot) != std::string::npos ? "" : path.substr(dot);
}

struct SizeMet {
  double bytes = 0, times = 0;
};

double median(std::vector<SizeMet>& sizes, double SizeMet::* member) {
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::ranges::nth_element(sizes, middle, {}, member);
  return (*middle).*member;
}

// The mean size of the files that are read. Large ones are under a read, or being decoded, for longer, and so
// are met more often, as their size goes: each meeting is weighted by 1 / size. What is no image would weigh
// most then, a small list above all: the commonest ending alone counts, and neither what is far below the
// usual size nor what is held open all the time.
std::optional<double> mean_file_size(const FileStatistics& met) {
  std::map<std::string, std::vector<SizeMet>> by_ending;
  for (const auto& [path, size] : met.sizes)
    by_ending[ending_of(path)].push_back(
        {.bytes = static_cast<double>(size), .times = static_cast<double>(met.files.at(path))});
  if (by_ending.empty()) return std::nullopt;
  std::vector<SizeMet>& sizes =
      std::ranges::max_element(by_ending, {}, [](const auto& entry) { return entry.second.size(); })->second;
  if (sizes.size() < kFewestSizes) return std::nullopt;
  const double least = median(sizes, &SizeMet::bytes) / kFarBelow;
  const double most_times = kHeldTimes + kHeldTimes * median(sizes, &SizeMet::times);
  double times = 0, inverse = 0;
  for (const SizeMet& size : sizes) {
    if (size.bytes < least || size.times > most_times) continue;
    times += size.times;
    inverse += size.times / size.bytes;
  }
  return times / inverse;
}

std::string most_frequent(const std::map<std::string, std::uint64_t>& counts) {
  const auto most = std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
  return most == counts.end() ? std::string() : most->first;
}

const MountSeen* mount_named(const Trace& trace, const Window& window, const std::string& path) {
  for (std::size_t i = window.last + 1; i-- > window.first;)
    for (const MountSeen& mount : trace.snapshots[i].mounts)
      if (mount.path == path) return &mount;
  return nullptr;
}

struct DeviceRates {
  const DeviceSeen* device = nullptr;
  Growth reads, bytes, time, busy;
};

// The mount's device, else the one that is read most.
DeviceRates busiest_device(const Trace& trace, const Window& window, const std::string& number) {
  DeviceRates best;
  for (const DeviceSeen& device : trace.snapshots[window.last].devices) {
    DeviceRates rates{.device = &device, .reads = {}, .bytes = {}, .time = {}, .busy = {}};
    for (std::size_t i = window.first + 1; i <= window.last; ++i)
      for (const DeviceSeen& before : trace.snapshots[i - 1].devices)
        for (const DeviceSeen& after : trace.snapshots[i].devices) {
          if (before.number != device.number || after.number != device.number) continue;
          rates.reads.add(static_cast<double>(before.reads), static_cast<double>(after.reads));
          rates.bytes.add(static_cast<double>(before.read_bytes), static_cast<double>(after.read_bytes));
          rates.time.add(before.read_time_s, after.read_time_s);
          rates.busy.add(before.busy_s, after.busy_s);
        }
    if (device.number == number) return rates;
    if (!best.device || rates.bytes.total().value_or(0) > best.bytes.total().value_or(0)) best = rates;
  }
  return best;
}

void take_device(const DeviceRates& rates, double seconds, IoMeasures& io) {
  if (!rates.device) return;
  io.summary.device = rates.device->name.empty() ? rates.device->number : rates.device->name;
  io.rotational = rates.device->rotational;
  if (const auto busy = rates.busy.per(seconds)) io.device_busy = share(*busy);
  if (rates.reads.total() && *rates.reads.total() >= 1 && rates.time.total())
    io.summary.device_latency_ms = *rates.time.total() / *rates.reads.total() * 1e3;
}

// Of the device itself, or of the disk that it is a partition of.
bool limits(const IoLimit& limit, const DeviceSeen& device, const Snapshot& snapshot) {
  if (limit.device == device.number) return true;
  return std::ranges::any_of(snapshot.devices, [&](const DeviceSeen& disk) {
    return disk.number == limit.device && !disk.name.empty() && device.name.starts_with(disk.name);
  });
}

// The tightest limit of any level on the device that is read.
void take_limits(const Trace& trace, const Window& window, const DeviceRates& rates, const Sums& sums,
                 IoMeasures& io) {
  const double seconds = window.seconds();
  for (const CgroupLevel& level : trace.snapshots[window.last].cgroups)
    for (const IoLimit& limit : level.io_limits) {
      if (!rates.device || !limits(limit, *rates.device, trace.snapshots[window.last])) continue;
      const auto consider = [&](std::optional<double> allowed, std::optional<double> used, bool bytes) {
        if (!allowed || *allowed <= 0 || !used) return;
        const double part = *used / *allowed;
        if (io.limit_used && part <= *io.limit_used) return;
        io.limit_used = part;
        io.limit_level = level.path;
        io.limit_device = limit.device;
        io.limit_version = level.version;
        io.limit_of_bytes = bytes;
        io.summary.limited_by =
            fmt::format("{} of cgroup {}", bytes ? "bytes a second" : "reads a second", level.path);
        if (bytes) io.summary.limit_bytes_per_s = *allowed;
      };
      consider(limit.read_bytes_per_s, sums.bytes.per(seconds), true);
      consider(limit.read_ops_per_s, rates.reads.per(seconds), false);
    }
  io.limit_reached = io.limit_used.value_or(0) > kAtLimit;
  if (!io.limit_used) io.summary.limit_bytes_per_s = Reading<double>::unknown("no cgroup limits this device");
}

// True where more readers got so much more that storage could deliver more; empty where no probe tells.
// Readers that wait each for themselves get k times as much together; of a store that is full they get a
// share, beside the training's workers, of k / (k + workers). The line lies half-way between the two.
std::optional<bool> could_deliver_more(const std::optional<ProbeSeen>& probe, int workers) {
  if (!probe || probe->storage.size() < 2) return std::nullopt;
  const auto [fewest, most] = std::ranges::minmax_element(probe->storage, {}, &ProbeSeen::Readers::readers);
  if (fewest->readers == most->readers || fewest->bytes_per_s <= 0) return std::nullopt;
  const double few = fewest->readers, many = most->readers, beside = std::max(0, workers);
  return most->bytes_per_s / fewest->bytes_per_s > many / few * std::sqrt((few + beside) / (many + beside));
}

}  // namespace

IoMeasures measure_io(const Trace& trace, const Window& window) {
  IoMeasures io;
  if (trace.snapshots.empty()) return io;
  const FileStatistics met = files_met(trace, window);
  io.summary.file = most_frequent(met.files);
  io.summary.mount = most_frequent(met.mounts);
  io.mean_file_bytes = mean_file_size(met);
  // A probe reads of the same files, each once: what is met more often is among them more often too.
  if (!io.mean_file_bytes && trace.probe) io.mean_file_bytes = trace.probe->mean_file_bytes;
  const MountSeen* mount = mount_named(trace, window, io.summary.mount);
  if (mount) {
    io.mount_type = mount->type;
    io.network = mount->network || mount->type.starts_with("fuse");
  }
  const double seconds = window.seconds();
  const Sums sums = sum_reads(trace, window);
  const char* why = "the I/O counters of these processes were not read";
  io.summary.read_chars_per_s = reading(sums.chars.per(seconds), why);
  io.summary.read_bytes_per_s = reading(sums.bytes.per(seconds), why);
  io.summary.reads_per_s = reading(sums.calls.per(seconds), why);
  io.summary.cache_hit_share = Reading<double>::unknown(why);
  if (io.network)
    io.summary.cache_hit_share = Reading<double>::unknown("block devices show nothing of this file system");
  else if (sums.chars.total() && *sums.chars.total() > 0)
    io.summary.cache_hit_share = share(1 - sums.bytes.total().value_or(0) / *sums.chars.total());
  const bool from_devices =
      sums.bytes.total() && sums.chars.total() && *sums.bytes.total() > kFromDevices * *sums.chars.total();
  if (!mount && sums.chars.total() && !from_devices) io.network = true;

  const DeviceRates rates = busiest_device(trace, window, mount ? mount->device : std::string());
  if (from_devices || !io.network) take_device(rates, seconds, io);
  if (from_devices) take_limits(trace, window, rates, sums, io);
  Growth refaults;
  for (std::size_t i = window.first + 1; i <= window.last; ++i)
    for (const CgroupLevel& before : trace.snapshots[i - 1].cgroups)
      for (const CgroupLevel& after : trace.snapshots[i].cgroups)
        if (before.path == after.path && before.refaults && after.refaults)
          refaults.add(static_cast<double>(*before.refaults), static_cast<double>(*after.refaults));
  io.refaults_per_s = refaults.per(seconds);
  return io;
}

Verdict kind_of_wait(const IoMeasures& io, const std::optional<ProbeSeen>& probe, int workers) {
  if (io.limit_reached) return Verdict::io_bandwidth;
  if (const auto more = could_deliver_more(probe, workers))
    return *more ? Verdict::io_latency : Verdict::io_bandwidth;
  if (io.network) return Verdict::io_wait;
  if (io.limit_used) return Verdict::io_latency;
  if (!io.device_busy) return Verdict::io_wait;
  // Without a limit that is known: a disk that seeks all the time is full, an SSD that answers at once is
  // not.
  if (io.rotational.value_or(false))
    return *io.device_busy > kDeviceFull ? Verdict::io_bandwidth : Verdict::io_latency;
  if (io.summary.device_latency_ms && *io.summary.device_latency_ms < kQuickRead_ms)
    return Verdict::io_latency;
  return *io.device_busy > kDeviceFull ? Verdict::io_bandwidth : Verdict::io_wait;
}

}  // namespace stoker::doctor
