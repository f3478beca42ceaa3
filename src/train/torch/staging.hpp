// Batches copied to a device ahead of their use.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Event.h>
#include <c10/core/Stream.h>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "train/learner.hpp"

namespace stoker::training {

// A point in a stream's work that other streams, or the CPU, wait for. On the CPU nothing is ever to wait
// for.
class Fence {
 public:
  explicit Fence(at::Device device);

  void record(const c10::Stream& stream);
  // Holds up what `stream` is given from here on, not the caller.
  void hold_up(const c10::Stream& stream) const;
  void wait() const;

 private:
  std::optional<c10::Event> event_;
};

// The slots of a batch that take part, in `kept`, and their tensors alone: images N × 3 × H × W, channels
// last in memory, in the batch's own type.
struct BatchTensors {
  at::Tensor images;
  at::Tensor labels;
  std::vector<std::int64_t> kept;
};

// Buffers on both sides: a batch is copied into page-locked memory, from there to the device by a stream of
// its own, while the device computes in another. A buffer is written when the copy from it, or the work on
// what lies in it, is done. On the CPU the same with plain memory. Owns: buffers, as many as are in use at a
// time; they keep the size of the largest batch. Threads: stage() any one, take() and the end of a
// StagedBatch another.
class Staging {
 public:
  explicit Staging(at::Device device);

  // Errors: c10::Error (no memory).
  std::unique_ptr<StagedBatch> stage(const LearnerBatch& batch);
  // What the device works with, from now on and as long as `staged` lives.
  const BatchTensors& take(const StagedBatch& staged) const;

  std::size_t buffers() const;  // made so far

 private:
  // The memory of one batch, here and on the device.
  struct Buffer {
    explicit Buffer(at::Device device) : copied(device), used(device) {}

    at::Tensor host_bytes, host_labels, bytes, labels;
    Fence copied;  // the copy that was made last
    Fence used;    // the work on it
    bool free = true;
  };
  class Staged;
  Buffer& free_buffer();
  void give_back(Buffer& buffer) noexcept;

  at::Device device_;
  c10::Stream side_;
  mutable std::mutex mutex_;  // of which buffers there are, and which are free
  std::deque<Buffer> buffers_;
};

}  // namespace stoker::training
