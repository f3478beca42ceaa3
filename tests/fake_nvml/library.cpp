// libnvidia-ml.so.1 without a GPU: NVML's functions, answered from an event file. README.md tells the format.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <time.h>
#include <vector>

#include "fake_nvml/events.hpp"
#include "watch/gpu/nvml_abi.hpp"

using namespace stoker::watch::nvml;  // NOLINT(google-build-using-namespace): all of this file speaks NVML
using stoker::fake_nvml::Gpu;
using stoker::fake_nvml::Machine;
using stoker::fake_nvml::Process;

namespace {

constexpr int kBuffered = 120;          // samples that the driver keeps: 20 s of the usual period
constexpr double kPublishDelay = 0.02;  // the driver tells a period's share a little after it ended
constexpr double kMib = 1024.0 * 1024.0;

double clock_seconds(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}
double now() { return clock_seconds(CLOCK_MONOTONIC); }

struct Library {
  std::mutex mutex;
  int users = 0;
  Machine machine;
  double wall_minus_monotonic = 0, boot_minus_monotonic = 0;
};
Library& library() {
  static Library instance;
  return instance;
}

// Most drivers stamp with microseconds since 1970, some since boot.
double stamp_clock(const Gpu& gpu) {
  return gpu.fact("stamps", "") == "boot" ? library().boot_minus_monotonic : library().wall_minus_monotonic;
}
unsigned long long to_stamp(const Gpu& gpu, double time) {
  return static_cast<unsigned long long>(std::llround((time + stamp_clock(gpu)) * 1e6));
}
double from_stamp(const Gpu& gpu, unsigned long long us) {
  return static_cast<double>(us) * 1e-6 - stamp_clock(gpu);
}

// STOKER_FAKE_NVML_FAIL=nvmlDeviceGetSamples=3,nvmlInit_v2=9: these functions return these codes.
Status forced_failure(const char* function) {
  const char* text = std::getenv("STOKER_FAKE_NVML_FAIL");  // NOLINT(concurrency-mt-unsafe)
  if (text == nullptr) return kSuccess;
  const std::string key = std::string(function) + "=";
  for (const char* at = text; (at = std::strstr(at, key.c_str())) != nullptr; ++at)
    if (at == text || at[-1] == ',') return static_cast<Status>(std::strtol(at + key.size(), nullptr, 10));
  return kSuccess;
}

// A handle is a number in disguise: what was never handed out is told from what was.
struct Handle {
  int gpu = -1;
  int mig = -1;  // the instance, or -1 for the GPU itself
};
constexpr std::uintptr_t kHandleBase = 0x1000;
Device to_device(int gpu, int mig) {
  return reinterpret_cast<Device>(kHandleBase + static_cast<std::uintptr_t>(gpu) * 256 +
                                  static_cast<std::uintptr_t>(mig + 1));
}

// The ids of a driver's GPU instances are not the indices of their handles.
constexpr int kFirstInstance = 7;

int mig_count(const Gpu& gpu) { return static_cast<int>(std::clamp(gpu.number("mig", 0), 0.0, 7.0)); }

bool find(Device device, Handle& handle) {
  const auto value = reinterpret_cast<std::uintptr_t>(device);
  if (value < kHandleBase) return false;
  handle.gpu = static_cast<int>((value - kHandleBase) / 256);
  handle.mig = static_cast<int>((value - kHandleBase) % 256) - 1;
  const auto& gpus = library().machine.gpus;
  if (handle.gpu >= static_cast<int>(gpus.size())) return false;
  return handle.mig < mig_count(gpus[static_cast<std::size_t>(handle.gpu)]);
}

// One call: the library is locked, initialised, and has read what was appended; or `status` tells why not.
struct Call {
  explicit Call(const char* function) : lock(library().mutex), machine(library().machine) {
    status = library().users == 0 ? Status{kUninitialized} : forced_failure(function);
    if (status == kSuccess) machine.refresh();
  }
  std::lock_guard<std::mutex> lock;
  Machine& machine;
  Status status = kSuccess;
};

// A call about one GPU or MIG instance.
struct DeviceCall : Call {
  DeviceCall(const char* function, Device device) : Call(function) {
    if (status != kSuccess) return;
    if (!find(device, handle)) {
      status = kInvalidArgument;
      return;
    }
    gpu = &machine.gpus[static_cast<std::size_t>(handle.gpu)];
    if (machine.seen(*gpu, "lost", now()).value_or(0) != 0) status = kGpuIsLost;
  }
  // What NVML answers for neither MIG instances nor the GPU that was cut into them.
  bool mig() const { return mig_count(*gpu) > 0; }
  double number(const char* key, double other) const { return gpu->number(key, other); }
  double seen(const char* key, double other) const { return machine.seen(*gpu, key, now()).value_or(other); }
  double period() const { return std::max(number("period", 1.0 / 6), 0.001); }
  double last_period_end() const { return std::floor((now() - kPublishDelay) / period()) * period(); }
  // The last whole one; at the very beginning what there is of it.
  struct Span {
    double from, until;
  };
  Span last_period() const {
    const double end = last_period_end(), begin = machine.begin();
    return end - period() < begin ? Span{begin, std::max(now(), begin + 1e-6)} : Span{end - period(), end};
  }

  Handle handle;
  Gpu* gpu = nullptr;
};

// Opens a function of the interface: `asked`, or the answer why not.
#define CALL()                \
  const Call asked(__func__); \
  if (asked.status != kSuccess) return asked.status
#define DEVICE_CALL(device)                 \
  const DeviceCall asked(__func__, device); \
  if (asked.status != kSuccess) return asked.status

Status copy(const std::string& text, char* to, unsigned length) {
  if (to == nullptr) return kInvalidArgument;
  if (text.size() + 1 > length) return kInsufficientSize;
  std::memcpy(to, text.c_str(), text.size() + 1);
  return kSuccess;
}

template <class Number>
Status put(Number* to, double value) {
  if (to == nullptr) return kInvalidArgument;
  *to = static_cast<Number>(std::llround(std::max(value, 0.0)));
  return kSuccess;
}

std::string uuid(const Gpu& gpu, const Handle& handle) {
  char text[48];
  std::snprintf(text, sizeof text, "GPU-00000000-0000-4000-8000-%012x", handle.gpu);
  const std::string own = gpu.fact("uuid", text);
  if (handle.mig < 0) return own;
  return "MIG-" + own.substr(own.starts_with("GPU-") ? 4 : 0) + "-" + std::to_string(handle.mig);
}

double memory_total(const DeviceCall& asked) {
  const double whole = asked.number("memory_total_mib", 81920) * kMib;
  return asked.handle.mig < 0 ? whole : std::floor(whole / mig_count(*asked.gpu));
}

double memory_used(const DeviceCall& asked) {
  const std::string prefix = asked.handle.mig < 0 ? "" : std::to_string(asked.handle.mig) + ".";
  if (const auto said = asked.machine.seen(*asked.gpu, prefix + "memory_used_mib", now()))
    return *said * kMib;
  double used = 0;
  for (const Process& process : asked.machine.processes(*asked.gpu, now()))
    if (asked.handle.mig < 0 || process.mig == asked.handle.mig) used += process.memory_mib * kMib;
  return used;
}

double clock_max(const DeviceCall& asked, int type) {
  return type == kClockMemory ? 1593 : asked.number("sm_clock_max_mhz", 1980);
}
double clock_mhz(const DeviceCall& asked, int type) {
  return type == kClockMemory ? 1593 : asked.seen("sm_clock_mhz", clock_max(asked, type));
}

double util(const DeviceCall& asked, double from, double until) {
  return asked.machine.mean_util(*asked.gpu, from, until);
}
double last_util(const DeviceCall& asked) {
  const auto [from, until] = asked.last_period();
  return util(asked, from, until);
}
double memory_util(const DeviceCall& asked, double gpu_util) {
  return asked.seen("memory_util", std::min(gpu_util, 100.0) / 2);
}

int pci_bus(const Handle& handle) { return handle.gpu + 1; }

Status power(const char* function, Device device, unsigned* milliwatt) {
  const DeviceCall asked(function, device);
  if (asked.status != kSuccess) return asked.status;
  if (asked.handle.mig >= 0) return Status{kNotSupported};
  const auto [from, until] = asked.last_period();
  return put(milliwatt, 1000 * asked.machine.mean_power_w(*asked.gpu, from, until));
}
Status power_limit(const char* function, Device device, unsigned* milliwatt) {
  const DeviceCall asked(function, device);
  if (asked.status != kSuccess) return asked.status;
  return asked.handle.mig >= 0 ? Status{kNotSupported}
                               : put(milliwatt, 1000 * asked.number("power_limit_w", 300));
}

Status slow_reasons(const char* function, Device device, unsigned long long* reasons) {
  const DeviceCall asked(function, device);
  if (asked.status != kSuccess) return asked.status;
  return asked.handle.mig >= 0 ? Status{kNotSupported}
                               : put(reasons, asked.seen("slow_reasons", last_util(asked) > 0 ? 0 : 1));
}

// The value of one sample period, or a negative number where the type has none.
double sample_value(const DeviceCall& asked, int type, double from, double until) {
  switch (type) {
    case kTotalPowerSamples:
      return 1000 * asked.machine.mean_power_w(*asked.gpu, from, until);
    case kGpuUtilSamples:
      return util(asked, from, until);
    case kMemoryUtilSamples:
      return memory_util(asked, util(asked, from, until));
    case kEncoderUtilSamples:
    case kDecoderUtilSamples:
      return 0;
    case kProcessorClockSamples:
      return clock_mhz(asked, kClockSm);
    case kMemoryClockSamples:
      return clock_mhz(asked, kClockMemory);
    case kJpegUtilSamples:
      return asked.machine.seen(*asked.gpu, "jpeg", until).value_or(0);
    default:
      return -1;
  }
}

template <class Info>
Status running(const char* function, Device device, const char* kind, unsigned* count, Info* infos) {
  const DeviceCall asked(function, device);
  if (asked.status != kSuccess) return asked.status;
  if (count == nullptr) return kInvalidArgument;
  std::vector<Process> found;
  for (const Process& process : asked.machine.processes(*asked.gpu, now()))
    if (process.kind == kind && (asked.handle.mig < 0 || process.mig == asked.handle.mig))
      found.push_back(process);
  const unsigned room = *count;
  *count = static_cast<unsigned>(found.size());
  if (found.empty()) return kSuccess;
  if (infos == nullptr || room < found.size()) return kInsufficientSize;
  for (std::size_t i = 0; i < found.size(); ++i) {
    infos[i].pid = found[i].pid;
    infos[i].used_memory = static_cast<unsigned long long>(found[i].memory_mib * kMib);
    if constexpr (requires { infos[i].gpu_instance; }) {
      const unsigned instance =
          found[i].mig < 0 ? kNoInstance : static_cast<unsigned>(found[i].mig + kFirstInstance);
      infos[i].gpu_instance = instance;
      infos[i].compute_instance = found[i].mig < 0 ? kNoInstance : 0;
    }
  }
  return kSuccess;
}

}  // namespace

struct stoker::watch::nvml::GpmSampleOpaque {
  int gpu = -1, mig = -1;
  double time = 0;
};

#define FAKE(name, ...) extern "C" __attribute__((visibility("default"))) Status name(__VA_ARGS__)

// ---- The library ------------------------------------------------------------------------------------------

namespace {
Status init(const char* function) {
  const std::lock_guard lock(library().mutex);
  if (const Status forced = forced_failure(function); forced != kSuccess) return forced;
  if (library().users == 0) {
    const char* path = std::getenv("STOKER_FAKE_NVML");  // NOLINT(concurrency-mt-unsafe)
    if (path == nullptr || !library().machine.open(path, now())) return kDriverNotLoaded;
    for (double spent = 1, tries = 0; spent > 20e-6 && tries < 5; ++tries) {
      const double begin = now();
      library().wall_minus_monotonic = clock_seconds(CLOCK_REALTIME) - begin;
      library().boot_minus_monotonic = clock_seconds(CLOCK_BOOTTIME) - begin;
      spent = now() - begin;
    }
  }
  ++library().users;
  return kSuccess;
}
}  // namespace

FAKE(nvmlInit, void) { return init("nvmlInit"); }
FAKE(nvmlInit_v2, void) { return init("nvmlInit_v2"); }
FAKE(nvmlInitWithFlags, unsigned) { return init("nvmlInitWithFlags"); }
FAKE(nvmlShutdown, void) {
  const std::lock_guard lock(library().mutex);
  if (library().users == 0) return kUninitialized;
  --library().users;
  return kSuccess;
}

extern "C" __attribute__((visibility("default"))) const char* nvmlErrorString(Status status) {
  switch (status) {
    case kSuccess:
      return "Success";
    case kUninitialized:
      return "Uninitialized";
    case kInvalidArgument:
      return "Invalid Argument";
    case kNotSupported:
      return "Not Supported";
    case kNoPermission:
      return "Insufficient Permissions";
    case kNotFound:
      return "Not Found";
    case kInsufficientSize:
      return "Insufficient Size";
    case kDriverNotLoaded:
      return "Driver Not Loaded";
    case kFunctionNotFound:
      return "Function Not Found";
    case kGpuIsLost:
      return "GPU is lost";
    case kLibraryMismatch:
      return "Driver/library version mismatch";
    default:
      return "Unknown Error";
  }
}

FAKE(nvmlSystemGetDriverVersion, char* version, unsigned length) {
  CALL();
  return copy("575.57.08", version, length);
}
FAKE(nvmlSystemGetNVMLVersion, char* version, unsigned length) {
  CALL();
  return copy("12.575.57.08", version, length);
}
FAKE(nvmlSystemGetCudaDriverVersion, int* version) {
  CALL();
  return put(version, 12090);
}
FAKE(nvmlSystemGetCudaDriverVersion_v2, int* version) { return nvmlSystemGetCudaDriverVersion(version); }

// ---- Which GPUs -------------------------------------------------------------------------------------------

FAKE(nvmlDeviceGetCount_v2, unsigned* count) {
  CALL();
  return put(count, static_cast<double>(asked.machine.gpus.size()));
}
FAKE(nvmlDeviceGetCount, unsigned* count) { return nvmlDeviceGetCount_v2(count); }

FAKE(nvmlDeviceGetHandleByIndex_v2, unsigned index, Device* device) {
  CALL();
  if (device == nullptr || index >= asked.machine.gpus.size()) return kInvalidArgument;
  if (asked.machine.seen(asked.machine.gpus[index], "lost", now()).value_or(0) != 0) return kGpuIsLost;
  *device = to_device(static_cast<int>(index), -1);
  return kSuccess;
}
FAKE(nvmlDeviceGetHandleByIndex, unsigned index, Device* device) {
  return nvmlDeviceGetHandleByIndex_v2(index, device);
}

FAKE(nvmlDeviceGetHandleByUUID, const char* wanted, Device* device) {
  CALL();
  if (wanted == nullptr || device == nullptr) return kInvalidArgument;
  for (int gpu = 0; gpu < static_cast<int>(asked.machine.gpus.size()); ++gpu) {
    const Gpu& candidate = asked.machine.gpus[static_cast<std::size_t>(gpu)];
    for (int mig = -1; mig < mig_count(candidate); ++mig) {
      if (uuid(candidate, {gpu, mig}) != wanted) continue;
      *device = to_device(gpu, mig);
      return kSuccess;
    }
  }
  return kNotFound;
}

FAKE(nvmlDeviceGetHandleByPciBusId_v2, const char* wanted, Device* device) {
  CALL();
  unsigned domain = 0, bus = 0, slot = 0;
  if (wanted == nullptr || device == nullptr) return kInvalidArgument;
  if (std::sscanf(wanted, "%x:%x:%x", &domain, &bus, &slot) != 3) return kInvalidArgument;
  if (bus == 0 || bus > asked.machine.gpus.size() || domain != 0 || slot != 0) return kNotFound;
  *device = to_device(static_cast<int>(bus) - 1, -1);
  return kSuccess;
}
FAKE(nvmlDeviceGetHandleByPciBusId, const char* wanted, Device* device) {
  return nvmlDeviceGetHandleByPciBusId_v2(wanted, device);
}

FAKE(nvmlDeviceGetIndex, Device device, unsigned* index) {
  DEVICE_CALL(device);
  return put(index, asked.handle.mig < 0 ? asked.handle.gpu : asked.handle.mig);
}
FAKE(nvmlDeviceGetMinorNumber, Device device, unsigned* minor) { return nvmlDeviceGetIndex(device, minor); }

FAKE(nvmlDeviceGetName, Device device, char* name, unsigned length) {
  DEVICE_CALL(device);
  std::string text = asked.gpu->fact("name", "Fake GPU");
  if (asked.handle.mig >= 0)
    text += " MIG 1g." + std::to_string(std::llround(memory_total(asked) / kMib / 1024)) + "gb";
  return copy(text, name, length);
}

FAKE(nvmlDeviceGetUUID, Device device, char* text, unsigned length) {
  DEVICE_CALL(device);
  return copy(uuid(*asked.gpu, asked.handle), text, length);
}

namespace {
template <class Info>
Status pci_info(const char* function, Device device, Info* info) {
  const DeviceCall asked(function, device);
  if (asked.status != kSuccess) return asked.status;
  if (info == nullptr) return kInvalidArgument;
  *info = {};
  info->bus = static_cast<unsigned>(pci_bus(asked.handle));
  info->device_id = 0x233010DE;
  char text[32];
  std::snprintf(text, sizeof text, "%04X:%02X:00.0", 0U, info->bus);
  if constexpr (requires { info->bus_id_legacy; }) {
    std::memcpy(info->bus_id_legacy, text, sizeof info->bus_id_legacy);
    std::snprintf(info->bus_id, sizeof info->bus_id, "%08X:%02X:00.0", 0U, info->bus);
  } else {
    std::memcpy(info->bus_id, text, sizeof info->bus_id);
  }
  return kSuccess;
}
}  // namespace

FAKE(nvmlDeviceGetPciInfo_v3, Device device, PciInfo* info) {
  return pci_info("nvmlDeviceGetPciInfo_v3", device, info);
}
FAKE(nvmlDeviceGetPciInfo_v2, Device device, PciInfoV2* info) {
  return pci_info("nvmlDeviceGetPciInfo_v2", device, info);
}
FAKE(nvmlDeviceGetPciInfo, Device device, PciInfoV2* info) {
  return pci_info("nvmlDeviceGetPciInfo", device, info);
}

FAKE(nvmlDeviceGetArchitecture, Device device, unsigned* architecture) {
  DEVICE_CALL(device);
  return put(architecture, asked.number("gpm", 0) != 0 ? 9 : 7);
}

FAKE(nvmlDeviceGetCudaComputeCapability, Device device, int* major, int* minor) {
  DEVICE_CALL(device);
  if (put(major, asked.number("gpm", 0) != 0 ? 9 : 8) != kSuccess) return kInvalidArgument;
  return put(minor, 0);
}

// ---- What they do -----------------------------------------------------------------------------------------

FAKE(nvmlDeviceGetUtilizationRates, Device device, Utilization* utilization) {
  DEVICE_CALL(device);
  if (asked.mig()) return kNotSupported;
  if (utilization == nullptr) return kInvalidArgument;
  const double value = last_util(asked);
  put(&utilization->gpu, value);
  return put(&utilization->memory, memory_util(asked, value));
}

namespace {
Status engine(const char* function, Device device, const char* key, unsigned* percent, unsigned* period_us) {
  const DeviceCall asked(function, device);
  if (asked.status != kSuccess) return asked.status;
  if (asked.mig()) return kNotSupported;
  if (put(period_us, asked.period() * 1e6) != kSuccess) return kInvalidArgument;
  return put(percent, asked.seen(key, 0));
}
}  // namespace

FAKE(nvmlDeviceGetEncoderUtilization, Device device, unsigned* percent, unsigned* period_us) {
  return engine("nvmlDeviceGetEncoderUtilization", device, "encoder", percent, period_us);
}
FAKE(nvmlDeviceGetDecoderUtilization, Device device, unsigned* percent, unsigned* period_us) {
  return engine("nvmlDeviceGetDecoderUtilization", device, "decoder", percent, period_us);
}
FAKE(nvmlDeviceGetJpgUtilization, Device device, unsigned* percent, unsigned* period_us) {
  return engine("nvmlDeviceGetJpgUtilization", device, "jpeg", percent, period_us);
}

FAKE(nvmlDeviceGetSamples, Device device, int type, unsigned long long last_seen, int* value_type,
     unsigned* count, Sample* samples) {
  DEVICE_CALL(device);
  if (asked.mig()) return kNotSupported;
  if (value_type == nullptr || count == nullptr) return kInvalidArgument;
  if (sample_value(asked, type, 0, 0) < 0) return kNotSupported;
  *value_type = kUnsignedInt;
  if (samples == nullptr) {
    *count = kBuffered;
    return kSuccess;
  }
  const double last = asked.last_period_end();
  std::vector<Sample> found;
  for (int back = kBuffered - 1; back >= 0; --back) {
    const double end = last - back * asked.period();
    if (end - asked.period() < asked.machine.begin()) continue;
    if (to_stamp(*asked.gpu, end) <= last_seen) continue;
    Sample sample{.time_us = to_stamp(*asked.gpu, end), .value = {.as_long_long = 0}};
    put(&sample.value.as_unsigned, sample_value(asked, type, end - asked.period(), end));
    if (asked.number("dry", 0) != 0 && util(asked, end - asked.period(), end) == 0) continue;
    found.push_back(sample);
  }
  if (found.empty()) return kNotFound;
  if (*count < found.size()) return kInsufficientSize;
  *count = static_cast<unsigned>(found.size());
  std::copy(found.begin(), found.end(), samples);
  return kSuccess;
}

FAKE(nvmlDeviceGetMemoryInfo, Device device, MemoryV1* memory) {
  DEVICE_CALL(device);
  if (memory == nullptr) return kInvalidArgument;
  put(&memory->total, memory_total(asked));
  put(&memory->used, memory_used(asked));
  memory->free = memory->total - std::min(memory->used, memory->total);
  return kSuccess;
}
FAKE(nvmlDeviceGetMemoryInfo_v2, Device device, MemoryV2* memory) {
  DEVICE_CALL(device);
  if (memory == nullptr) return kInvalidArgument;
  if (memory->version != kMemoryV2) return kArgumentVersionMismatch;
  put(&memory->total, memory_total(asked));
  put(&memory->used, memory_used(asked));
  memory->reserved = 0;
  memory->free = memory->total - std::min(memory->used, memory->total);
  return kSuccess;
}

FAKE(nvmlDeviceGetTemperature, Device device, int, unsigned* celsius) {
  DEVICE_CALL(device);
  return put(celsius, asked.seen("temperature_c", 45));
}
FAKE(nvmlDeviceGetTemperatureThreshold, Device device, int, unsigned* celsius) {
  DEVICE_CALL(device);
  return put(celsius, 90);
}

FAKE(nvmlDeviceGetPowerUsage, Device device, unsigned* milliwatt) {
  return power("nvmlDeviceGetPowerUsage", device, milliwatt);
}
FAKE(nvmlDeviceGetEnforcedPowerLimit, Device device, unsigned* milliwatt) {
  return power_limit("nvmlDeviceGetEnforcedPowerLimit", device, milliwatt);
}
FAKE(nvmlDeviceGetPowerManagementLimit, Device device, unsigned* milliwatt) {
  return power_limit("nvmlDeviceGetPowerManagementLimit", device, milliwatt);
}
FAKE(nvmlDeviceGetPowerManagementDefaultLimit, Device device, unsigned* milliwatt) {
  return power_limit("nvmlDeviceGetPowerManagementDefaultLimit", device, milliwatt);
}
FAKE(nvmlDeviceGetPowerManagementLimitConstraints, Device device, unsigned* low, unsigned* high) {
  DEVICE_CALL(device);
  put(low, 100'000);
  return put(high, 1000 * asked.number("power_limit_w", 300));
}
FAKE(nvmlDeviceGetTotalEnergyConsumption, Device device, unsigned long long* millijoule) {
  DEVICE_CALL(device);
  if (asked.handle.mig >= 0) return Status{kNotSupported};
  const double begin = asked.machine.begin();
  const double end = now();
  return put(millijoule, 1000 * asked.machine.mean_power_w(*asked.gpu, begin, end) * (end - begin));
}

FAKE(nvmlDeviceGetClockInfo, Device device, int type, unsigned* mhz) {
  DEVICE_CALL(device);
  return put(mhz, clock_mhz(asked, type));
}
FAKE(nvmlDeviceGetMaxClockInfo, Device device, int type, unsigned* mhz) {
  DEVICE_CALL(device);
  return put(mhz, clock_max(asked, type));
}
FAKE(nvmlDeviceGetCurrentClocksEventReasons, Device device, unsigned long long* reasons) {
  return slow_reasons("nvmlDeviceGetCurrentClocksEventReasons", device, reasons);
}
FAKE(nvmlDeviceGetCurrentClocksThrottleReasons, Device device, unsigned long long* reasons) {
  return slow_reasons("nvmlDeviceGetCurrentClocksThrottleReasons", device, reasons);
}

FAKE(nvmlDeviceGetMaxPcieLinkGeneration, Device device, unsigned* generation) {
  DEVICE_CALL(device);
  return put(generation, asked.number("pcie_generation_max", 4));
}
FAKE(nvmlDeviceGetCurrPcieLinkGeneration, Device device, unsigned* generation) {
  DEVICE_CALL(device);
  return put(generation, asked.seen("pcie_generation", asked.number("pcie_generation_max", 4)));
}
FAKE(nvmlDeviceGetMaxPcieLinkWidth, Device device, unsigned* width) {
  DEVICE_CALL(device);
  return put(width, asked.number("pcie_width_max", 16));
}
FAKE(nvmlDeviceGetCurrPcieLinkWidth, Device device, unsigned* width) {
  DEVICE_CALL(device);
  return put(width, asked.seen("pcie_width", asked.number("pcie_width_max", 16)));
}
FAKE(nvmlDeviceGetPcieThroughput, Device device, int counter, unsigned* kb_per_s) {
  DEVICE_CALL(device);
  const auto ns = static_cast<long>(std::clamp(asked.number("pcie_call_ms", 0), 0.0, 500.0) * 1e6);
  const timespec wait{0, ns};
  nanosleep(&wait, nullptr);
  return put(kb_per_s, 1024 * asked.seen(counter == kPcieSent ? "pcie_tx_mib_s" : "pcie_rx_mib_s", 0));
}

// ---- Who uses them ----------------------------------------------------------------------------------------

#define FAKE_RUNNING(kind, name)                                      \
  FAKE(name, Device device, unsigned* count, ProcessV1* infos) {      \
    return running(#name, device, kind, count, infos);                \
  }                                                                   \
  FAKE(name##_v2, Device device, unsigned* count, ProcessV2* infos) { \
    return running(#name "_v2", device, kind, count, infos);          \
  }                                                                   \
  FAKE(name##_v3, Device device, unsigned* count, ProcessV2* infos) { \
    return running(#name "_v3", device, kind, count, infos);          \
  }
FAKE_RUNNING("compute", nvmlDeviceGetComputeRunningProcesses)
FAKE_RUNNING("graphics", nvmlDeviceGetGraphicsRunningProcesses)
FAKE_RUNNING("mps", nvmlDeviceGetMPSComputeRunningProcesses)

FAKE(nvmlDeviceGetProcessUtilization, Device device, ProcessUtilization* found, unsigned* count,
     unsigned long long last_seen) {
  DEVICE_CALL(device);
  if (asked.mig()) return kNotSupported;
  if (count == nullptr) return kInvalidArgument;
  const double end = asked.last_period_end();
  const double begin =
      std::max({from_stamp(*asked.gpu, last_seen), end - kBuffered * asked.period(), asked.machine.begin()});
  std::vector<ProcessUtilization> all;
  for (const Process& process : asked.machine.processes(*asked.gpu, now())) {
    const double sm = process.sm.value_or(util(asked, std::min(begin, end - asked.period()), end));
    ProcessUtilization one{.pid = process.pid, .time_us = to_stamp(*asked.gpu, end)};
    put(&one.sm, sm);
    put(&one.memory, sm / 2);
    if (one.sm > 0) all.push_back(one);
  }
  if (all.empty()) return kNotFound;
  const unsigned room = *count;
  *count = static_cast<unsigned>(all.size());
  if (found == nullptr || room < all.size()) return kInsufficientSize;
  std::copy(all.begin(), all.end(), found);
  return kSuccess;
}

FAKE(nvmlSystemGetProcessName, unsigned, char*, unsigned) {
  CALL();
  return Status{kNotFound};
}

// ---- MIG --------------------------------------------------------------------------------------------------

FAKE(nvmlDeviceGetMigMode, Device device, unsigned* current, unsigned* pending) {
  DEVICE_CALL(device);
  if (!asked.gpu->facts.contains("mig")) return kNotSupported;
  put(current, mig_count(*asked.gpu) > 0);
  return put(pending, mig_count(*asked.gpu) > 0);
}
FAKE(nvmlDeviceGetMaxMigDeviceCount, Device device, unsigned* count) {
  DEVICE_CALL(device);
  return put(count, asked.gpu->facts.contains("mig") ? 7 : 0);
}
FAKE(nvmlDeviceGetMigDeviceHandleByIndex, Device device, unsigned index, Device* instance) {
  DEVICE_CALL(device);
  if (instance == nullptr || asked.handle.mig >= 0) return kInvalidArgument;
  if (index >= static_cast<unsigned>(mig_count(*asked.gpu))) return kNotFound;
  *instance = to_device(asked.handle.gpu, static_cast<int>(index));
  return kSuccess;
}
FAKE(nvmlDeviceGetDeviceHandleFromMigDeviceHandle, Device instance, Device* device) {
  DEVICE_CALL(instance);
  if (device == nullptr || asked.handle.mig < 0) return kInvalidArgument;
  *device = to_device(asked.handle.gpu, -1);
  return kSuccess;
}
FAKE(nvmlDeviceIsMigDeviceHandle, Device device, unsigned* is_mig) {
  DEVICE_CALL(device);
  return put(is_mig, asked.handle.mig >= 0);
}
FAKE(nvmlDeviceGetGpuInstanceId, Device device, unsigned* id) {
  DEVICE_CALL(device);
  return asked.handle.mig < 0 ? Status{kNotSupported} : put(id, asked.handle.mig + kFirstInstance);
}
FAKE(nvmlDeviceGetComputeInstanceId, Device device, unsigned* id) {
  DEVICE_CALL(device);
  return asked.handle.mig < 0 ? Status{kNotSupported} : put(id, 0);
}

// ---- GPM --------------------------------------------------------------------------------------------------

FAKE(nvmlGpmQueryDeviceSupport, Device device, GpmSupport* support) {
  DEVICE_CALL(device);
  if (support == nullptr) return kInvalidArgument;
  if (support->version != kGpmVersion) return kArgumentVersionMismatch;
  support->supported = asked.number("gpm", 0) != 0;
  return kSuccess;
}
FAKE(nvmlGpmSampleAlloc, GpmSample* sample) {
  CALL();
  if (sample == nullptr) return kInvalidArgument;
  *sample = new GpmSampleOpaque;
  return kSuccess;
}
FAKE(nvmlGpmSampleFree, GpmSample sample) {
  delete sample;
  return kSuccess;
}
FAKE(nvmlGpmSampleGet, Device device, GpmSample sample) {
  DEVICE_CALL(device);
  if (sample == nullptr) return kInvalidArgument;
  if (asked.number("gpm", 0) == 0) return kNotSupported;
  *sample = {.gpu = asked.handle.gpu, .mig = asked.handle.mig, .time = now()};
  return kSuccess;
}
FAKE(nvmlGpmMigSampleGet, Device device, unsigned instance, GpmSample sample) {
  DEVICE_CALL(device);
  const int mig = static_cast<int>(instance) - kFirstInstance;
  if (sample == nullptr || mig < 0 || mig >= mig_count(*asked.gpu)) return kInvalidArgument;
  if (asked.number("gpm", 0) == 0) return kNotSupported;
  *sample = {.gpu = asked.handle.gpu, .mig = mig, .time = now()};
  return kSuccess;
}
FAKE(nvmlGpmMetricsGet, GpmMetricsGet* get) {
  CALL();
  if (get == nullptr || get->first == nullptr || get->second == nullptr) return kInvalidArgument;
  if (get->version != kGpmVersion) return kArgumentVersionMismatch;
  const GpmSampleOpaque &first = *get->first, &second = *get->second;
  if (first.gpu < 0 || first.gpu != second.gpu || first.mig != second.mig) return kInvalidArgument;
  if (second.time - first.time < 0.1) return kInvalidArgument;
  const Gpu& gpu = asked.machine.gpus.at(static_cast<std::size_t>(first.gpu));
  for (unsigned i = 0; i < get->count; ++i) {
    GpmMetric& metric = get->metrics[i];
    metric.status = kSuccess;
    if (metric.id == kGpmGraphicsUtil)
      metric.value = asked.machine.mean_util(gpu, first.time, second.time);
    else if (metric.id == kGpmSmUtil)
      metric.value = asked.machine.mean_sm_active(gpu, first.mig, first.time, second.time);
    else if (metric.id == kGpmPcieSentMib || metric.id == kGpmPcieReceivedMib)
      metric.value =
          asked.machine
              .seen(gpu, metric.id == kGpmPcieSentMib ? "pcie_tx_mib_s" : "pcie_rx_mib_s", second.time)
              .value_or(0);
    else if (metric.id == kGpmJpeg0)
      metric.value = asked.machine.seen(gpu, "jpeg", second.time).value_or(0);
    else
      metric.status = kNotSupported;
  }
  return kSuccess;
}
