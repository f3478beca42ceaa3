#include "train/torch/staging.hpp"

#include <ATen/ops/equal.h>
#include <ATen/ops/from_blob.h>
#include <gtest/gtest.h>
#include <thread>

#include "train/torch/test_pictures.hpp"

namespace stoker::training {
namespace {

at::Tensor pixels_of(const Pictures& pictures) {
  void* pixels = const_cast<float*>(pictures.pixels.data());
  return at::from_blob(pixels,
                       {static_cast<std::int64_t>(pictures.labels.size()), pictures.size.height,
                        pictures.size.width, 3},
                       at::kFloat)
      .permute({0, 3, 1, 2});
}

TEST(Staging, CopiesABatch) {
  const Pictures pictures(5);
  Staging staging(at::kCPU);
  const auto staged = staging.stage(pictures.batch());
  const BatchTensors& tensors = staging.take(*staged);
  EXPECT_TRUE(tensors.images.is_contiguous(at::MemoryFormat::ChannelsLast));
  EXPECT_TRUE(at::equal(tensors.images, pixels_of(pictures)));
  EXPECT_NE(tensors.images.const_data_ptr(), pictures.pixels.data());
  EXPECT_EQ(tensors.kept.size(), 5U);
  EXPECT_EQ(tensors.labels[4].item<std::int64_t>(), pictures.labels[4]);
}

TEST(Staging, CopiesTheSlotsThatCountAlone) {
  Pictures pictures(5);
  pictures.labels[0] = pictures.labels[3] = kLeftOut;
  Staging staging(at::kCPU);
  const auto staged = staging.stage(pictures.batch());
  const BatchTensors& tensors = staging.take(*staged);
  EXPECT_EQ(tensors.kept, (std::vector<std::int64_t>{1, 2, 4}));
  ASSERT_EQ(tensors.images.size(0), 3);
  EXPECT_TRUE(at::equal(tensors.images[2], pixels_of(pictures)[4]));
  EXPECT_EQ(tensors.labels[1].item<std::int64_t>(), pictures.labels[2]);
}

TEST(Staging, ABatchInUseIsNotOverwritten) {
  const Pictures first(4);
  const Pictures second(4, 3, {8, 8});
  Staging staging(at::kCPU);
  const auto in_use = staging.stage(first.batch());
  for (int i = 0; i < 5; ++i) {
    const auto next = staging.stage(second.batch());
    EXPECT_TRUE(at::equal(staging.take(*next).images, pixels_of(second)));
    EXPECT_TRUE(at::equal(staging.take(*in_use).images, pixels_of(first)));
  }
  EXPECT_EQ(staging.buffers(), 2U);
}

TEST(Staging, BuffersAreUsedAgainAndGrow) {
  Staging staging(at::kCPU);
  for (const int side : {8, 16, 8, 32}) {
    const Pictures pictures(3, 3, {side, side});
    const auto staged = staging.stage(pictures.batch());
    EXPECT_TRUE(at::equal(staging.take(*staged).images, pixels_of(pictures)));
  }
  EXPECT_EQ(staging.buffers(), 1U);
}

TEST(Staging, NothingThatCountsIsAnEmptyBatch) {
  Pictures pictures(2);
  pictures.labels = {kLeftOut, kLeftOut};
  Staging staging(at::kCPU);
  const auto staged = staging.stage(pictures.batch());
  EXPECT_TRUE(staging.take(*staged).kept.empty());
}

// The pictures as the bytes of a loader, and as its normalised numbers.
struct Bytes {
  explicit Bytes(const Pictures& pictures, const Normalize& statistics) : like(pictures) {
    for (std::size_t i = 0; i < like.pixels.size(); ++i) {
      bytes.push_back(static_cast<std::uint8_t>(128 + 90 * like.pixels[i]));
      like.pixels[i] =
          (static_cast<float>(bytes[i]) / 255.0F - statistics.mean[i % 3]) / statistics.std[i % 3];
    }
  }
  LearnerBatch batch() const {
    LearnerBatch batch = like.batch();
    batch.images = reinterpret_cast<const std::byte*>(bytes.data());
    batch.dtype = DType::u8;
    return batch;
  }

  Pictures like;
  std::vector<std::uint8_t> bytes;
};

enum class Way { numbers, bytes, staged_numbers, staged_bytes };

// The losses of a few steps and of an evaluation, and what it hit; one slot is left out.
std::vector<double> losses_by(Way way, bool bfloat16) {
  LearnerSpec spec = small_spec();
  spec.normalize = {.mean = {0.485F, 0.456F, 0.406F}, .std = {0.229F, 0.224F, 0.225F}};
  spec.bfloat16 = bfloat16;
  spec.top_k = 2;
  const auto learner = make(spec);
  std::vector<double> sums;
  std::vector<std::uint8_t> hits;
  for (const int count : {9, 12, 9, 6}) {
    Pictures pictures(count);
    pictures.labels[2] = kLeftOut;
    Bytes bytes(pictures, spec.normalize);
    const bool as_bytes = way == Way::bytes || way == Way::staged_bytes;
    LearnerBatch batch = as_bytes ? bytes.batch() : bytes.like.batch();
    std::unique_ptr<StagedBatch> staged;
    if (way == Way::staged_numbers || way == Way::staged_bytes) {
      staged = learner->stage(batch);
      batch.staged = staged.get();
      bytes.bytes.assign(bytes.bytes.size(), 0);  // not needed any more
      bytes.like.pixels.assign(bytes.like.pixels.size(), 0);
    }
    sums.push_back(train_step(*learner, batch, 0.05).loss_sum);
    hits.assign(static_cast<std::size_t>(count), 9);
    const Outcome outcome = learner->evaluate(batch, hits);
    sums.push_back(outcome.loss_sum);
    sums.push_back(static_cast<double>(outcome.top_k_correct));
    sums.insert(sums.end(), hits.begin(), hits.end());
    EXPECT_EQ(hits[2], 0);
  }
  return sums;
}

TEST(StagedBatches, GiveTheSameLossesToTheBit) {
  for (const bool bfloat16 : {false, true}) {
    const std::vector<double> expected = losses_by(Way::numbers, bfloat16);
    EXPECT_EQ(losses_by(Way::bytes, bfloat16), expected);
    EXPECT_EQ(losses_by(Way::staged_numbers, bfloat16), expected);
    EXPECT_EQ(losses_by(Way::staged_bytes, bfloat16), expected);
  }
}

TEST(StagedBatches, AreMadeBesideTheLearnerAtWork) {
  const Pictures pictures(12);
  const auto alone = make(small_spec());
  const auto fed = make(small_spec());
  std::unique_ptr<StagedBatch> ready = fed->stage(pictures.batch());
  for (int i = 0; i < 8; ++i) {
    const std::unique_ptr<StagedBatch> in_use = std::move(ready);
    std::thread other([&] { ready = fed->stage(pictures.batch()); });
    LearnerBatch batch = pictures.batch();
    batch.staged = in_use.get();
    EXPECT_EQ(train_step(*fed, batch, 0.05).loss_sum, train_step(*alone, pictures.batch(), 0.05).loss_sum);
    other.join();
  }
}

}  // namespace
}  // namespace stoker::training
