// What the loop does for a learner whose device has a memory of its own.
#include <filesystem>
#include <gmock/gmock.h>

#include "train/loop_fixtures.hpp"

namespace stoker::training::test {
namespace {

class LoopWithGpu : public TrainingLoop {
 protected:
  LoopWithGpu() {
    add_pictures("train", {"a", "b"}, 9);  // 18: 4 steps of 4 an epoch
    add_pictures("val", {"a", "b"}, 3);
    options_.num_epochs = 3;
  }
  Script run_on(std::optional<int> gpu) {
    options_.gpu = gpu;
    script_ = Script();
    lines_.clear();
    run();
    return script_;
  }
};

TEST_F(LoopWithGpu, TheSameSamplesComeInTheSameOrder) {
  for (const int accumulate : {1, 3}) {
    options_.accumulate = accumulate;
    const Script cpu = run_on(std::nullopt);
    const Script gpu = run_on(2);
    EXPECT_EQ(gpu.spec.gpu, 2);
    EXPECT_EQ(gpu.train_labels, cpu.train_labels);
    EXPECT_EQ(gpu.eval_labels, cpu.eval_labels);
    EXPECT_EQ(gpu.shares, cpu.shares);
    EXPECT_EQ(gpu.rates, cpu.rates);
  }
}

TEST_F(LoopWithGpu, ItGetsBytesAndWhatToNormaliseThemWith) {
  const Script cpu = run_on(std::nullopt);
  const Script gpu = run_on(0);
  ASSERT_EQ(gpu.first_pixels.size(), cpu.first_pixels.size());
  const Normalize& statistics = gpu.spec.normalize;
  for (std::size_t i = 0; i < gpu.first_pixels.size(); ++i)
    EXPECT_EQ((gpu.first_pixels[i] / 255.0F - statistics.mean[0]) / statistics.std[0], cpu.first_pixels[i]);
}

TEST_F(LoopWithGpu, GoesOnWithTheBatchThatWouldHaveComeNextAndOnTheOtherDeviceToo) {
  const std::vector<std::vector<std::int64_t>> undisturbed = run_on(0).train_labels;
  for (const auto& [first, second] :
       {std::pair<std::optional<int>, std::optional<int>>{0, 0}, {0, std::nullopt}, {std::nullopt, 0}}) {
    for (int step = 1; step < 12; ++step) {
      options_.model_prefix = folder_.path("models/net");
      options_.gpu = first;
      options_.resume = false;
      std::filesystem::remove_all(folder_.path("models"));
      script_ = Script();
      script_.on_train_step = [this, step] { stop_ = static_cast<int>(script_.rates.size()) >= step; };
      EXPECT_TRUE(run().interrupted);
      script_.on_train_step = {};
      stop_ = false;
      options_.gpu = second;
      options_.resume = true;
      run();
      EXPECT_EQ(script_.train_labels, undisturbed) << "stopped behind step " << step;
    }
  }
}

TEST_F(LoopWithGpu, AnErrorOfTheSourceIsThrown) {
  folder_.write("train/a/0.jpg", "no picture");
  options_.gpu = 0;
  options_.bad_sample = BadSamplePolicy::raise;
  options_.model_prefix = folder_.path("models/net");
  EXPECT_THAT(error_of_run().what(), ::testing::HasSubstr("0.jpg"));
}

}  // namespace
}  // namespace stoker::training::test
