#include "watch/gpu/nvml_library.hpp"

#include <dlfcn.h>
#include <utility>

namespace stoker::watch::nvml {

// The first of the names that the library exports: newer versions first.
template <class F, class... Names>
void Library::find(F& function, Names... names) {
  for (const char* each : {names...}) {
    void* symbol = dlsym(handle_, each);
    if (symbol == nullptr) continue;
    function.pointer_ = reinterpret_cast<typename F::Pointer>(symbol);
    return;
  }
}

Library::Library(void* handle) : handle_(handle) {
  find_identity();
  find_readings();
}

void Library::find_identity() {
  find(init_, "nvmlInit_v2", "nvmlInit");
  find(shutdown_, "nvmlShutdown");
  error_string_ = reinterpret_cast<const char* (*)(Status)>(dlsym(handle_, "nvmlErrorString"));
  find(count, "nvmlDeviceGetCount_v2", "nvmlDeviceGetCount");
  find(handle_by_index, "nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex");
  find(name, "nvmlDeviceGetName");
  find(uuid, "nvmlDeviceGetUUID");
  find(minor_number, "nvmlDeviceGetMinorNumber");
  find(mig_mode, "nvmlDeviceGetMigMode");
  find(mig_count_max, "nvmlDeviceGetMaxMigDeviceCount");
  find(mig_handle, "nvmlDeviceGetMigDeviceHandleByIndex");
  find(gpu_instance_id, "nvmlDeviceGetGpuInstanceId");
}

void Library::find_readings() {
  find(utilization, "nvmlDeviceGetUtilizationRates");
  find(samples, "nvmlDeviceGetSamples");
  find(memory_v2, "nvmlDeviceGetMemoryInfo_v2");
  find(memory_v1, "nvmlDeviceGetMemoryInfo");
  find(power, "nvmlDeviceGetPowerUsage");
  find(power_limit, "nvmlDeviceGetEnforcedPowerLimit", "nvmlDeviceGetPowerManagementLimit");
  find(energy, "nvmlDeviceGetTotalEnergyConsumption");
  find(slow_reasons, "nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons");
  find(clock, "nvmlDeviceGetClockInfo");
  find(clock_max, "nvmlDeviceGetMaxClockInfo");
  find(temperature, "nvmlDeviceGetTemperature");
  find(pcie_throughput, "nvmlDeviceGetPcieThroughput");
  find(pcie_generation, "nvmlDeviceGetCurrPcieLinkGeneration");
  find(pcie_generation_max, "nvmlDeviceGetMaxPcieLinkGeneration");
  find(pcie_width, "nvmlDeviceGetCurrPcieLinkWidth");
  find(pcie_width_max, "nvmlDeviceGetMaxPcieLinkWidth");
  find(jpeg, "nvmlDeviceGetJpgUtilization");
  const auto running = [&](RunningProcesses& list, const std::string& symbol) {
    find(list.newer, (symbol + "_v3").c_str(), (symbol + "_v2").c_str());
    find(list.first, symbol.c_str());
  };
  running(compute, "nvmlDeviceGetComputeRunningProcesses");
  running(graphics, "nvmlDeviceGetGraphicsRunningProcesses");
  running(mps, "nvmlDeviceGetMPSComputeRunningProcesses");
  find(process_utilization, "nvmlDeviceGetProcessUtilization");
  find(gpm_support, "nvmlGpmQueryDeviceSupport");
  find(gpm_alloc, "nvmlGpmSampleAlloc");
  find(gpm_free, "nvmlGpmSampleFree");
  find(gpm_sample, "nvmlGpmSampleGet");
  find(gpm_mig_sample, "nvmlGpmMigSampleGet");
  find(gpm_metrics, "nvmlGpmMetricsGet");
}

Library::~Library() {
  shutdown_();
  dlclose(handle_);
}

tl::expected<std::unique_ptr<Library>, NotLoaded> Library::open(const std::string& path) {
  const auto not_loaded = [](std::string why, bool absent = false) {
    return tl::unexpected(NotLoaded{std::move(why), absent});
  };
  void* handle = dlopen(path.empty() ? "libnvidia-ml.so.1" : path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* error = dlerror();  // NOLINT(concurrency-mt-unsafe): glibc keeps one a thread
    const std::string text = error == nullptr ? path : error;
    if (path.empty() && text.find("No such file") != std::string::npos)
      return not_loaded("no NVIDIA driver library (libnvidia-ml.so.1) found", true);
    return not_loaded("the NVIDIA driver library cannot be loaded: " + text);
  }
  std::unique_ptr<Library> library(new Library(handle));
  if (!library->init_ || !library->shutdown_ || !library->count || !library->handle_by_index)
    return not_loaded((path.empty() ? "libnvidia-ml.so.1" : path) + " is not NVIDIA's management library");
  if (const Status status = library->init_(); status != kSuccess) {
    library->shutdown_ = {};
    return not_loaded(library->why(status));
  }
  return library;
}

std::string Library::why(Status status) const {
  switch (status) {
    case kNotSupported:
      return "not supported by this GPU";
    case kNoPermission:
      return "not permitted: needs root, or the container the GPU's device files";
    case kGpuIsLost:
      return "fell off the bus";
    case kDriverNotLoaded:
      return "the NVIDIA driver is not loaded";
    case kLibraryMismatch:
      return "the NVIDIA driver and its library have different versions: load the driver anew, or reboot";
    case kFunctionNotFound:
      return "not told by this version of the driver";
    case kNotFound:
      return "the driver has no value";
    default: {
      const char* text = error_string_ != nullptr ? error_string_(status) : nullptr;
      return "NVIDIA driver: " + (text != nullptr ? text : "error " + std::to_string(status));
    }
  }
}

}  // namespace stoker::watch::nvml
