// Whole trainings of the network, on devices of every kind that there is.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <gmock/gmock.h>
#include <string>
#include <vector>

#include "stoker/error.hpp"

#include "train/checkpoint.hpp"
#include "train/loop_fixtures.hpp"
#include "train/torch/test_pictures.hpp"

namespace stoker::training::test {
namespace {

// A learner on the CPU that asks for everything that one on a GPU asks for.
class WithOwnMemory final : public Learner {
 public:
  explicit WithOwnMemory(std::unique_ptr<Learner> own) : own_(std::move(own)) {}

  bool wants_staging() const override { return true; }
  std::unique_ptr<StagedBatch> stage(const LearnerBatch& batch) override { return own_->stage(batch); }
  Outcome accumulate(const LearnerBatch& batch, double share) override {
    return own_->accumulate(batch, share);
  }
  void update(double lr) override { own_->update(lr); }
  Outcome evaluate(const LearnerBatch& batch, std::span<std::uint8_t> hits) override {
    return own_->evaluate(batch, hits);
  }
  std::unique_ptr<LearnerState> state() const override { return own_->state(); }
  void restore(std::string_view state) override { own_->restore(state); }
  std::vector<std::string> load_weights(std::string_view bytes) override { return own_->load_weights(bytes); }
  std::uint64_t parameter_count() const override { return own_->parameter_count(); }

 private:
  std::unique_ptr<Learner> own_;
};

enum class Where { cpu, like_a_gpu, gpu };

class WholeTraining : public TrainingLoop {
 protected:
  WholeTraining() {
    add_pictures("train", {"a", "b"}, 14);
    add_pictures("val", {"a", "b"}, 3);
    options_.num_layers = 8;
    options_.width = 4;
    options_.num_epochs = 3;
    options_.disp_batches = 1;
    options_.compute_threads = 1;
    options_.accumulate = 2;
    options_.ema_decay = 0.5;
    options_.top_k = 2;
    options_.image_size_schedule = {{1, {24, 24}}};
    options_.model_prefix = folder_.path("net");
  }

  // The losses of every step and every evaluation. Checkpoints of what is trained anew are removed first.
  std::vector<double> losses_on(Where where) {
    options_.gpu = where == Where::cpu ? std::nullopt : std::optional(0);
    for (int epoch = options_.load_epoch.value_or(0) + 1; epoch <= options_.num_epochs; ++epoch)
      std::filesystem::remove(folder_.path("net-000" + std::to_string(epoch) + ".ckpt"));
    std::vector<double> losses;
    run_training(
        with_defaults(options_),
        [where](LearnerSpec spec) -> std::unique_ptr<Learner> {
          if (where != Where::gpu) spec.gpu.reset();
          if (where != Where::like_a_gpu) return make(spec);
          return std::make_unique<WithOwnMemory>(make(spec));
        },
        store_, {.line = [&](const TrainLine& line) { losses.push_back(line.loss); }}, &stop_);
    return losses;
  }

  std::string last_state() const {
    const std::string path = folder_.path("net-0003.ckpt");
    return read_checkpoint(*store_, path).value().learner;
  }
};

TEST_F(WholeTraining, WithBytesCopiedAheadIsTheSameToTheBit) {
  const std::vector<double> expected = losses_on(Where::cpu);
  const std::string state = last_state();
  EXPECT_EQ(losses_on(Where::like_a_gpu), expected);
  EXPECT_EQ(last_state(), state);
}

TEST_F(WholeTraining, GoesOnOnTheOtherKindOfDevice) {
  const std::vector<double> expected = losses_on(Where::cpu);
  const std::string state = last_state();
  options_.load_epoch = 1;
  const std::vector<double> rest = losses_on(Where::like_a_gpu);
  EXPECT_TRUE(std::equal(rest.rbegin(), rest.rend(), expected.rbegin()));
  EXPECT_EQ(last_state(), state);
}

TEST_F(WholeTraining, OnAGpuComesCloseToOneOnTheCpu) {
  try {
    stoker_train_library()->open_gpu(0);
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
  const std::vector<double> on_gpu = losses_on(Where::gpu);
  options_.load_epoch = 1;
  const std::vector<double> rest = losses_on(Where::cpu);
  options_.load_epoch.reset();
  const std::vector<double> expected = losses_on(Where::cpu);
  ASSERT_EQ(on_gpu.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(on_gpu[i], expected[i], 0.05) << i;
  for (std::size_t i = 0; i < rest.size(); ++i)
    EXPECT_NEAR(rest[i], expected[expected.size() - rest.size() + i], 0.05) << i;
  options_.bfloat16 = true;
  for (const double loss : losses_on(Where::gpu)) EXPECT_TRUE(std::isfinite(loss));
}

}  // namespace
}  // namespace stoker::training::test
