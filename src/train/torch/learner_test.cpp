#include "train/learner.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <limits>
#include <vector>

#include "stoker/error.hpp"

#include "base/philox.hpp"
#include "train/library.hpp"

extern "C" const stoker::training::TrainLibrary* stoker_train_library();

namespace stoker::training {
namespace {

constexpr Size kSize{16, 16};

LearnerSpec small_spec() {
  return {
      .num_layers = 8, .width = 4, .num_classes = 3, .image_size = kSize, .mom = 0.9, .wd = 1e-4, .seed = 5};
}

std::unique_ptr<Learner> make(const LearnerSpec& spec) { return stoker_train_library()->make_learner(spec); }

// Pictures of noise in which a class shows as stripes of its own direction: no single pixel tells it.
struct Pictures {
  explicit Pictures(int count, int classes = 3) {
    for (int i = 0; i < count; ++i) {
      SampleRng rng(1, 0, static_cast<std::uint64_t>(i), 0);
      const int label = i % classes;
      const double phase = rng.uniform(0, 6.28);
      labels.push_back(label);
      for (int y = 0; y < kSize.height; ++y)
        for (int x = 0; x < kSize.width; ++x)
          for (int channel = 0; channel < 3; ++channel) {
            const double along = label == 0 ? x : label == 1 ? y : x + y;
            pixels.push_back(static_cast<float>(std::sin(along * 1.5 + phase) + rng.uniform(-0.3, 0.3)));
          }
    }
  }
  LearnerBatch batch() const { return batch_of(static_cast<int>(labels.size())); }
  LearnerBatch batch_of(int count) const {
    return {count, reinterpret_cast<const std::byte*>(pixels.data()),
            std::span(labels).first(static_cast<std::size_t>(count))};
  }

  std::vector<float> pixels;
  std::vector<std::int64_t> labels;
};

TEST(TrainLibrary, TellsItsInterface) {
  EXPECT_EQ(stoker_train_library()->interface, kLibraryInterface);
  EXPECT_EQ(stoker_train_library()->spec_bytes, sizeof(LearnerSpec));
  EXPECT_FALSE(stoker_train_library()->torch_version.empty());
}

TEST(Learner, LearnsStripes) {
  const Pictures pictures(30);
  const auto learner = make(small_spec());
  const Outcome first = learner->train_step(pictures.batch(), 0.05);
  EXPECT_EQ(first.counted, 30U);
  EXPECT_NEAR(first.loss_sum / 30, std::log(3.0), 0.2);  // it knows nothing yet
  Outcome last;
  for (int i = 0; i < 60; ++i) last = learner->train_step(pictures.batch(), 0.05);
  EXPECT_LT(last.loss_sum, 0.2 * first.loss_sum);
  EXPECT_GT(last.correct, 27U);
  EXPECT_GT(learner->evaluate(pictures.batch()).correct, 27U);
}

TEST(Learner, TheSameSeedGivesTheSameLosses) {
  const Pictures pictures(12);
  const auto losses = [&](std::uint64_t seed) {
    LearnerSpec spec = small_spec();
    spec.seed = seed;
    const auto learner = make(spec);
    std::vector<double> sums;
    for (int i = 0; i < 5; ++i) sums.push_back(learner->train_step(pictures.batch(), 0.05).loss_sum);
    return sums;
  };
  EXPECT_EQ(losses(3), losses(3));
  EXPECT_NE(losses(3), losses(4));
}

TEST(Learner, SlotsLeftOutChangeNothing) {
  Pictures with_bad(12);
  for (std::size_t slot = 8; slot < 12; ++slot) {
    with_bad.labels[slot] = kLeftOut;
    const std::size_t values = 3UL * kSize.width * kSize.height;
    std::fill_n(with_bad.pixels.begin() + static_cast<std::ptrdiff_t>(slot * values), values,
                std::numeric_limits<float>::quiet_NaN());
  }
  const Pictures good(8);
  const auto one = make(small_spec());
  const auto other = make(small_spec());
  for (int i = 0; i < 3; ++i) {
    const Outcome outcome = one->train_step(with_bad.batch(), 0.05);
    EXPECT_EQ(outcome.counted, 8U);
    EXPECT_EQ(outcome.loss_sum, other->train_step(good.batch(), 0.05).loss_sum);
  }
  EXPECT_EQ(one->evaluate(with_bad.batch()).loss_sum, other->evaluate(good.batch()).loss_sum);
}

TEST(Learner, ABatchWithEverySlotLeftOutIsNoStep) {
  Pictures pictures(4);
  const auto learner = make(small_spec());
  const double before = learner->evaluate(pictures.batch()).loss_sum;
  Pictures bad(4);
  bad.labels.assign(4, kLeftOut);
  EXPECT_EQ(learner->train_step(bad.batch(), 0.1).counted, 0U);
  EXPECT_EQ(learner->evaluate(bad.batch()).counted, 0U);
  EXPECT_EQ(learner->evaluate(pictures.batch()).loss_sum, before);
}

TEST(Learner, EvaluationChangesNothing) {
  const Pictures pictures(9);
  const auto learner = make(small_spec());
  learner->train_step(pictures.batch(), 0.05);
  const double before = learner->evaluate(pictures.batch()).loss_sum;
  EXPECT_EQ(learner->evaluate(pictures.batch()).loss_sum, before);
}

TEST(Learner, TakesASingleImage) {
  const Pictures pictures(3);
  const auto learner = make(small_spec());
  EXPECT_TRUE(std::isfinite(learner->train_step(pictures.batch_of(1), 0.01).loss_sum));
}

TEST(Learner, CountsTopK) {
  const Pictures pictures(9);
  LearnerSpec spec = small_spec();
  spec.top_k = 2;
  const Outcome two = make(spec)->evaluate(pictures.batch());
  EXPECT_GE(two.top_k_correct, two.correct);
  spec.top_k = 3;  // of three classes
  EXPECT_EQ(make(spec)->evaluate(pictures.batch()).top_k_correct, 9U);
}

TEST(Learner, LabelSmoothingRaisesTheTrainedLossAlone) {
  const Pictures pictures(9);
  LearnerSpec spec = small_spec();
  const auto plain = make(spec);
  spec.label_smoothing = 0.2;
  const auto smooth = make(spec);
  EXPECT_EQ(plain->evaluate(pictures.batch()).loss_sum, smooth->evaluate(pictures.batch()).loss_sum);
  for (int i = 0; i < 60; ++i) {
    plain->train_step(pictures.batch(), 0.05);
    smooth->train_step(pictures.batch(), 0.05);
  }
  // The least loss with smoothing s and k classes is the entropy of (1 - s + s/k, s/k, …).
  const double right = 1 - 0.2 + 0.2 / 3;
  const double wrong = 0.2 / 3;
  const double least = -right * std::log(right) - 2 * wrong * std::log(wrong);
  EXPECT_GE(smooth->train_step(pictures.batch(), 0).loss_sum / 9, least - 1e-6);
  EXPECT_LT(plain->train_step(pictures.batch(), 0).loss_sum / 9, least);
}

TEST(Learner, DivergenceShowsInTheLoss) {
  const Pictures pictures(9);
  const auto learner = make(small_spec());
  Outcome outcome;
  for (int i = 0; i < 20; ++i) outcome = learner->train_step(pictures.batch(), 1e30);
  EXPECT_FALSE(std::isfinite(outcome.loss_sum));
}

TEST(Learner, AnImpossibleSizeIsAnErrorOfOurs) {
  LearnerSpec spec = small_spec();
  spec.num_layers = 56;
  spec.width = 1'000'000;  // 144 TB of weights
  try {
    make(spec);
    FAIL() << "it was made";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_resources);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("memory"));
  }
}

TEST(Learner, CountsItsParameters) {
  LearnerSpec spec = small_spec();
  spec.num_layers = 20;
  spec.width = 16;
  spec.num_classes = 10;
  EXPECT_EQ(make(spec)->parameter_count(), 272'474U);
}

}  // namespace
}  // namespace stoker::training
