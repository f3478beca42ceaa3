#include "train/torch/normalise.hpp"

#include <ATen/ops/empty.h>
#include <gtest/gtest.h>

namespace stoker::training {
namespace {

constexpr Normalize kStatistics{.mean = {0.485F, 0.456F, 0.406F}, .std = {0.229F, 0.224F, 0.225F}};

// What a recipe's `normalize` is defined as; the loader's own tests hold it to that.
float normalised(int value, std::size_t channel) {
  return (static_cast<float>(value) / 255.0F - kStatistics.mean[channel]) / kStatistics.std[channel];
}

TEST(Normaliser, MakesTheLoadersBitsOfEveryByte) {
  const at::Tensor pixels = at::empty({1, 16, 16, 3}, at::kByte);
  for (int i = 0; i < 3 * 256; ++i)
    pixels.mutable_data_ptr<std::uint8_t>()[i] = static_cast<std::uint8_t>(i / 3);
  const at::Tensor numbers = Normaliser(kStatistics, at::kCPU)(pixels.permute({0, 3, 1, 2}));
  ASSERT_TRUE(numbers.is_contiguous(at::MemoryFormat::ChannelsLast));
  const float* data = numbers.const_data_ptr<float>();
  for (int i = 0; i < 3 * 256; ++i)
    EXPECT_EQ(data[i], normalised(i / 3, static_cast<std::size_t>(i % 3))) << i;
}

TEST(Normaliser, LeavesItsInputAlone) {
  const at::Tensor pixels = at::empty({2, 3, 4, 4}, at::kByte).fill_(7);
  Normaliser(kStatistics, at::kCPU)(pixels);
  EXPECT_TRUE(pixels.eq(7).all().item<bool>());
}

}  // namespace
}  // namespace stoker::training
