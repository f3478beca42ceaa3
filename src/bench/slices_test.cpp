// The stretches that the measurements are made of, on a source in memory.
#include <atomic>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

#include "stoker/error.hpp"

#include "bench/load_slices.hpp"
#include "bench/memory_reader.hpp"
#include "bench/turbo_slice.hpp"

namespace stoker::bench {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::SizeIs;

LoaderOptions options_of(int batch_size) {
  LoaderOptions options;
  options.recipe = "random_resized_crop(16)";
  options.batch_size = batch_size;
  options.threads = 1;
  options.publish_counters = false;
  return options;
}

// A source in which only one sample is a picture, and one cannot even be read.
class MostlyBadReader : public MemoryReader {
 public:
  explicit MostlyBadReader(std::size_t size, std::size_t good)
      : MemoryReader(make_tiny_jpeg(16), size), good_(good) {}
  void read(std::size_t index, Sample& sample) const override {
    MemoryReader::read(index, sample);
    if (index == good_) return;
    if (index == 0) throw Error(ErrorCode::corrupt_data, {.operation = "read record"});
    sample.buffer.assign(4, std::byte{0});
    sample.fields.assign(1, Field{"image", sample.buffer});
  }

 private:
  std::size_t good_;
};

ErrorCode code_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode::internal;
}

TEST(LoadSlice, TakesWholeEpochsWhereTheyAreShort) {
  const auto records = std::make_shared<const MemoryReader>(make_tiny_jpeg(16), 100);
  const LoadSlice slice = run_load_slice(records, options_of(30), 1, nullptr);
  EXPECT_GE(slice.images, 100U);
  EXPECT_EQ(slice.images % 100, 0U);
  EXPECT_EQ(slice.batches, slice.images / 100 * 4);  // 30 + 30 + 30 + 10
  EXPECT_GE(slice.wall_s, 1);
  EXPECT_GT(slice.cpu_s, 0);
  EXPECT_GT(slice.busy_s, 0);
  EXPECT_EQ(slice.threads, 1);
  EXPECT_EQ(slice.bad_samples, 0U);
}

TEST(LoadSlice, EndsWithinALongEpoch) {
  const auto records = std::make_shared<const MemoryReader>(make_tiny_jpeg(16), 100'000'000);
  LoaderOptions options = options_of(30);
  options.shuffle = false;
  const LoadSlice slice = run_load_slice(records, options, 0.02, nullptr);
  EXPECT_GE(slice.images, 30U);
  EXPECT_EQ(slice.images % 30, 0U);
  EXPECT_LT(slice.images, 100'000'000U);
}

TEST(LoadSlice, StopsWhenCancelled) {
  const auto records = std::make_shared<const MemoryReader>(make_tiny_jpeg(16), 100);
  const std::atomic<bool> cancel{true};
  EXPECT_EQ(code_of([&] { run_load_slice(records, options_of(30), 1, &cancel); }), ErrorCode::cancelled);
  EXPECT_EQ(code_of([&] { run_memory_epochs(records, options_of(30), 1, {}, &cancel); }),
            ErrorCode::cancelled);
  EXPECT_EQ(code_of([&] { run_turbo_slice(*records, 1, kDefaultMaxPixels, &cancel); }), ErrorCode::cancelled);
}

TEST(EpochMemory, ReadsEveryEpochWhole) {
  const auto records = std::make_shared<const MemoryReader>(make_tiny_jpeg(16), 1000);
  std::vector<int> begun;
  const EpochMemory memory =
      run_memory_epochs(records, options_of(30), 3, [&](int epoch) { begun.push_back(epoch); }, nullptr);
  EXPECT_THAT(begun, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(memory.images, ElementsAre(1000, 1000, 1000));
  EXPECT_THAT(memory.median_mib, AllOf(SizeIs(3), Each(Gt(1))));
  EXPECT_THAT(memory.peak_mib, AllOf(SizeIs(3), Each(Gt(1))));
}

// The warm-up is empty then: its only batch filled the ring.
TEST(EpochMemory, HasAFigureForEpochsOfOneBatch) {
  const auto records = std::make_shared<const MemoryReader>(make_tiny_jpeg(16), 30);
  const EpochMemory memory = run_memory_epochs(records, options_of(64), 2, {}, nullptr);
  EXPECT_THAT(memory.images, ElementsAre(30, 30));
  EXPECT_THAT(memory.median_mib, AllOf(SizeIs(2), Each(Gt(1))));
}

TEST(EpochMemory, StopsWithinAnEpoch) {
  const auto records = std::make_shared<const MemoryReader>(make_tiny_jpeg(16), 1000);
  std::atomic<bool> cancel{false};
  std::vector<int> begun;
  const auto progress = [&](int epoch) {
    begun.push_back(epoch);
    cancel = epoch == 1;
  };
  EXPECT_EQ(code_of([&] { run_memory_epochs(records, options_of(30), 1'000'000, progress, &cancel); }),
            ErrorCode::cancelled);
  EXPECT_THAT(begun, ElementsAre(0, 1));
}

TEST(TurboSlice, CountsOnlyWhatItDecodes) {
  const MemoryReader all(make_tiny_jpeg(64), 20);
  EXPECT_GT(run_turbo_slice(all, 0.01, kDefaultMaxPixels, nullptr), 0);
  const MostlyBadReader one(20, 7);
  EXPECT_GT(run_turbo_slice(one, 0.01, kDefaultMaxPixels, nullptr), 0);
}

TEST(TurboSlice, ASourceThatItCannotDecodeIsAnErrorAndNoEndlessLoop) {
  const MostlyBadReader none(20, 99);
  EXPECT_EQ(code_of([&] { run_turbo_slice(none, 1, kDefaultMaxPixels, nullptr); }),
            ErrorCode::invalid_argument);
  const MemoryReader empty(make_tiny_jpeg(16), 0);
  EXPECT_EQ(code_of([&] { run_turbo_slice(empty, 1, kDefaultMaxPixels, nullptr); }),
            ErrorCode::invalid_argument);
  const MemoryReader large(make_tiny_jpeg(64), 3);
  EXPECT_EQ(code_of([&] { run_turbo_slice(large, 1, 64 * 64 - 1, nullptr); }), ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace stoker::bench
