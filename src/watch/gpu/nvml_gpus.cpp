#include "watch/gpu/nvml_gpus.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace stoker::watch::nvml {

namespace {

constexpr unsigned kMostGpus = 256;
constexpr unsigned kMostProcesses = 65536;
constexpr int kTries = 3;  // a list may grow between being measured and being read
constexpr double kSlowCall = 0.002;
constexpr double kProcessWindow = 1;  // seconds: a shorter one says nothing

// One number of the driver's, times `scale`; ~0 is its word for "not available".
template <class T, class Number>
Reading<T> answer(const Library& library, Status status, Number value, double scale) {
  if (status != kSuccess) return Reading<T>::unknown(library.why(status));
  if (value == std::numeric_limits<Number>::max())
    return Reading<T>::unknown("the driver says: not available");
  return static_cast<T>(static_cast<double>(value) * scale);
}
template <class T, class Number>
Reading<T> ask(const Library& library, const Function<Device, Number*>& function, Device device,
               double scale = 1) {
  Number value{};
  const Status status = function(device, &value);
  return answer<T>(library, status, value, scale);
}
Reading<double> ask(const Library& library, const Function<Device, int, unsigned*>& function, Device device,
                    int what, double scale = 1) {
  unsigned value = 0;
  const Status status = function(device, what, &value);
  return answer<double>(library, status, value, scale);
}

// All of a list whose length the library tells where the room is too small.
template <class Item, class Call>
tl::expected<std::vector<Item>, Status> list(const Call& call) {
  std::vector<Item> items(64);
  for (int i = 0; i < kTries; ++i) {
    auto count = static_cast<unsigned>(items.size());
    const Status status = call(&count, items.data());
    if (status == kSuccess) {
      items.resize(std::min<std::size_t>(count, items.size()));
      return items;
    }
    if (status != kInsufficientSize || count > kMostProcesses) return tl::unexpected(status);
    items.resize(std::max<std::size_t>(2 * items.size(), count + count / 2));
  }
  return tl::unexpected(Status{kInsufficientSize});
}

tl::expected<std::vector<ProcessV2>, Status> running(const RunningProcesses& lists, Device device) {
  if (lists.newer) {
    auto found =
        list<ProcessV2>([&](unsigned* count, ProcessV2* infos) { return lists.newer(device, count, infos); });
    if (found || found.error() != kFunctionNotFound) return found;
  }
  const auto first =
      list<ProcessV1>([&](unsigned* count, ProcessV1* infos) { return lists.first(device, count, infos); });
  if (!first) return tl::unexpected(first.error());
  std::vector<ProcessV2> found;
  for (const ProcessV1& process : *first)
    found.push_back({process.pid, process.used_memory, kNoInstance, kNoInstance});
  return found;
}

}  // namespace

tl::expected<NvmlGpus, NotLoaded> NvmlGpus::open(const std::string& path) {
  auto library = Library::open(path);
  if (!library) return tl::unexpected(library.error());
  NvmlGpus gpus(std::move(*library));
  unsigned count = 0;
  if (const Status status = gpus.library_->count(&count); status != kSuccess)
    return tl::unexpected(NotLoaded{gpus.library_->why(status)});
  if (count == 0) return tl::unexpected(NotLoaded{"the NVIDIA driver finds no GPU"});
  gpus.gpus_.reserve(std::min(count, kMostGpus));
  for (unsigned i = 0; i < std::min(count, kMostGpus); ++i) gpus.gpus_.emplace_back(*gpus.library_);
  return gpus;
}

bool NvmlGpus::find_device(unsigned index, Gpu& gpu, Snapshot& snapshot) {
  if (gpu.device == nullptr) {
    const Status status = library_->handle_by_index(index, &gpu.device);
    if (status != kSuccess) {
      gpu.device = nullptr;
      snapshot.not_seen.push_back({fmt::format("GPU {}", index), library_->why(status)});
      return false;
    }
  }
  if (gpu.name.empty() || gpu.uuid.empty()) read_identity(gpu.device, gpu.name, gpu.uuid);
  return true;
}

void NvmlGpus::read_identity(Device device, std::string& name, std::string& uuid) const {
  std::array<char, 128> text{};
  if (library_->name(device, text.data(), static_cast<unsigned>(text.size() - 1)) == kSuccess)
    name = text.data();
  text.fill('\0');
  if (library_->uuid(device, text.data(), static_cast<unsigned>(text.size() - 1)) == kSuccess)
    uuid = text.data();
}

void NvmlGpus::read_power_and_clocks(Device device, GpuSeen& seen) const {
  const Library& library = *library_;
  seen.power_w = ask<double>(library, library.power, device, 1e-3);
  seen.power_limit_w = ask<double>(library, library.power_limit, device, 1e-3);
  seen.energy_j = ask<double>(library, library.energy, device, 1e-3);
  seen.slow_reasons = ask<std::uint64_t>(library, library.slow_reasons, device);
  seen.sm_clock_mhz = ask(library, library.clock, device, kClockSm);
  seen.sm_clock_max_mhz = ask(library, library.clock_max, device, kClockSm);
  seen.temperature_c = ask(library, library.temperature, device, 0);
  unsigned percent = 0, period_us = 0;
  const Status status = library.jpeg(device, &percent, &period_us);
  seen.jpeg_percent =
      status == kSuccess ? to_percent(percent) : Reading<double>::unknown(library.why(status));
}

void NvmlGpus::read_memory(Device device, GpuSeen& seen) const {
  MemoryV2 newer{.version = kMemoryV2, .total = 0, .reserved = 0, .free = 0, .used = 0};
  Status status = library_->memory_v2(device, &newer);
  if (status != kSuccess && status != kGpuIsLost) {
    MemoryV1 first{};
    status = library_->memory_v1(device, &first);
    newer.total = first.total;
    newer.used = first.used;
  }
  if (status != kSuccess) {
    seen.memory_used_bytes = seen.memory_total_bytes = Reading<std::uint64_t>::unknown(library_->why(status));
    return;
  }
  seen.memory_used_bytes = newer.used;
  seen.memory_total_bytes = newer.total;
}

void NvmlGpus::read_pcie(Device device, GpuSeen& seen) const {
  const Library& library = *library_;
  seen.pcie_generation = ask<int>(library, library.pcie_generation, device);
  seen.pcie_generation_max = ask<int>(library, library.pcie_generation_max, device);
  seen.pcie_width = ask<int>(library, library.pcie_width, device);
  seen.pcie_width_max = ask<int>(library, library.pcie_width_max, device);
}

// The driver counts for 20 ms while the caller waits; with many GPUs each look would last seconds. GPUs take
// turns then, one a look.
void NvmlGpus::read_throughput(std::size_t index, GpuSeen& seen) {
  if (last_read_s_ < 0) {
    seen.pcie_rx_bytes_per_s = seen.pcie_tx_bytes_per_s = Reading<double>::unknown("from the second look on");
    return;
  }
  const bool slow = quickest_throughput_s_ > kSlowCall;
  if (slow && index != throughput_turn_ % gpus_.size()) {
    seen.pcie_rx_bytes_per_s = seen.pcie_tx_bytes_per_s =
        Reading<double>::unknown("GPUs take turns: it takes the driver 20 ms a look");
    return;
  }
  const Device device = gpus_[index].device;
  for (const auto& [counter, reading] :
       {std::pair{kPcieReceived, &seen.pcie_rx_bytes_per_s}, {kPcieSent, &seen.pcie_tx_bytes_per_s}}) {
    const double begin = Clocks::now().monotonic;
    *reading = ask(*library_, library_->pcie_throughput, device, counter, 1024);
    const double took = Clocks::now().monotonic - begin;
    if (quickest_throughput_s_ == 0) throughput_turn_ = index;
    quickest_throughput_s_ = quickest_throughput_s_ == 0 ? took : std::min(took, quickest_throughput_s_);
  }
}

void NvmlGpus::read_activity(GpmMeter& meter, Device device, unsigned instance, const Clocks& now,
                             GpuSeen& seen) const {
  const auto means = meter.look(device, instance, now.monotonic);
  if (!means) {
    seen.sm_active_percent = seen.engine_active_percent = Reading<double>::unknown(means.error());
    return;
  }
  seen.sm_active_percent = to_percent(means->sm_active);
  seen.engine_active_percent = to_percent(means->engine_active);
  seen.pcie_rx_bytes_per_s = means->pcie_rx_bytes_per_s;
  seen.pcie_tx_bytes_per_s = means->pcie_tx_bytes_per_s;
}

void NvmlGpus::read_processes(Device device, GpuSeen& seen) const {
  std::vector<GpuProcess> processes;
  for (const auto& [lists, kind] :
       {std::pair<const RunningProcesses*, const char*>{&library_->compute, "compute"},
        {&library_->graphics, "graphics"},
        {&library_->mps, "mps"}}) {
    const auto found = running(*lists, device);
    if (!found && lists == &library_->compute) {
      seen.processes = Reading<std::vector<GpuProcess>>::unknown(library_->why(found.error()));
      return;
    }
    if (!found) continue;
    for (const ProcessV2& each : *found) {
      const auto same = [&](const GpuProcess& known) { return known.pid == each.pid; };
      if (std::any_of(processes.begin(), processes.end(), same)) continue;
      GpuProcess process{.pid = each.pid, .here = false, .kind = kind};
      if (each.used_memory == kValueNotAvailable)
        process.memory_bytes = Reading<std::uint64_t>::unknown("the driver says: not available");
      else
        process.memory_bytes = each.used_memory;
      processes.push_back(std::move(process));
    }
  }
  seen.processes = std::move(processes);
}

// Asked from the last look on: from 0 on, the driver tells a long average.
void NvmlGpus::read_process_use(const Gpu& gpu, const Clocks& now, GpuSeen& seen) const {
  if (!seen.processes || seen.processes->empty()) return;
  const double begin =
      std::min(last_read_s_ < 0 ? now.monotonic : last_read_s_, now.monotonic - kProcessWindow);
  const unsigned long long last_seen = now.stamp_of(begin, gpu.samples.since_boot());
  auto found = list<ProcessUtilization>([&](unsigned* count, ProcessUtilization* uses) {
    return library_->process_utilization(gpu.device, uses, count, last_seen);
  });
  std::vector<GpuProcess> processes = *seen.processes;
  if (!found && found.error() == kNotFound) found.emplace();  // nobody ran a kernel
  for (GpuProcess& process : processes) {
    if (!found) {
      process.sm_percent = Reading<double>::unknown(library_->why(found.error()));
      continue;
    }
    process.sm_percent = 0.0;  // whom the driver does not name ran no kernel
    unsigned long long newest = 0;
    for (const ProcessUtilization& use : *found) {
      if (use.pid != process.pid || use.time_us < newest) continue;
      newest = use.time_us;
      process.sm_percent = to_percent(use.sm);
    }
  }
  seen.processes = std::move(processes);
}

bool NvmlGpus::cut_into_instances(Device device) const {
  unsigned current = 0, pending = 0;
  return library_->mig_mode(device, &current, &pending) == kSuccess && current != 0;
}

void NvmlGpus::read_instances(Gpu& gpu, const GpuSeen& parent, const Clocks& now, Snapshot& snapshot) const {
  unsigned most = 0;
  if (library_->mig_count_max(gpu.device, &most) != kSuccess) return;
  const auto unknown = [](const char* why) { return Reading<double>::unknown(why); };
  for (unsigned i = 0; i < std::min(most, 64U); ++i) {
    Device device = nullptr;
    if (library_->mig_handle(gpu.device, i, &device) != kSuccess) continue;
    GpuSeen seen{.index = parent.index, .vendor = "nvidia"};
    read_identity(device, seen.name, seen.uuid);
    seen.mig_parent = gpu.uuid;
    seen.util_percent = seen.memory_util_percent = seen.sample_interval_s =
        unknown("the driver tells none of MIG instances");
    seen.power_w = seen.power_limit_w = seen.energy_j = unknown("of the whole GPU only");
    read_memory(device, seen);
    read_processes(device, seen);
    unsigned id = kNoInstance;
    if (const Status status = library_->gpu_instance_id(device, &id); status != kSuccess) {
      seen.sm_active_percent = Reading<double>::unknown(library_->why(status));
    } else {
      const auto meter = gpu.instances.try_emplace(seen.uuid, *library_).first;
      read_activity(meter->second, gpu.device, id, now, seen);
    }
    snapshot.gpus.push_back(std::move(seen));
  }
}

void NvmlGpus::read(Snapshot& snapshot) {
  const Clocks now = Clocks::now();
  for (std::size_t i = 0; i < gpus_.size(); ++i) {
    Gpu& gpu = gpus_[i];
    if (!find_device(static_cast<unsigned>(i), gpu, snapshot)) continue;
    GpuSeen seen{.index = static_cast<int>(i), .vendor = "nvidia", .name = gpu.name, .uuid = gpu.uuid};
    if (gpu.samples.take(gpu.device, now, seen) == kGpuIsLost)
      snapshot.not_seen.push_back({fmt::format("GPU {}", i), library_->why(kGpuIsLost)});
    const bool cut = cut_into_instances(gpu.device);
    if (cut)
      seen.util_percent = seen.memory_util_percent = seen.sample_interval_s =
          Reading<double>::unknown("cut into MIG instances");
    if (!gpu.samples.polled_because().empty() && seen.util_percent)
      snapshot.not_seen.push_back({fmt::format("buffered utilisation of GPU {}", i),
                                   gpu.samples.polled_because() + "; asked instead"});
    read_power_and_clocks(gpu.device, seen);
    read_memory(gpu.device, seen);
    read_pcie(gpu.device, seen);
    read_activity(gpu.gpm, gpu.device, kNoInstance, now, seen);
    if (!seen.sm_active_percent) read_throughput(i, seen);
    read_processes(gpu.device, seen);
    read_process_use(gpu, now, seen);
    snapshot.gpus.push_back(seen);
    if (cut) read_instances(gpu, seen, now, snapshot);
  }
  ++throughput_turn_;
  last_read_s_ = now.monotonic;
}

std::string NvmlGpus::device_file(int index) const {
  unsigned minor = 0;
  const Device device = gpus_.at(static_cast<std::size_t>(index)).device;
  if (device == nullptr || library_->minor_number(device, &minor) != kSuccess) return "";
  return fmt::format("/dev/nvidia{}", minor);
}

void NvmlGpus::poll() {
  const double now = Clocks::now().monotonic;
  for (Gpu& gpu : gpus_)
    if (gpu.device != nullptr) gpu.samples.poll(gpu.device, now);
}

}  // namespace stoker::watch::nvml
