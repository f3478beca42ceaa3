// Every GPU of the machine, whoever made it.
#pragma once

#include <memory>

#include "stoker/watch.hpp"

namespace stoker::watch {

// Reads GPUs: NVIDIA's through its driver's library, loaded at run time, AMD's and Intel's below
// WatchOptions::sys_root and proc_root. What needs two looks (samples, shares of processes, SM activity) is
// there from the second read on.
// Threads: one.
class GpuProbe {
 public:
  // Never fails: a machine without a GPU or without its driver's library says so in each snapshot.
  explicit GpuProbe(const WatchOptions& options);
  ~GpuProbe();
  GpuProbe(GpuProbe&&) noexcept;
  GpuProbe& operator=(GpuProbe&&) noexcept;

  // Fills snapshot.gpus, and adds to snapshot.not_seen.
  // Cost: about 30 calls of the driver for each GPU.
  void read(Snapshot& snapshot);

  // To be called often between two reads: gives GPUs whose driver buffers no samples of their utilisation
  // some all the same. Looks every 1/6 s at most, and at no GPU whose driver does.
  void poll();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace stoker::watch
