#include "train/progress.hpp"

namespace stoker::training {

namespace {

// Weight of the newest stretch in the running mean: a change of speed shows within a few lines, one odd
// stretch does not.
constexpr double kNewestWeight = 0.3;

void blend(std::optional<double>& mean, double newest) {
  mean = mean ? *mean * (1 - kNewestWeight) + newest * kNewestWeight : newest;
}

}  // namespace

Stretch& Stretch::operator+=(const Stretch& other) {
  outcome += other.outcome;
  steps += other.steps;
  wait_s += other.wait_s;
  wall_s += other.wall_s;
  return *this;
}

double Stretch::images_per_s() const {
  return wall_s > 0 ? static_cast<double>(outcome.counted) / wall_s : 0;
}

double Stretch::data_wait_share() const { return wall_s > 0 ? wait_s / wall_s : 0; }

void fill_line(const Stretch& stretch, bool with_top_k, TrainLine& line) {
  const double counted = static_cast<double>(stretch.outcome.counted);
  line.images_per_s = stretch.images_per_s();
  line.data_wait_share = stretch.data_wait_share();
  line.loss = stretch.outcome.loss_sum / counted;
  line.accuracy = static_cast<double>(stretch.outcome.correct) / counted;
  if (with_top_k) line.top_k_accuracy = static_cast<double>(stretch.outcome.top_k_correct) / counted;
}

EtaEstimator::EtaEstimator(std::uint64_t steps_per_epoch, std::uint64_t epochs,
                           std::uint64_t evaluation_images)
    : steps_per_epoch_(steps_per_epoch), epochs_(epochs), evaluation_images_(evaluation_images) {}

void EtaEstimator::add_training(const Stretch& stretch) {
  if (stretch.steps == 0 || stretch.outcome.counted == 0) return;
  blend(step_s_, stretch.wall_s / static_cast<double>(stretch.steps));
  blend(image_s_, stretch.wall_s / static_cast<double>(stretch.outcome.counted));
}

std::optional<double> EtaEstimator::epoch_s(std::uint64_t step) const {
  if (!step_s_) return std::nullopt;
  const std::uint64_t done = step % steps_per_epoch_;
  return done == 0 ? 0 : *step_s_ * static_cast<double>(steps_per_epoch_ - done);
}

std::optional<double> EtaEstimator::total_s(std::uint64_t step, std::uint64_t evaluations) const {
  if (!step_s_) return std::nullopt;
  const double evaluation_s = evaluation_s_.value_or(*image_s_ * static_cast<double>(evaluation_images_));
  return *step_s_ * static_cast<double>(steps_per_epoch_ * epochs_ - step) +
         evaluation_s * static_cast<double>(evaluations);
}

}  // namespace stoker::training
