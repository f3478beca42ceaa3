// NVIDIA's GPUs, as their driver tells them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "stoker/watch.hpp"

#include "watch/gpu/nvml_gpm.hpp"
#include "watch/gpu/nvml_library.hpp"
#include "watch/gpu/util_samples.hpp"

namespace stoker::watch::nvml {

class NvmlGpus {
 public:
  // `library` empty: libnvidia-ml.so.1, as the loader finds it.
  static tl::expected<NvmlGpus, NotLoaded> open(const std::string& library);
  NvmlGpus(NvmlGpus&&) = default;
  NvmlGpus& operator=(NvmlGpus&&) = delete;

  std::size_t count() const { return gpus_.size(); }
  // Adds a GpuSeen for each GPU and each MIG instance, and to not_seen the GPUs that may not be looked at.
  // The processes' `here` and `name` are left to the caller.
  void read(Snapshot& snapshot);
  // "/dev/nvidia0" of the GPU of this index; empty where it is not known.
  std::string device_file(int index) const;
  // See GpuProbe.
  void poll();

 private:
  struct Gpu {
    explicit Gpu(const Library& library) : samples(library), gpm(library) {}
    Device device = nullptr;  // null while the driver does not give it
    std::string name, uuid;
    UtilSamples samples;
    GpmMeter gpm;
    std::map<std::string, GpmMeter> instances;  // by UUID
  };

  explicit NvmlGpus(std::unique_ptr<Library> library) : library_(std::move(library)) {}

  bool find_device(unsigned index, Gpu& gpu, Snapshot& snapshot);
  void read_identity(Device device, std::string& name, std::string& uuid) const;
  void read_power_and_clocks(Device device, GpuSeen& seen) const;
  void read_memory(Device device, GpuSeen& seen) const;
  void read_pcie(Device device, GpuSeen& seen) const;
  void read_throughput(std::size_t index, GpuSeen& seen);
  void read_activity(GpmMeter& meter, Device device, unsigned instance, const Clocks& now,
                     GpuSeen& seen) const;
  void read_processes(Device device, GpuSeen& seen) const;
  void read_process_use(const Gpu& gpu, const Clocks& now, GpuSeen& seen) const;
  bool cut_into_instances(Device device) const;
  void read_instances(Gpu& gpu, const GpuSeen& parent, const Clocks& now, Snapshot& snapshot) const;

  std::unique_ptr<Library> library_;  // outlives the meters
  std::vector<Gpu> gpus_;
  double last_read_s_ = -1;
  double quickest_throughput_s_ = 0;  // of all calls: a single one may be slow for the machine's sake
  std::size_t throughput_turn_ = 0;
};

}  // namespace stoker::watch::nvml
