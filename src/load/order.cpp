#include "load/order.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/philox.hpp"

namespace stoker::load {

namespace {

// Sample indices lie below 2^32, so the shuffle's draws have streams of their own up here.
constexpr std::uint64_t kShuffleStream = std::uint64_t{1} << 63;
// Draws taken from one stream: a stream holds 2^16 blocks of four 32-bit numbers, and rejection wants some to
// spare.
constexpr std::uint64_t kDrawsPerStream = 1 << 16;

// In [0, n), without bias. Source: Lemire, "Fast random integer generation in an interval", 2019, in 32 bits.
std::uint32_t below32(SampleRng& rng, std::uint32_t n) {
  std::uint64_t product = std::uint64_t{rng.next_u32()} * n;
  if (static_cast<std::uint32_t>(product) < n) {
    const std::uint32_t threshold = (0 - n) % n;
    while (static_cast<std::uint32_t>(product) < threshold) product = std::uint64_t{rng.next_u32()} * n;
  }
  return static_cast<std::uint32_t>(product >> 32);
}

}  // namespace

EpochOrder::EpochOrder(std::uint64_t size, bool shuffle, std::uint64_t seed, std::uint64_t epoch)
    : size_(size), epoch_(epoch) {
  if (!shuffle || size < 2) return;
  indices_.resize(size);
  std::iota(indices_.begin(), indices_.end(), 0U);
  // Fisher-Yates: position i changes places with one of 0..i, from the last position down.
  std::uint64_t i = size - 1;
  for (std::uint64_t stream = 0; i > 0; ++stream) {
    SampleRng rng(seed, epoch, kShuffleStream + stream, 0);
    for (std::uint64_t draw = 0; draw < kDrawsPerStream && i > 0; ++draw, --i) {
      std::swap(indices_[i], indices_[below32(rng, static_cast<std::uint32_t>(i + 1))]);
    }
  }
}

StepPlan::StepPlan(std::uint64_t size, int batch_size, int rank, int world_size, LastBatchPolicy last_batch)
    : size_(size),
      batch_(static_cast<std::uint64_t>(batch_size)),
      rank_(static_cast<std::uint64_t>(rank)),
      world_(static_cast<std::uint64_t>(world_size)),
      global_batch_(batch_ * world_),
      last_batch_(last_batch) {}

bool StepPlan::has_step(std::uint64_t position) const {
  if (position >= size_) return false;
  return last_batch_ != LastBatchPolicy::drop || size_ - position >= global_batch_;
}

StepSlice StepPlan::slice(std::uint64_t position) const {
  if (size_ - position < global_batch_) {
    return last_batch_ == LastBatchPolicy::pad ? pad_slice(position) : keep_slice(position);
  }
  StepSlice slice;
  slice.step = position / global_batch_;
  slice.begin = position + rank_ * batch_;
  slice.samples = static_cast<int>(batch_);
  slice.next_position = position + global_batch_;
  return slice;
}

StepSlice StepPlan::keep_slice(std::uint64_t position) const {
  const std::uint64_t left = size_ - position;
  const std::uint64_t share = left / world_, extra = left % world_;  // the first `extra` ranks get one more
  StepSlice slice;
  slice.step = position / global_batch_;
  slice.begin = position + rank_ * share + std::min(rank_, extra);
  slice.samples = static_cast<int>(share + (rank_ < extra ? 1 : 0));
  slice.hollow = slice.samples == 0 ? 1 : 0;
  slice.next_position = size_;
  return slice;
}

StepSlice StepPlan::pad_slice(std::uint64_t position) const {
  const std::uint64_t left = size_ - position;
  const std::uint64_t first = rank_ * batch_;  // of this rank's slots in the global step
  StepSlice slice;
  slice.step = position / global_batch_;
  slice.begin = position + std::min(first, left);
  slice.samples = static_cast<int>(std::clamp<std::uint64_t>(left > first ? left - first : 0, 0, batch_));
  slice.wrapped = static_cast<int>(batch_) - slice.samples;
  slice.wrap_begin = (std::max(first, left) - left) % size_;
  slice.next_position = size_;
  return slice;
}

std::uint64_t StepPlan::steps_per_epoch() const {
  const bool cut = last_batch_ == LastBatchPolicy::drop || size_ % global_batch_ == 0;
  return size_ / global_batch_ + (cut ? 0 : 1);
}

std::uint64_t StepPlan::samples_per_epoch() const {
  return last_batch_ == LastBatchPolicy::drop ? size_ / global_batch_ * global_batch_ : size_;
}

}  // namespace stoker::load
