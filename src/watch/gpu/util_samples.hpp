// The waveform of a GPU's utilisation.
#pragma once

#include <string>
#include <vector>

#include "stoker/watch.hpp"

#include "watch/gpu/nvml_library.hpp"
#include "watch/gpu/percent.hpp"

namespace stoker::watch::nvml {

// One instant on every clock that a driver may stamp with. Units: seconds.
struct Clocks {
  static Clocks now();
  // On CLOCK_MONOTONIC, of a driver's stamp in microseconds: since 1970, or since boot with some drivers.
  double monotonic_of(unsigned long long stamp_us) const;
  unsigned long long stamp_of(double monotonic_s, bool since_boot) const;
  bool since_boot(unsigned long long stamp_us) const;

  double monotonic = 0, since_1970 = 0, boot = 0;
};

// Takes the samples that the driver buffered since the last look, or where it buffers none, polls.
class UtilSamples {
 public:
  explicit UtilSamples(const Library& library) : library_(&library) {}

  // Fills samples, sample_interval_s and util_percent. What the driver buffered before the first look is left
  // out. Returns what the driver answered first: whether the GPU is there at all.
  Status take(Device device, const Clocks& now, GpuSeen& gpu);
  // Between two looks: does nothing where the driver buffers samples, or was asked 1/6 s ago or less.
  void poll(Device device, double now_s);

  // Why the samples were polled; empty where the driver buffers them.
  const std::string& polled_because() const { return polled_because_; }
  // Of the driver's stamps.
  bool since_boot() const { return since_boot_; }

 private:
  void take_buffered(Device device, const Clocks& now, const Reading<double>& last_period, GpuSeen& gpu);
  std::vector<Sample> buffered(Device device);

  const Library* library_;
  bool buffers_ = false;
  bool since_boot_ = false;
  std::string polled_because_;
  unsigned long long last_stamp_ = 0;
  double last_s_ = -1;  // of what was given; before the first look: none
  double interval_s_ = 0;
  std::vector<GpuSample> polled_;
};

}  // namespace stoker::watch::nvml
