// What a stretch of steps comes to, and when the rest will be done.
#pragma once

#include <cstdint>
#include <optional>

#include "stoker/train.hpp"

#include "train/learner.hpp"

namespace stoker::training {

// Sums over consecutive batches.
struct Stretch {
  Outcome outcome;
  std::uint64_t steps = 0;
  double wait_s = 0;  // inside the loader's next()
  double wall_s = 0;  // all of it, the wait included

  Stretch& operator+=(const Stretch& other);
  double images_per_s() const;     // that counted; 0 where no time passed
  double data_wait_share() const;  // 0 where no time passed
};

// The figures of a line; needs a stretch in which something counted.
void fill_line(const Stretch& stretch, bool with_top_k, TrainLine& line);

// Time left, from a running mean of the time of a step, evaluations apart.
class EtaEstimator {
 public:
  // `evaluation_images` of one evaluation; 0: none is made.
  EtaEstimator(std::uint64_t steps_per_epoch, std::uint64_t epochs, std::uint64_t evaluation_images);

  void add_training(const Stretch& stretch);
  void add_evaluation(double wall_s) { evaluation_s_ = wall_s; }

  // Training time left of the epoch that `step` (done since the beginning) lies in. Unknown before the first
  // stretch.
  std::optional<double> epoch_s(std::uint64_t step) const;
  // Time left until the end, with `evaluations` to come. Until one was timed, an image to evaluate counts as
  // one to train on, which is too much rather than too little.
  std::optional<double> total_s(std::uint64_t step, std::uint64_t evaluations) const;

 private:
  std::uint64_t steps_per_epoch_;
  std::uint64_t epochs_;
  std::uint64_t evaluation_images_;
  std::optional<double> step_s_;
  std::optional<double> image_s_;
  std::optional<double> evaluation_s_;
};

}  // namespace stoker::training
