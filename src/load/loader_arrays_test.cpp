// Arrays as tensors: the numbers of .npy samples, in batches.
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "array/npy.hpp"
#include "base/float16.hpp"
#include "load/fixtures.hpp"
#include "load/slot.hpp"

namespace stoker::load::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<float> numbers_of(std::size_t sample) {
  std::vector<float> numbers(6);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(10 * sample + i) / 4;
  return numbers;
}

// Sample i is an array of 2 × 3, halves where i is odd.
std::shared_ptr<MemoryReader> arrays(std::size_t size) {
  auto records = std::make_shared<MemoryReader>(size);
  std::vector<std::byte> file;
  for (std::size_t i = 0; i < size; ++i) {
    array::write_npy({2, 3}, numbers_of(i),
                     i % 2 == 0 ? array::StoredType::float32 : array::StoredType::float16, file);
    records->set_bytes(i, file);
  }
  return records;
}

LoaderOptions array_options(const std::string& recipe) {
  LoaderOptions options = small_options();
  options.recipe = recipe;
  return options;
}

TEST(LoaderArrays, NumbersComeInBatches) {
  const auto records = arrays(10);
  Loader loader(records, array_options("array(2x3)"));
  std::size_t samples = 0;
  while (const Batch batch = loader.next()) {
    EXPECT_THAT(batch.shape(), ElementsAre(2U, 3U));
    EXPECT_EQ(batch.dtype(), DType::f32);
    EXPECT_EQ(batch.image_bytes(), 24U);
    EXPECT_EQ(batch.image_size(), Size{});
    for (int slot = 0; slot < batch.size(); ++slot, ++samples) {
      const auto at = static_cast<std::size_t>(slot);
      std::vector<float> got(6);
      std::memcpy(got.data(), batch.images() + at * batch.image_bytes(), 24);
      EXPECT_EQ(got, numbers_of(batch.indices()[at]));
      EXPECT_EQ(batch.labels()[at], static_cast<float>(batch.indices()[at]));
      EXPECT_EQ(batch.statuses()[at], SampleStatus::ok);
    }
  }
  EXPECT_EQ(samples, 10U);
  EXPECT_EQ(loader.decode_counts().other, 0U) << "nothing was decoded";
}

TEST(LoaderArrays, HalvesOnRequest) {
  Loader loader(arrays(4), array_options("array(2x3) tensor(f16)"));
  const Batch batch = loader.next();
  EXPECT_EQ(batch.dtype(), DType::f16);
  ASSERT_EQ(batch.image_bytes(), 12U);
  for (std::size_t at = 0; at < 4; ++at) {
    std::vector<std::uint16_t> got(6);
    std::memcpy(got.data(), batch.images() + at * 12, 12);
    const std::vector<float> wanted = numbers_of(batch.indices()[at]);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(got[i], to_f16(wanted[i]));
  }
}

TEST(LoaderArrays, AnArrayOfAnotherShapeIsABadSample) {
  const auto records = arrays(8);
  std::vector<std::byte> file;
  array::write_npy({6}, numbers_of(0), array::StoredType::float32, file);
  records->set_bytes(5, file);
  records->set_bytes(6, {});
  LoaderOptions options = array_options("array(2x3)");
  options.shuffle = false;
  Loader loader(records, options);
  ASSERT_TRUE(loader.next());
  const Batch batch = loader.next();
  EXPECT_EQ(batch.statuses()[1], SampleStatus::bad);
  EXPECT_EQ(batch.labels()[1], kNoLabel);
  EXPECT_EQ(batch.statuses()[2], SampleStatus::bad);
  EXPECT_EQ(batch.statuses()[3], SampleStatus::ok);
  const std::vector<BadRecord> bad = loader.bad_samples();
  ASSERT_EQ(bad.size(), 2U);
  EXPECT_EQ(bad[0].key, "sample-5");
  EXPECT_THAT(bad[0].reason, HasSubstr("the shape [6]; allowed: [2, 3]"));
}

TEST(LoaderArrays, PicturesAreNoArrays) {
  LoaderOptions options = array_options("array(2x3)");
  options.bad_sample = BadSamplePolicy::raise;
  Loader loader(std::make_shared<MemoryReader>(4), options);
  try {
    loader.next();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("does not begin with"));
  }
}

TEST(LoaderArrays, SameBatchesForAnyNumberOfThreads) {
  const auto records = arrays(23);
  std::vector<std::vector<SeenBatch>> epochs;
  for (const int threads : {1, 3}) {
    LoaderOptions options = array_options("array(2x3)");
    options.threads = threads;
    Loader loader(records, options);
    epochs.push_back(see_epoch(loader));
  }
  EXPECT_EQ(epochs[0], epochs[1]);
}

}  // namespace
}  // namespace stoker::load::test
