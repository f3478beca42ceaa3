// stoker::train() from JPEG files to a network that learned, through the shared library that holds PyTorch.
#include "stoker/train.hpp"

#include <cmath>
#include <cstdlib>
#include <gmock/gmock.h>
#include <vector>

#include "stoker/error.hpp"

#include "base/philox.hpp"
#include "jpeg/encoder.hpp"
#include "support/temp_dir.hpp"
#include "train/backend.hpp"

namespace stoker {
namespace {

constexpr int kSide = 40;

class EndToEndTraining : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { ::setenv("STOKER_TRAIN_LIBRARY", STOKER_TRAIN_LIBRARY_BUILT, 1); }

  EndToEndTraining() {
    add_pictures("train", 32, 0);
    add_pictures("val", 16, 1000);
    options_.data_train = folder_.path("train");
    options_.data_val = folder_.path("val");
    options_.num_layers = 8;
    options_.width = 8;
    options_.image_size = Size{24, 24};
    options_.batch_size = 16;
    options_.num_epochs = 8;
    options_.lr = 0.05;
    options_.warmup_steps = 4;
    options_.compute_threads = 1;
    options_.disp_batches = 4;
  }

  // Two classes: soft stripes that lie down or stand up, of any phase, width and colour, in noise.
  void add_pictures(const std::string& part, int each, std::uint64_t first) {
    jpeg::Encoder encoder;
    for (const char* name : {"lying", "standing"}) {
      for (int i = 0; i < each; ++i) {
        SampleRng rng(3, name[0] == 'l', first + static_cast<std::uint64_t>(i), 0);
        const double phase = rng.uniform(0, 6.3), pitch = rng.uniform(0.6, 1.2);
        const double tint[3] = {rng.uniform(30, 100), rng.uniform(30, 100), rng.uniform(30, 100)};
        std::vector<std::uint8_t> rgb;
        for (int y = 0; y < kSide; ++y)
          for (int x = 0; x < kSide; ++x)
            for (const double strength : tint)
              rgb.push_back(static_cast<std::uint8_t>(
                  128 + strength * std::sin((name[0] == 'l' ? y : x) * pitch + phase) +
                  rng.uniform(-25, 25)));
        const auto bytes = encoder.encode(rgb.data(), kSide, kSide, 3 * kSide, {});
        ASSERT_TRUE(bytes);
        folder_.write(part + "/" + name + "/" + std::to_string(i) + ".jpg",
                      {reinterpret_cast<const char*>(bytes->data()), bytes->size()});
      }
    }
  }

  std::vector<double> losses() {
    std::vector<double> all;
    train(options_, {.line = [&](const TrainLine& line) { all.push_back(line.loss); }});
    return all;
  }

  test::TempDir folder_;
  TrainOptions options_;
};

TEST_F(EndToEndTraining, ANetworkLearnsFromFiles) {
  ASSERT_TRUE(train_available());
  std::vector<TrainLine> lines;
  const TrainReport report = train(options_, {.line = [&](const TrainLine& line) { lines.push_back(line); }});
  ASSERT_EQ(report.evaluations.size(), 8U);
  EXPECT_LT(report.evaluations.back().loss, 0.5 * std::log(2.0));
  EXPECT_GT(report.final_accuracy, 0.85);  // chance is 0.5; 32 pictures
  EXPECT_LT(lines[lines.size() - 2].loss, 0.5 * lines.front().loss);
  EXPECT_EQ(report.images, 8U * 64);
  EXPECT_GT(report.images_per_s, 0);
}

TEST_F(EndToEndTraining, TheSameSeedGivesTheSameLosses) {
  options_.num_epochs = 2;
  options_.data_nthreads = 1;
  const std::vector<double> once = losses();
  options_.data_nthreads = 3;
  EXPECT_EQ(losses(), once);
  options_.seed = 1;
  EXPECT_NE(losses(), once);
}

TEST_F(EndToEndTraining, AnAbsurdLearningRateIsToldAsDivergence) {
  options_.lr = 1e30;
  options_.warmup_steps = 0;
  try {
    train(options_);
    FAIL() << "it ran to its end";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("diverged"));
  }
}

TEST_F(EndToEndTraining, ErrorsCrossTheLibrarysBorder) {
  const training::TrainLibrary* library = value_or_throw(training::open_library());
  try {
    library->make_learner({.network = {.num_layers = 56, .width = 1'000'000, .num_classes = 2}});
    FAIL() << "weights of 144 TB were made";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_resources);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("memory"));
  }
}

TEST_F(EndToEndTraining, TheLibraryIsOpenedOnce) {
  EXPECT_EQ(value_or_throw(training::open_library()), value_or_throw(training::open_library()));
  EXPECT_STREQ(std::getenv("OMP_WAIT_POLICY"), "PASSIVE");
}

}  // namespace
}  // namespace stoker
