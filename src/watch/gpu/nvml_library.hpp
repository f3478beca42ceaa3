// NVIDIA's management library, found and opened while the program runs.
#pragma once

#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "watch/gpu/nvml_abi.hpp"

namespace stoker::watch::nvml {

// A function of the library, or none where this version has none: calling it tells so.
template <class... Arguments>
class Function {
 public:
  using Pointer = Status (*)(Arguments...);
  Status operator()(Arguments... arguments) const {
    return pointer_ != nullptr ? pointer_(arguments...) : Status{kFunctionNotFound};
  }
  explicit operator bool() const { return pointer_ != nullptr; }
  Pointer pointer_ = nullptr;
};

// A list of processes, in the newest layout that the library has.
struct RunningProcesses {
  Function<Device, unsigned*, ProcessV2*> newer;  // versions 3 and 2
  Function<Device, unsigned*, ProcessV1*> first;
};

// Why there is no library, as a fragment for people.
struct NotLoaded {
  std::string why;
  bool absent = false;  // as on machines without such GPUs
};

// An initialised library. Owns: it, until the last user lets go.
class Library {
 public:
  // `path` empty: libnvidia-ml.so.1, as the loader finds it.
  static tl::expected<std::unique_ptr<Library>, NotLoaded> open(const std::string& path);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  // What a status means to somebody who reads a report.
  std::string why(Status status) const;

  using OneNumber = Function<Device, unsigned*>;
  Function<unsigned*> count;
  Function<unsigned, Device*> handle_by_index;
  Function<Device, char*, unsigned> name, uuid;
  OneNumber minor_number;
  Function<Device, Utilization*> utilization;
  Function<Device, int, unsigned long long, int*, unsigned*, Sample*> samples;
  Function<Device, MemoryV2*> memory_v2;
  Function<Device, MemoryV1*> memory_v1;
  OneNumber power, power_limit;
  Function<Device, unsigned long long*> energy, slow_reasons;
  Function<Device, int, unsigned*> clock, clock_max, temperature, pcie_throughput;
  OneNumber pcie_generation, pcie_generation_max, pcie_width, pcie_width_max;
  Function<Device, unsigned*, unsigned*> jpeg;
  RunningProcesses compute, graphics, mps;
  Function<Device, ProcessUtilization*, unsigned*, unsigned long long> process_utilization;
  Function<Device, unsigned*, unsigned*> mig_mode;
  OneNumber mig_count_max, gpu_instance_id;
  Function<Device, unsigned, Device*> mig_handle;
  Function<Device, GpmSupport*> gpm_support;
  Function<GpmSample*> gpm_alloc;
  Function<GpmSample> gpm_free;
  Function<Device, GpmSample> gpm_sample;
  Function<Device, unsigned, GpmSample> gpm_mig_sample;
  Function<GpmMetricsGet*> gpm_metrics;

 private:
  explicit Library(void* handle);
  void find_identity();
  void find_readings();
  template <class F, class... Names>
  void find(F& function, Names... names);

  void* handle_;
  Function<> init_, shutdown_;
  const char* (*error_string_)(Status) = nullptr;
};

}  // namespace stoker::watch::nvml
