// GPUs read beside the sampling of threads, which must not wait for a driver.
#pragma once

#include <chrono>
#include <memory>

#include "stoker/watch.hpp"

namespace stoker::watch {

// Owns: a thread that reads when told to, and polls between. A driver that hangs keeps that thread and
// nothing else.
class GpuReader {
 public:
  explicit GpuReader(const WatchOptions& options);
  ~GpuReader();
  GpuReader(const GpuReader&) = delete;
  GpuReader& operator=(const GpuReader&) = delete;

  // Begins to read; does nothing while a read is under way, or done and not taken.
  void start();
  // Waits for what start() began, and gives the snapshot its GPUs; one that takes longer than `patience` is
  // not_seen, and given at a later call.
  void take(Snapshot& snapshot, std::chrono::milliseconds patience);
  // How long the last read took.
  std::chrono::nanoseconds cost() const;

 private:
  struct Shared;
  static void serve(const std::shared_ptr<Shared>& shared, const WatchOptions& options);
  std::shared_ptr<Shared> shared_;
};

}  // namespace stoker::watch
