// Real photos from a folder and from a .rec through the loader: the same batches for any threads, ranks,
// container and stop.
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "stoker/loader.hpp"

#include "base/crc.hpp"
#include "support/shared_data.hpp"
#include "support/temp_dir.hpp"

namespace stoker {
namespace {

// One slot as far as it can be told apart.
struct Slot {
  std::uint64_t index = 0;
  std::uint32_t pixels = 0;
  float label = 0;
  SampleStatus status = SampleStatus::ok;
  friend bool operator==(const Slot&, const Slot&) = default;
};
using Slots = std::vector<Slot>;

Slots slots_of(const Batch& batch) {
  Slots slots;
  for (std::size_t i = 0; i < static_cast<std::size_t>(batch.size()); ++i) {
    const std::span<const std::byte> image(batch.images() + i * batch.image_bytes(), batch.image_bytes());
    slots.push_back({batch.indices()[i], crc32c(image), batch.labels()[i], batch.statuses()[i]});
  }
  return slots;
}

std::vector<Slots> epoch_of(Loader& loader) {
  std::vector<Slots> batches;
  while (const Batch batch = loader.next()) batches.push_back(slots_of(batch));
  return batches;
}

// 120 photos of five classes as a folder, and the same ones as flowers.rec.
class PhotoDeterminism : public ::testing::Test {
 protected:
  void SetUp() override {
    STOKER_NEEDS_DATA(tar, "small-photos.tar");
    int photos = 0;
    for (const auto& [name, bytes] : test::read_tar(tar)) {
      const std::size_t val = name.find("val/");
      if (val == std::string::npos || !name.ends_with(".jpg") || photos++ % 3 != 0) continue;
      dir_.write("photos/" + name.substr(val + 4), bytes);
    }
    folder_ = open_records(dir_.path("photos"));
    ASSERT_GT(folder_->size(), 100U);
    const auto writer = open_record_writer(dir_.path("flowers.rec"));
    Sample sample;
    for (std::size_t i = 0; i < folder_->size(); ++i) {
      folder_->read(i, sample);
      writer->append(sample.key, sample.labels, sample.fields[sample.main_field]);
    }
    writer->finish();
    recordio_ = open_records(dir_.path("flowers.rec"));
    ASSERT_EQ(recordio_->size(), folder_->size());
    options_.recipe = "random_resized_crop(64) flip normalize(imagenet)";
    options_.batch_size = 7;
    options_.seed = 11;
    options_.publish_counters = false;
  }

  test::TempDir dir_;
  std::shared_ptr<const RecordReader> folder_, recordio_;
  LoaderOptions options_;
};

TEST_F(PhotoDeterminism, FolderAndRecordsWithOneTwoAndSevenThreads) {
  options_.threads = 1;
  Loader first(folder_, options_);
  const std::vector<Slots> expected = epoch_of(first);
  EXPECT_EQ(expected.size(), first.steps_per_epoch());
  for (const int threads : {1, 2, 7}) {
    options_.threads = threads;
    Loader loader(recordio_, options_);
    EXPECT_EQ(epoch_of(loader), expected) << threads;
    EXPECT_NE(epoch_of(loader), expected);  // the next epoch is another one
  }
  ++options_.seed;
  Loader other(recordio_, options_);
  EXPECT_NE(epoch_of(other), expected);
}

TEST_F(PhotoDeterminism, OneRankOrThreePutTogether) {
  LoaderOptions wide = options_;
  wide.batch_size *= 3;
  Loader alone(recordio_, wide);
  const std::vector<Slots> expected = epoch_of(alone);
  std::vector<Slots> together(expected.size());
  options_.world_size = 3;
  for (options_.rank = 0; options_.rank < 3; ++options_.rank) {
    Loader loader(recordio_, options_);
    const std::vector<Slots> mine = epoch_of(loader);
    ASSERT_EQ(mine.size(), expected.size());
    for (std::size_t step = 0; step < mine.size(); ++step) {
      together[step].insert(together[step].end(), mine[step].begin(), mine[step].end());
    }
  }
  EXPECT_EQ(together, expected);
}

TEST_F(PhotoDeterminism, StoppedAndGoneOnWithAtAnyStep) {
  Loader whole(recordio_, options_);
  const std::vector<Slots> expected = epoch_of(whole);
  Loader stopping(recordio_, options_);
  for (std::size_t step = 0; step <= expected.size(); ++step) {
    LoaderOptions other = options_;
    other.threads = 1 + static_cast<int>(step % 4);
    Loader resumed(step % 2 ? folder_ : recordio_, other);
    resumed.restore(LoaderState::parse(stopping.state().to_string()));
    const Batch next = resumed.next();
    ASSERT_EQ(static_cast<bool>(next), step < expected.size());
    if (!next) break;
    EXPECT_EQ(slots_of(next), expected[step]) << step;
    ASSERT_TRUE(stopping.next());
  }
}

}  // namespace
}  // namespace stoker
