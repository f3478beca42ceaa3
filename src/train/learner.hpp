// What learns: a network with its optimiser, behind an interface that knows no tensor library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stoker/image.hpp"
#include "stoker/recipe.hpp"

namespace stoker::training {

// The label of a slot that takes no part: bad, or padding.
inline constexpr std::int64_t kLeftOut = -1;

struct NetworkSpec {
  int num_layers = 20;  // 8, 20, 32, 56: for small images; 18, 34, 50, 101, 152: for ImageNet's
  int width = 16;       // channels of the first stage; only the small ones can choose: the others have 64
  int num_classes = 2;
};

struct LearnerSpec {
  NetworkSpec network;
  double mom = 0.9;
  bool nesterov = false;
  double wd = 0;  // not on norms and biases
  double label_smoothing = 0;
  double ema_decay = 0;    // of a second set of weights, a running mean of the first; 0: none
  bool bfloat16 = false;   // convolutions and the linear layer; weights and sums stay f32
  int top_k = 0;           // count top-k hits too; 0: top-1 alone
  std::uint64_t seed = 0;  // of the first weights
  int compute_threads = 1;
  std::optional<int> gpu;                     // the CUDA device to compute on; empty: the CPU
  Normalize normalize{{0, 0, 0}, {1, 1, 1}};  // of batches of bytes
};

// A batch's copy on the learner's device, made by Learner::stage(). Threads: released by the learner's, and
// before the learner.
class StagedBatch {
 public:
  virtual ~StagedBatch() = default;
};

// Views of one batch. Shape: size × height × width × 3, packed; f32 that are normalised, or bytes, which the
// learner normalises on its device, to the bits that the loader would have made.
struct LearnerBatch {
  int size = 0;
  Size image_size;
  const std::byte* images = nullptr;
  std::span<const std::int64_t> labels;  // [0, num_classes) or kLeftOut
  DType dtype = DType::f32;              // or u8
  const StagedBatch* staged = nullptr;   // where it is set, `images` and `labels` are not looked at
};

// Sums over the slots that counted, so that any number of batches add up.
struct Outcome {
  std::uint64_t counted = 0;
  std::uint64_t correct = 0;
  std::uint64_t top_k_correct = 0;
  double loss_sum = 0;

  Outcome& operator+=(const Outcome& other) {
    counted += other.counted;
    correct += other.correct;
    top_k_correct += other.top_k_correct;
    loss_sum += other.loss_sum;
    return *this;
  }
};

// A copy of everything that learned, made between two steps.
class LearnerState {
 public:
  virtual ~LearnerState() = default;
  // The bytes that Learner::restore() takes. Threads: any one, beside the learner at work.
  virtual std::string serialise() const = 0;
};

// Threads: made and used by one thread, but for stage(). Slots that are left out touch neither loss, gradient
// nor batch statistics. Its state is the same on every device. Errors (all calls): out_of_resources (no
// memory for this batch size), internal.
class Learner {
 public:
  virtual ~Learner() = default;

  // Whether batches are to be staged, because the device has a memory of its own.
  virtual bool wants_staging() const { return false; }
  // Begins to copy a batch to the device and comes back without waiting for the end of it; the memory behind
  // `batch` is not needed any more. Two at a time, the one in use and the next, are what it has buffers for;
  // more take more. Threads: any one, beside the learner at work.
  virtual std::unique_ptr<StagedBatch> stage(const LearnerBatch& batch) = 0;

  // Forward and backward: adds `share` of the batch's mean gradient to what update() will use. A batch with
  // every slot left out adds nothing. The loss is the one that is minimised (label smoothing included).
  virtual Outcome accumulate(const LearnerBatch& batch, double share) = 0;
  // One step of the optimiser (and of the running mean of weights) with the gradient accumulated since the
  // last, which is then cleared. Changes nothing where nothing was added.
  virtual void update(double lr) = 0;
  // Forward alone, with the running statistics, by the running mean of weights where there is one. The loss
  // is the plain cross entropy. `hits`: a slot's 1 where top-1 was right, else 0; empty, or batch.size of
  // them.
  virtual Outcome evaluate(const LearnerBatch& batch, std::span<std::uint8_t> hits) = 0;

  // Copies, so that the caller need not wait for the writing of it. What accumulated since the last update()
  // is not part of it.
  virtual std::unique_ptr<LearnerState> state() const = 0;
  // Goes on exactly where `state` stood. Errors: corrupt_data (cannot be read), invalid_argument (of another
  // network, or of one with or without a running mean).
  virtual void restore(std::string_view state) = 0;
  // Begins with the weights of a plain state_dict (as Python's torch.save wrote it) under the names of
  // torchvision; the optimiser's memory is cleared. Where only the last layer's number of classes differs, it
  // keeps its first weights, and the result says so. Errors: corrupt_data, invalid_argument (names and shapes
  // that differ: the first one and their number), unsupported (the old format before zip, or pickled code:
  // says how to save it again).
  virtual std::vector<std::string> load_weights(std::string_view state_dict) = 0;

  virtual std::uint64_t parameter_count() const = 0;
};

}  // namespace stoker::training
