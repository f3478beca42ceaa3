#include "train/learner.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <limits>
#include <vector>

#include "stoker/error.hpp"

#include "train/torch/test_pictures.hpp"

namespace stoker::training {
namespace {

TEST(TrainLibrary, TellsItsInterface) {
  EXPECT_EQ(stoker_train_library()->interface, kLibraryInterface);
  EXPECT_EQ(stoker_train_library()->spec_bytes, sizeof(LearnerSpec));
  EXPECT_FALSE(stoker_train_library()->torch_version.empty());
}

TEST(Learner, LearnsStripes) {
  const Pictures pictures(30);
  const auto learner = make(small_spec());
  const Outcome first = train_step(*learner, pictures.batch(), 0.05);
  EXPECT_EQ(first.counted, 30U);
  EXPECT_NEAR(first.loss_sum / 30, std::log(3.0), 0.2);  // it knows nothing yet
  Outcome last;
  for (int i = 0; i < 60; ++i) last = train_step(*learner, pictures.batch(), 0.05);
  EXPECT_LT(last.loss_sum, 0.2 * first.loss_sum);
  EXPECT_GT(last.correct, 27U);
  EXPECT_GT(learner->evaluate(pictures.batch(), {}).correct, 27U);
}

TEST(Learner, TheSameSeedGivesTheSameLosses) {
  const Pictures pictures(12);
  const auto losses = [&](std::uint64_t seed) {
    LearnerSpec spec = small_spec();
    spec.seed = seed;
    const auto learner = make(spec);
    std::vector<double> sums;
    for (int i = 0; i < 5; ++i) sums.push_back(train_step(*learner, pictures.batch(), 0.05).loss_sum);
    return sums;
  };
  EXPECT_EQ(losses(3), losses(3));
  EXPECT_NE(losses(3), losses(4));
}

TEST(Learner, SlotsLeftOutChangeNothing) {
  Pictures with_bad(12);
  for (std::size_t slot = 8; slot < 12; ++slot) {
    with_bad.labels[slot] = kLeftOut;
    const std::size_t values = 3UL * kPictureSize.width * kPictureSize.height;
    std::fill_n(with_bad.pixels.begin() + static_cast<std::ptrdiff_t>(slot * values), values,
                std::numeric_limits<float>::quiet_NaN());
  }
  const Pictures good(8);
  const auto one = make(small_spec());
  const auto other = make(small_spec());
  for (int i = 0; i < 3; ++i) {
    const Outcome outcome = train_step(*one, with_bad.batch(), 0.05);
    EXPECT_EQ(outcome.counted, 8U);
    EXPECT_EQ(outcome.loss_sum, train_step(*other, good.batch(), 0.05).loss_sum);
  }
  EXPECT_EQ(one->evaluate(with_bad.batch(), {}).loss_sum, other->evaluate(good.batch(), {}).loss_sum);
}

TEST(Learner, ABatchWithEverySlotLeftOutIsNoStep) {
  Pictures pictures(4);
  const auto learner = make(small_spec());
  const double before = learner->evaluate(pictures.batch(), {}).loss_sum;
  Pictures bad(4);
  bad.labels.assign(4, kLeftOut);
  EXPECT_EQ(train_step(*learner, bad.batch(), 0.1).counted, 0U);
  EXPECT_EQ(learner->evaluate(bad.batch(), {}).counted, 0U);
  EXPECT_EQ(learner->evaluate(pictures.batch(), {}).loss_sum, before);
}

TEST(Learner, EvaluationChangesNothing) {
  const Pictures pictures(9);
  const auto learner = make(small_spec());
  train_step(*learner, pictures.batch(), 0.05);
  const double before = learner->evaluate(pictures.batch(), {}).loss_sum;
  EXPECT_EQ(learner->evaluate(pictures.batch(), {}).loss_sum, before);
}

TEST(Learner, TakesASingleImage) {
  const Pictures pictures(3);
  const auto learner = make(small_spec());
  EXPECT_TRUE(std::isfinite(train_step(*learner, pictures.batch_of(1), 0.01).loss_sum));
}

TEST(Learner, CountsTopK) {
  const Pictures pictures(9);
  LearnerSpec spec = small_spec();
  spec.top_k = 2;
  const Outcome two = make(spec)->evaluate(pictures.batch(), {});
  EXPECT_GE(two.top_k_correct, two.correct);
  spec.top_k = 3;  // of three classes
  EXPECT_EQ(make(spec)->evaluate(pictures.batch(), {}).top_k_correct, 9U);
}

TEST(Learner, LabelSmoothingRaisesTheTrainedLossAlone) {
  const Pictures pictures(9);
  LearnerSpec spec = small_spec();
  const auto plain = make(spec);
  spec.label_smoothing = 0.2;
  const auto smooth = make(spec);
  EXPECT_EQ(plain->evaluate(pictures.batch(), {}).loss_sum, smooth->evaluate(pictures.batch(), {}).loss_sum);
  for (int i = 0; i < 60; ++i) {
    train_step(*plain, pictures.batch(), 0.05);
    train_step(*smooth, pictures.batch(), 0.05);
  }
  // The least loss with smoothing s and k classes is the entropy of (1 - s + s/k, s/k, …).
  const double right = 1 - 0.2 + 0.2 / 3;
  const double wrong = 0.2 / 3;
  const double least = -right * std::log(right) - 2 * wrong * std::log(wrong);
  EXPECT_GE(train_step(*smooth, pictures.batch(), 0).loss_sum / 9, least - 1e-6);
  EXPECT_LT(train_step(*plain, pictures.batch(), 0).loss_sum / 9, least);
}

TEST(Learner, DivergenceShowsInTheLoss) {
  const Pictures pictures(9);
  const auto learner = make(small_spec());
  Outcome outcome;
  for (int i = 0; i < 20; ++i) outcome = train_step(*learner, pictures.batch(), 1e30);
  EXPECT_FALSE(std::isfinite(outcome.loss_sum));
}

TEST(Learner, GradientsOfSharesAddUp) {
  const Pictures pictures(9);
  const auto whole = make(small_spec());
  const auto halves = make(small_spec());
  for (int i = 0; i < 3; ++i) {
    const Outcome one = whole->accumulate(pictures.batch(), 1.0);
    Outcome two = halves->accumulate(pictures.batch(), 0.5);
    two += halves->accumulate(pictures.batch(), 0.5);
    EXPECT_EQ(two.counted, 2 * one.counted);
    EXPECT_NEAR(two.loss_sum, 2 * one.loss_sum, 1e-4);
    whole->update(0.05);
    halves->update(0.05);
  }
}

TEST(Learner, AnUpdateOfNothingIsNoStep) {
  const Pictures pictures(9);
  LearnerSpec spec = small_spec();
  spec.ema_decay = 0.5;
  const auto learner = make(spec);
  train_step(*learner, pictures.batch(), 0.05);
  const double before = learner->evaluate(pictures.batch(), {}).loss_sum;
  learner->update(0.05);  // the velocity would carry on
  EXPECT_EQ(learner->evaluate(pictures.batch(), {}).loss_sum, before);
}

TEST(Learner, TellsTheSlotsThatItHit) {
  Pictures pictures(9);
  pictures.labels[4] = kLeftOut;
  const auto learner = make(small_spec());
  std::vector<std::uint8_t> hits(9, 7);
  const Outcome outcome = learner->evaluate(pictures.batch(), hits);
  EXPECT_EQ(hits[4], 0);
  std::uint64_t sum = 0;
  for (const std::uint8_t hit : hits) sum += hit;
  EXPECT_EQ(sum, outcome.correct);
  for (std::size_t slot = 0; slot < 9; ++slot) {
    Pictures one = pictures;
    one.labels.assign(9, kLeftOut);
    one.labels[slot] = pictures.labels[slot];
    EXPECT_EQ(learner->evaluate(one.batch(), {}).correct, hits[slot]) << slot;
  }
}

TEST(Learner, TakesPicturesOfAnotherSizeInBetween) {
  const Pictures small(6);
  const Pictures large(6, 3, {24, 40});
  const auto learner = make(small_spec());
  train_step(*learner, small.batch(), 0.05);
  EXPECT_TRUE(std::isfinite(train_step(*learner, large.batch(), 0.05).loss_sum));
  EXPECT_EQ(learner->evaluate(small.batch(), {}).counted, 6U);
}

TEST(Learner, BfloatLearnsAndStaysNearF32) {
  const Pictures pictures(30);
  LearnerSpec spec = small_spec();
  const auto exact = make(spec);
  spec.bfloat16 = true;
  const auto rounded = make(spec);
  // Eight bits of mantissa: 1/256 of each layer's numbers.
  EXPECT_NEAR(train_step(*rounded, pictures.batch(), 0.05).loss_sum,
              train_step(*exact, pictures.batch(), 0.05).loss_sum, 0.3);
  Outcome last;
  for (int i = 0; i < 60; ++i) last = train_step(*rounded, pictures.batch(), 0.05);
  EXPECT_LT(last.loss_sum, 0.2 * 30 * std::log(3.0));
  EXPECT_NE(last.loss_sum, std::floor(last.loss_sum * 4) / 4);  // summed in f32
}

TEST(Learner, EvaluatesByTheRunningMeanOfWeights) {
  const Pictures pictures(9);
  LearnerSpec spec = small_spec();
  const auto plain = make(spec);
  spec.ema_decay = 0.9;
  const auto mean = make(spec);
  // The first update copies.
  for (const auto* learner : {&plain, &mean}) train_step(**learner, pictures.batch(), 0.05);
  EXPECT_EQ(plain->evaluate(pictures.batch(), {}).loss_sum, mean->evaluate(pictures.batch(), {}).loss_sum);
  for (const auto* learner : {&plain, &mean}) train_step(**learner, pictures.batch(), 0.05);
  EXPECT_NE(plain->evaluate(pictures.batch(), {}).loss_sum, mean->evaluate(pictures.batch(), {}).loss_sum);
  // It does not change what is trained.
  EXPECT_EQ(train_step(*plain, pictures.batch(), 0.05).loss_sum,
            train_step(*mean, pictures.batch(), 0.05).loss_sum);
}

TEST(Learner, AnUnknownNetworkIsAnErrorOfOurs) {
  for (const auto& [num_layers, width] : {std::pair{19, 64}, {0, 16}, {-4, 16}, {18, 32}}) {
    LearnerSpec spec = small_spec();
    spec.network.num_layers = num_layers;
    spec.network.width = width;
    try {
      make(spec);
      FAIL() << num_layers;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument) << num_layers;
    }
  }
}

TEST(Learner, AnImpossibleSizeIsAnErrorOfOurs) {
  LearnerSpec spec = small_spec();
  spec.network.num_layers = 56;
  spec.network.width = 1'000'000;  // 144 TB of weights
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
  spec.network.num_layers = 20;
  spec.network.width = 16;
  spec.network.num_classes = 10;
  EXPECT_EQ(make(spec)->parameter_count(), 272'474U);
}

}  // namespace
}  // namespace stoker::training
