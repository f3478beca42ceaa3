// One slot of the batch ring: the memory of a batch, what it holds, and where the pipeline stands with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "stoker/error.hpp"
#include "stoker/loader.hpp"

#include "load/order.hpp"

namespace stoker::load {

// The index of a slot that holds no sample.
inline constexpr std::uint64_t kNoSample = ~std::uint64_t{0};
// The label of a slot whose pixels are not to be learned from: zeroed ones.
inline constexpr float kNoLabel = -1;

// A sample that was bad, and in which slot of its batch.
struct Trouble {
  int slot = 0;
  std::uint64_t index = 0;
  ErrorCode code = ErrorCode::corrupt_data;
  BadRecord record;
};

struct FreeAligned {
  void operator()(std::byte* memory) const { ::operator delete(memory, std::align_val_t{64}); }
};

// Threads: while a batch is being made each slot of it is written by one worker; what lies under "pipeline"
// is guarded by the pipeline's mutex. A batch that was handed out is read only.
struct BatchSlot {
  BatchSlot(const Recipe& recipe, int batch_size, int label_width_);

  // Makes it the batch of this slice: indices and statuses are set, pixels are still to come.
  void begin(const StepSlice& slice_, std::shared_ptr<const EpochOrder> order_);
  std::byte* image(int slot) { return images.get() + static_cast<std::size_t>(slot) * image_bytes; }
  // Position of a slot's sample in the epoch's order; the slot is not hollow.
  std::uint64_t position(int slot) const { return slice.position(slot, order->size()); }
  // Leaves a slot without a picture: zero pixels, labels that say so.
  void blank(int slot, SampleStatus status);

  // The batch.
  const Size image_size;
  const std::vector<std::size_t> shape;  // of one sample
  const DType dtype;
  const Layout layout;
  const std::size_t image_bytes;
  const int label_width;
  int size = 0;
  std::unique_ptr<std::byte, FreeAligned> images;
  std::vector<float> labels;
  std::vector<std::uint64_t> indices;
  std::vector<SampleStatus> statuses;
  std::vector<std::string> keys;

  // Where it comes from; kept for bad samples, whose substitutes stand behind them in the order.
  StepSlice slice;
  std::shared_ptr<const EpochOrder> order;

  // The pipeline's.
  std::uint64_t first_sequence = 0;  // of its first slot
  std::uint64_t generation = 0;
  int unfinished = 0;  // slots not made yet
  int writers = 0;     // workers that write into it now
  std::vector<Trouble> troubles;

  // Memory for the control block of the handle that goes out: no allocation per batch.
  static constexpr std::size_t kControlBytes = 128;
  alignas(std::max_align_t) std::byte control[kControlBytes];
};

}  // namespace stoker::load
