// What learns: a network with its optimiser, behind an interface that knows no tensor library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "stoker/image.hpp"

namespace stoker::training {

// The label of a slot that takes no part: bad, or padding.
inline constexpr std::int64_t kLeftOut = -1;

struct LearnerSpec {
  int num_layers = 20;  // 6n + 2
  int width = 16;       // channels of the first stage
  int num_classes = 2;
  Size image_size;
  double mom = 0.9;
  double wd = 0;  // not on norms and biases
  double label_smoothing = 0;
  int top_k = 0;           // count top-k hits too; 0: top-1 alone
  std::uint64_t seed = 0;  // of the first weights
  int compute_threads = 1;
};

// Views of one batch, normalised. Shape: size × height × width × 3, f32, packed.
struct LearnerBatch {
  int size = 0;
  const std::byte* images = nullptr;
  std::span<const std::int64_t> labels;  // [0, num_classes) or kLeftOut
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

// Threads: made and used by one thread. Slots that are left out touch neither loss, gradient nor batch
// statistics. Errors (all calls): out_of_resources (no memory for this batch size), internal.
class Learner {
 public:
  virtual ~Learner() = default;

  // Forward, backward and one step of the optimiser. A batch with every slot left out changes nothing.
  // The loss is the one that was minimised (label smoothing included).
  virtual Outcome train_step(const LearnerBatch& batch, double lr) = 0;
  // Forward alone, with the running statistics. The loss is the plain cross entropy.
  virtual Outcome evaluate(const LearnerBatch& batch) = 0;
  virtual std::uint64_t parameter_count() const = 0;
};

}  // namespace stoker::training
