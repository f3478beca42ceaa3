// Bad samples under each policy, the same for any number of threads.
#include <algorithm>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "load/fixtures.hpp"
#include "load/slot.hpp"

namespace stoker::load::test {
namespace {

using ::testing::HasSubstr;
using Fault = MemoryReader::Fault;

LoaderOptions bad_options(BadSamplePolicy policy) {
  LoaderOptions options = small_options();
  options.shuffle = false;
  options.bad_sample = policy;
  return options;
}

std::vector<SeenBatch> see_with(const std::shared_ptr<MemoryReader>& records, const LoaderOptions& options) {
  Loader loader(records, options);
  return see_epoch(loader);
}

TEST(BadSamples, SkipZeroesTheSlotAndKeepsTheSteps) {
  const auto records = std::make_shared<MemoryReader>(10);
  const std::vector<SeenBatch> good = see_with(records, bad_options(BadSamplePolicy::skip));
  records->set_fault(5, Fault::not_a_picture);
  Loader loader(records, bad_options(BadSamplePolicy::skip));
  ASSERT_TRUE(loader.next());
  const Batch batch = loader.next();
  ASSERT_EQ(batch.size(), 4);
  EXPECT_EQ(batch.statuses()[1], SampleStatus::bad);
  EXPECT_EQ(batch.labels()[1], kNoLabel);
  EXPECT_EQ(batch.indices()[1], 5U);
  const std::byte* image = batch.images() + batch.image_bytes();
  EXPECT_TRUE(
      std::all_of(image, image + batch.image_bytes(), [](std::byte byte) { return byte == std::byte{0}; }));
  const SeenBatch seen = see(batch);
  for (const std::size_t slot : {0, 2, 3}) EXPECT_EQ(seen[slot], good[1][slot]);
  EXPECT_EQ(see(loader.next()), good[2]);
  EXPECT_FALSE(loader.next());
}

TEST(BadSamples, EveryOneIsNamed) {
  const auto records = std::make_shared<MemoryReader>(10);
  records->set_fault(2, Fault::not_a_picture);
  records->set_fault(3, Fault::corrupt_record);
  records->set_fault(7, Fault::vanished);
  records->set_bytes(8, {});  // a record of no bytes
  Loader loader(records, bad_options(BadSamplePolicy::skip));
  see_epoch(loader);
  see_epoch(loader);  // met again: named once
  const std::vector<BadRecord> bad = loader.bad_samples();
  ASSERT_EQ(bad.size(), 4U);
  EXPECT_EQ(loader.bad_sample_count(), 4U);
  EXPECT_EQ(bad[0].container, "memory.rec");
  EXPECT_EQ(bad[0].offset, 2000U);
  EXPECT_EQ(bad[0].key, "sample-2");
  EXPECT_NE(bad[0].reason, "");
  EXPECT_EQ(bad[1].offset, 3000U);
  EXPECT_EQ(bad[1].key, "");  // the damage hides it
  EXPECT_THAT(bad[1].reason, HasSubstr("bad magic"));
  EXPECT_THAT(bad[2].reason, HasSubstr("no such file"));
  EXPECT_EQ(bad[3].offset, 8000U);
}

TEST(BadSamples, TheListIsInOrderForAnyThreads) {
  const auto records = std::make_shared<MemoryReader>(200);
  for (std::size_t i = 0; i < 200; i += 3)
    records->set_fault(i, i % 2 ? Fault::not_a_picture : Fault::corrupt_record);
  LoaderOptions options = bad_options(BadSamplePolicy::skip);
  options.shuffle = true;
  std::vector<std::uint64_t> expected;
  for (const int threads : {1, 2, 7}) {
    options.threads = threads;
    Loader loader(records, options);
    see_epoch(loader);
    std::vector<std::uint64_t> offsets;
    for (const BadRecord& record : loader.bad_samples()) offsets.push_back(record.offset);
    if (expected.empty()) expected = offsets;
    EXPECT_EQ(offsets, expected);
    EXPECT_EQ(offsets.size(), 67U);
  }
}

// Read ahead is not met: only what was delivered counts.
TEST(BadSamples, WhatWasNotDeliveredIsNotReported) {
  const auto records = std::make_shared<MemoryReader>(40);
  records->set_fault(6, Fault::not_a_picture);
  Loader loader(records, bad_options(BadSamplePolicy::skip));
  ASSERT_TRUE(loader.next());
  while (records->reads() < 40) std::this_thread::yield();
  EXPECT_EQ(loader.bad_sample_count(), 0U);
  ASSERT_TRUE(loader.next());
  EXPECT_EQ(loader.bad_sample_count(), 1U);
}

TEST(BadSamples, SubstituteIsTheFirstGoodOneBehind) {
  const auto records = std::make_shared<MemoryReader>(10);
  const SeenBatch good = joined(see_with(records, bad_options(BadSamplePolicy::skip)));
  records->set_fault(2, Fault::not_a_picture);
  records->set_fault(3, Fault::corrupt_record);
  records->set_fault(9, Fault::not_a_picture);  // the last: its substitute stands at the beginning
  Loader loader(records, bad_options(BadSamplePolicy::substitute));
  const SeenBatch seen = joined(see_epoch(loader));
  const auto substituted = [&](std::size_t by) {
    Seen expected = good[by];
    expected.status = SampleStatus::substituted;
    return expected;
  };
  EXPECT_EQ(seen[2], substituted(4));
  EXPECT_EQ(seen[3], substituted(4));
  EXPECT_EQ(seen[4], good[4]);
  EXPECT_EQ(seen[9], substituted(0));
  EXPECT_EQ(loader.bad_sample_count(), 3U);  // each named once, where it stands itself
}

TEST(BadSamples, SubstitutesAreTheSameForAnyThreadsAndRanks) {
  const auto records = std::make_shared<MemoryReader>(60);
  for (const std::size_t i : {0, 1, 2, 17, 30, 31, 59}) records->set_fault(i, Fault::not_a_picture);
  LoaderOptions options = bad_options(BadSamplePolicy::substitute);
  options.shuffle = true;
  options.threads = 1;
  const std::vector<SeenBatch> one = see_with(records, options);
  options.threads = 7;
  EXPECT_EQ(see_with(records, options), one);
  options.batch_size = 12;
  const std::vector<SeenBatch> alone = see_with(records, options);
  options.batch_size = 4;
  options.world_size = 3;
  std::vector<SeenBatch> together(alone.size());
  for (options.rank = 0; options.rank < 3; ++options.rank) {
    const std::vector<SeenBatch> mine = see_with(records, options);
    for (std::size_t step = 0; step < mine.size(); ++step) {
      together[step].insert(together[step].end(), mine[step].begin(), mine[step].end());
    }
  }
  EXPECT_EQ(together, alone);
}

TEST(BadSamples, WhereNothingIsGoodSubstituteIsSkip) {
  const auto records = std::make_shared<MemoryReader>(6);
  for (std::size_t i = 0; i < 6; ++i) records->set_fault(i, Fault::not_a_picture);
  for (const Seen& slot : joined(see_with(records, bad_options(BadSamplePolicy::substitute)))) {
    EXPECT_EQ(slot.status, SampleStatus::bad);
    EXPECT_EQ(slot.label, kNoLabel);
  }
}

// A long stretch of damage does not make every slot read all of it.
TEST(BadSamples, SubstituteLooksOnlySoFar) {
  const auto records = std::make_shared<MemoryReader>(160);
  for (std::size_t i = 0; i < 150; ++i) records->set_fault(i, Fault::corrupt_record);
  const SeenBatch seen = joined(see_with(records, bad_options(BadSamplePolicy::substitute)));
  EXPECT_EQ(seen[0].status, SampleStatus::bad);
  EXPECT_EQ(seen[49].status, SampleStatus::bad);
  EXPECT_EQ(seen[50].status, SampleStatus::substituted);
  EXPECT_EQ(seen[50].index, 150U);
}

TEST(BadSamples, RaiseNamesTheSampleInPlaceOfItsBatch) {
  const auto records = std::make_shared<MemoryReader>(20);
  records->set_fault(9, Fault::not_a_picture);
  records->set_fault(10, Fault::corrupt_record);
  for (const int threads : {1, 2, 7}) {
    LoaderOptions options = bad_options(BadSamplePolicy::raise);
    options.threads = threads;
    Loader loader(records, options);
    EXPECT_TRUE(loader.next());
    EXPECT_TRUE(loader.next());
    try {
      loader.next();
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("load sample 9 memory.rec at offset 9000 (key sample-9)"));
    }
    EXPECT_FALSE(loader.next());  // at its end
    EXPECT_EQ(loader.state().samples_done, 8U);
    ASSERT_EQ(loader.bad_samples().size(), 1U);
    EXPECT_EQ(loader.bad_samples()[0].offset, 9000U);
    loader.set_epoch(3);  // and can be set going again
    EXPECT_TRUE(loader.next());
  }
}

TEST(BadSamples, TooManyStopTheRunAtTheEndOfASmallEpoch) {
  const auto records = std::make_shared<MemoryReader>(20);
  records->set_fault(3, Fault::not_a_picture);
  LoaderOptions options = bad_options(BadSamplePolicy::skip);
  options.max_bad_share = 0.01;
  Loader loader(records, options);
  for (int step = 0; step < 5; ++step) ASSERT_TRUE(loader.next());
  EXPECT_THROW(loader.next(), Error);
  EXPECT_FALSE(loader.next());

  // Also for a caller who counts steps and never sees the end.
  Loader counting(records, options);
  for (int step = 0; step < 5; ++step) ASSERT_TRUE(counting.next());
  counting.set_epoch(1);
  EXPECT_THROW(counting.next(), Error);

  options.max_bad_share = 0.05;
  Loader lenient(records, options);
  EXPECT_EQ(see_epoch(lenient).size(), 5U);
}

TEST(BadSamples, TooManyStopALongRunOnceAThousandWereMet) {
  const auto records = std::make_shared<MemoryReader>(2000);
  for (std::size_t i = 0; i < 30; ++i) records->set_fault(i, Fault::not_a_picture);
  LoaderOptions options = bad_options(BadSamplePolicy::skip);
  options.max_bad_share = 0.02;
  options.batch_size = 100;
  Loader loader(records, options);
  for (int step = 0; step < 9; ++step) ASSERT_TRUE(loader.next()) << step;
  try {
    loader.next();
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("30 of 1000 samples met are bad"));
  }
}

TEST(BadSamples, UnavailableIsTriedAgain) {
  const auto records = std::make_shared<MemoryReader>(8);
  const std::vector<SeenBatch> good = see_with(records, bad_options(BadSamplePolicy::raise));
  const auto flaky = std::make_shared<MemoryReader>(8);
  flaky->set_fault(5, Fault::unavailable);
  flaky->set_unavailable_times(2);
  EXPECT_EQ(see_with(flaky, bad_options(BadSamplePolicy::raise)), good);
}

TEST(BadSamples, UnavailableForGoodIsBad) {
  const auto records = std::make_shared<MemoryReader>(8);
  records->set_fault(5, Fault::unavailable);
  LoaderOptions options = bad_options(BadSamplePolicy::skip);
  options.read_threads = 1;
  options.read_ahead_bytes = 1;  // of the next epoch no more than its first sample,
  options.shuffle = false;       // which is another one
  Loader loader(records, options);
  see_epoch(loader);
  ASSERT_EQ(loader.bad_samples().size(), 1U);
  EXPECT_THAT(loader.bad_samples()[0].reason, HasSubstr("503"));
  EXPECT_GE(records->reads_of(5), 4U);
  EXPECT_LE(records->reads_of(5), 8U);  // the next epoch's tries may have begun
}

TEST(BadSamples, APictureBeyondMaxPixelsIsBad) {
  const auto records = std::make_shared<MemoryReader>(8);
  LoaderOptions options = bad_options(BadSamplePolicy::skip);
  options.max_pixels = 24 * 20;  // sample 0's size, the smallest
  Loader loader(records, options);
  const SeenBatch seen = joined(see_epoch(loader));
  EXPECT_EQ(seen[0].status, SampleStatus::ok);
  EXPECT_EQ(seen[1].status, SampleStatus::bad);
}

// A file without its end: libjpeg fills the rest with gray and complains.
TEST(BadSamples, ADecodersComplaintIsFlagged) {
  const auto records = std::make_shared<MemoryReader>(4);
  const std::vector<std::byte> whole = records->bytes(2);
  records->set_bytes(2, {whole.begin(), whole.end() - static_cast<std::ptrdiff_t>(whole.size() / 8)});
  LoaderOptions options = bad_options(BadSamplePolicy::skip);
  options.recipe = "resize(16x16)";  // all of the picture, so that the cut is met
  Loader loader(records, options);
  const SeenBatch seen = joined(see_epoch(loader));
  EXPECT_EQ(seen[1].status, SampleStatus::ok);
  EXPECT_EQ(seen[2].status, SampleStatus::warned);
  EXPECT_EQ(loader.bad_sample_count(), 0U);
}

TEST(BadSamples, PaddingThatIsBadIsReportedWhereItStandsItself) {
  const auto records = std::make_shared<MemoryReader>(6);
  records->set_fault(0, Fault::not_a_picture);
  LoaderOptions options = bad_options(BadSamplePolicy::skip);
  options.last_batch = LastBatchPolicy::pad;
  Loader loader(records, options);
  const std::vector<SeenBatch> seen = see_epoch(loader);
  EXPECT_EQ(seen[0][0].status, SampleStatus::bad);
  EXPECT_EQ(seen[1][2].status, SampleStatus::padding);
  EXPECT_EQ(seen[1][2].label, kNoLabel);
  EXPECT_EQ(loader.counters().bad_samples, 1U);
  EXPECT_EQ(loader.counters().images, 5U);
}

}  // namespace
}  // namespace stoker::load::test
