// A training with a learner of the test's own, on pictures of noise.
#pragma once

#include <atomic>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "stoker/error.hpp"

#include "base/philox.hpp"
#include "jpeg/encoder.hpp"
#include "support/temp_dir.hpp"
#include "train/loop.hpp"
#include "train/settings.hpp"

namespace stoker::training::test {

// What a learner was asked for, and what it answers.
struct Script {
  LearnerSpec spec;
  std::vector<double> rates;   // of each update
  std::vector<double> shares;  // of each batch
  std::vector<std::vector<std::int64_t>> train_labels, eval_labels;
  std::vector<float> first_pixels;
  std::vector<Size> sizes;
  std::vector<std::string> loaded;    // by load_weights
  std::vector<std::string> restored;  // by restore
  double loss = 1;
  std::function<void()> on_train_step, on_evaluate;
};

// Learns nothing but how many updates it had, and remembers everything.
class ScriptedLearner final : public Learner {
 public:
  explicit ScriptedLearner(Script& script) : script_(script) {}

  bool wants_staging() const override { return script_.spec.gpu.has_value(); }
  std::unique_ptr<StagedBatch> stage(const LearnerBatch& batch) override {
    auto staged = std::make_unique<Staged>();
    staged->labels.assign(batch.labels.begin(), batch.labels.end());
    staged->pixel = first_pixel(batch);
    return staged;
  }

  Outcome accumulate(const LearnerBatch& batch, double share) override {
    const Staged* staged = static_cast<const Staged*>(batch.staged);
    script_.shares.push_back(share);
    script_.train_labels.push_back(labels_of(batch));
    script_.sizes.push_back(batch.image_size);
    script_.first_pixels.push_back(staged ? staged->pixel : first_pixel(batch));
    return outcome(batch);
  }
  void update(double lr) override {
    script_.rates.push_back(lr);
    ++updates_;
    if (script_.on_train_step) script_.on_train_step();
  }
  Outcome evaluate(const LearnerBatch& batch, std::span<std::uint8_t> hits) override {
    script_.eval_labels.push_back(labels_of(batch));
    for (std::size_t i = 0; i < hits.size(); ++i) hits[i] = batch.labels[i] == 0;  // it always says 0
    if (script_.on_evaluate) script_.on_evaluate();
    return outcome(batch);
  }
  std::unique_ptr<LearnerState> state() const override { return std::make_unique<State>(updates_); }
  void restore(std::string_view state) override {
    script_.restored.emplace_back(state);
    updates_ = std::stoi(std::string(state));
  }
  std::vector<std::string> load_weights(std::string_view state_dict) override {
    script_.loaded.emplace_back(state_dict);
    return {"the last layer keeps its first weights"};
  }
  std::uint64_t parameter_count() const override { return 0; }

 private:
  struct Staged final : StagedBatch {
    std::vector<std::int64_t> labels;
    float pixel = 0;
  };

  static float first_pixel(const LearnerBatch& batch) {
    if (batch.dtype == DType::u8) return static_cast<float>(std::to_integer<int>(*batch.images));
    float pixel = 0;
    std::memcpy(&pixel, batch.images, sizeof pixel);
    return pixel;
  }

  static std::vector<std::int64_t> labels_of(const LearnerBatch& batch) {
    if (batch.staged) return static_cast<const Staged*>(batch.staged)->labels;
    return {batch.labels.begin(), batch.labels.end()};
  }

  class State final : public LearnerState {
   public:
    explicit State(int updates) : updates_(updates) {}
    std::string serialise() const override { return std::to_string(updates_); }

   private:
    int updates_;
  };

  Outcome outcome(const LearnerBatch& batch) const {
    Outcome sums;
    for (const std::int64_t label : batch.labels) sums.counted += label != kLeftOut;
    sums.correct = sums.counted / 2;
    sums.loss_sum = script_.loss * static_cast<double>(sums.counted);
    return sums;
  }

  Script& script_;
  int updates_ = 0;
};

class TrainingLoop : public ::testing::Test {
 protected:
  TrainingLoop() {
    options_.data_train = folder_.path("train");
    options_.data_val = folder_.path("val");
    options_.image_size = Size{16, 16};
    options_.batch_size = 4;
    options_.num_epochs = 2;
    options_.disp_batches = 2;
    options_.data_nthreads = 1;
    options_.warmup_steps = 1;
  }

  void add_pictures(const std::string& side, const std::vector<std::string>& classes, int each) {
    jpeg::Encoder encoder;
    std::vector<std::uint8_t> rgb(24 * 20 * 3);
    for (const std::string& name : classes) {
      for (int i = 0; i < each; ++i) {
        SampleRng rng(1, 0, static_cast<std::uint64_t>(i), 0);
        for (std::uint8_t& value : rgb) value = static_cast<std::uint8_t>(rng.below(256));
        const auto bytes = encoder.encode(rgb.data(), 24, 20, 24 * 3, {});
        ASSERT_TRUE(bytes);
        folder_.write(side + "/" + name + "/" + std::to_string(i) + ".jpg",
                      {reinterpret_cast<const char*>(bytes->data()), bytes->size()});
      }
    }
  }

  TrainReport run() {
    const TrainOptions options = with_defaults(options_);
    return run_training(
        options,
        [this](const LearnerSpec& spec) {
          script_.spec = spec;
          return std::make_unique<ScriptedLearner>(script_);
        },
        store_,
        {.line =
             [this](const TrainLine& line) {
               lines_.push_back(line);
               if (on_line_) on_line_(line);
             }},
        &stop_);
  }

  Error error_of_run() {
    try {
      run();
    } catch (const Error& error) {
      return error;
    }
    ADD_FAILURE() << "it ran to its end";
    return Error(ErrorCode::internal, {});
  }

  std::vector<TrainLine> lines_of(TrainPhase phase) const {
    std::vector<TrainLine> chosen;
    for (const TrainLine& line : lines_)
      if (line.phase == phase) chosen.push_back(line);
    return chosen;
  }

  stoker::test::TempDir folder_;
  std::shared_ptr<Store> store_ = open_store(".");
  TrainOptions options_;
  Script script_;
  std::vector<TrainLine> lines_;
  std::function<void(const TrainLine&)> on_line_;
  std::atomic<bool> stop_{false};
};

}  // namespace stoker::training::test
