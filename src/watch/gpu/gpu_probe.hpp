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

  // Fills snapshot.gpus, and adds to snapshot.not_seen. Samples are stamped on CLOCK_MONOTONIC, and end
  // before the read.
  void read(Snapshot& snapshot);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace stoker::watch
