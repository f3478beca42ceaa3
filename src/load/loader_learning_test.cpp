// Seek points that a loader learns: kept, published, used, and never seen in the pixels.
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <optional>
#include <vector>

#include "base/philox.hpp"
#include "image/transform.hpp"
#include "load/fixtures.hpp"
#include "support/temp_dir.hpp"

namespace stoker::load::test {
namespace {

constexpr std::size_t kSamples = 20;

// Photos of some hundred MCUs in a RecordIO file of their own folder.
class LoaderLearning : public testing::Test {
 protected:
  LoaderLearning() {
    jpeg::Encoder encoder;
    auto writer = open_record_writer(container());
    for (std::size_t i = 0; i < kSamples; ++i) {
      const int width = 120 + static_cast<int>(i % 3) * 40, height = 90 + static_cast<int>(i % 2) * 50;
      SampleRng rng(1, 0, i, 0);
      std::vector<std::uint8_t> rgb;
      for (int at = 0; at < width * height * 3; ++at) {
        rgb.push_back(static_cast<std::uint8_t>(at / (7 + static_cast<int>(i)) % 256 +
                                                static_cast<int>(rng.below(40))));
      }
      const int subsampling = i % 4 == 0 ? 2 : 1;
      const auto file = encoder.encode(rgb.data(), width, height, static_cast<std::size_t>(width) * 3,
                                       {.luma_h = subsampling, .luma_v = subsampling});
      const float label = static_cast<float>(i);
      writer->append(std::to_string(i), std::span(&label, 1), {"image", *file});
    }
    writer->finish();
  }

  std::string container() const { return folder_.path("in.rec"); }
  std::string index() const { return container() + ".seek"; }
  std::shared_ptr<const RecordReader> open() const { return open_records(container()); }

  static LoaderOptions options(LearnSeek learn) {
    LoaderOptions options = small_options();
    options.learn = learn;
    return options;
  }
  // Three epochs of a loader that learns nothing and has no index.
  std::vector<std::vector<SeenBatch>> plain_epochs() const {
    OpenOptions open;
    open.seek_index = SeekIndexUse::off;
    Loader loader(open_records(container(), open), options(LearnSeek::off));
    std::vector<std::vector<SeenBatch>> epochs;
    for (int i = 0; i < 3; ++i) epochs.push_back(see_epoch(loader));
    return epochs;
  }

  stoker::test::TempDir folder_;
};

TEST_F(LoaderLearning, NothingIsWrittenUnlessItLearns) {
  Loader loader(open(), options(LearnSeek::off));
  see_epoch(loader);
  see_epoch(loader);
  EXPECT_FALSE(std::filesystem::exists(index()));
  EXPECT_GE(loader.decode_counts().own, 2 * kSamples);
  EXPECT_EQ(loader.decode_counts().learned, 0u);
}

TEST_F(LoaderLearning, LaterEpochsEnterAtWhatTheFirstOneLearnedAndLookTheSame) {
  for (const LearnSeek learn : {LearnSeek::crops, LearnSeek::full}) {
    SCOPED_TRACE(std::string(to_string(learn)));
    std::filesystem::remove(index());
    const auto expected = plain_epochs();
    std::vector<std::vector<SeenBatch>> epochs;
    DecodeCounts counts;
    {
      Loader loader(open(), options(learn));
      epochs.push_back(see_epoch(loader));
      epochs.push_back(see_epoch(loader));
      counts = loader.decode_counts();
    }
    EXPECT_EQ(counts.not_learned, "");
    EXPECT_GT(counts.learned, kSamples / 2);
    // A new loader finds the index from its first sample on.
    Loader loader(open(), options(learn));
    loader.set_epoch(2);
    epochs.push_back(see_epoch(loader));
    EXPECT_EQ(epochs, expected);
    counts = loader.decode_counts();
    EXPECT_GE(counts.seek, kSamples - 2);
    EXPECT_EQ(counts.points_failed, 0u);
    EXPECT_EQ(counts.turbo, 0u);
    if (learn == LearnSeek::full) {
      EXPECT_EQ(counts.learned, 0u);
    }
  }
}

TEST_F(LoaderLearning, TheReaderUsesThemWithinOneRun) {
  Loader loader(open(), options(LearnSeek::full));
  see_epoch(loader);
  for (int i = 0; i < 200 && loader.decode_counts().published.empty(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(loader.decode_counts().published, index());
  loader.set_epoch(5);  // nothing of it was read ahead
  see_epoch(loader);
  EXPECT_GE(loader.decode_counts().seek, kSamples);
}

TEST_F(LoaderLearning, RanksShareOneIndex) {
  {
    std::vector<std::unique_ptr<Loader>> ranks;
    for (int rank = 0; rank < 3; ++rank) {
      LoaderOptions mine = options(LearnSeek::full);
      mine.rank = rank;
      mine.world_size = 3;
      mine.batch_size = 2;
      ranks.push_back(std::make_unique<Loader>(open(), mine));
    }
    for (auto& loader : ranks) see_epoch(*loader);
  }
  const SeekIndexInfo info = open()->seek_index();
  EXPECT_EQ(info.state, SeekIndexState::used);
  EXPECT_EQ(info.indexed, kSamples);
}

TEST_F(LoaderLearning, ShardsOfASetLearnEachItsOwnIndex) {
  for (const char* name : {"set/0.rec", "set/1.rec", "set/2.rec"})
    folder_.write(name, stoker::test::read_file(container()));
  const std::string set = folder_.path("set");
  LoaderOptions learning = options(LearnSeek::full);
  {
    Loader loader(open_records(set), learning);
    see_epoch(loader);
    see_epoch(loader);
    EXPECT_EQ(loader.decode_counts().not_learned, "");
    EXPECT_GE(loader.decode_counts().learned, 3 * kSamples);
  }
  EXPECT_EQ(open_records(set)->seek_index().indexed, 3 * kSamples);
  EXPECT_EQ(open_records(folder_.path("set/2.rec"))->seek_index().indexed, kSamples);
  Loader loader(open_records(set), learning);
  see_epoch(loader);
  EXPECT_GE(loader.decode_counts().seek, 3 * kSamples);
}

TEST_F(LoaderLearning, ARunThatStopsHalfWayKeepsWhatItLearned) {
  LoaderState state;
  {
    Loader loader(open(), options(LearnSeek::full));
    loader.next();
    loader.next();
    state = loader.state();
  }
  const std::uint64_t half = open()->seek_index().indexed;
  EXPECT_GE(half, 8u);
  {
    Loader loader(open(), options(LearnSeek::full));
    loader.restore(state);
    see_epoch(loader);
  }
  EXPECT_EQ(open()->seek_index().indexed, kSamples);
}

TEST_F(LoaderLearning, ASourceWithoutAPlaceIsLoadedAllTheSame) {
  ::setenv("XDG_CACHE_HOME", "/proc/no-such-place", 1);
  OpenOptions open;
  open.index_dir = "/proc/no-such-place";
  Loader loader(open_records(container(), open), options(LearnSeek::crops));
  EXPECT_EQ(joined(see_epoch(loader)).size(), kSamples);
  see_epoch(loader);
  ::unsetenv("XDG_CACHE_HOME");
  EXPECT_NE(loader.decode_counts().not_learned, "");
}

TEST_F(LoaderLearning, AForeignOrBrokenIndexIsReplaced) {
  const auto expected = plain_epochs();
  folder_.write("in.rec.seek", "this is no index");
  {
    Loader loader(open(), options(LearnSeek::full));
    EXPECT_EQ(see_epoch(loader), expected[0]);
  }
  EXPECT_EQ(open()->seek_index().indexed, kSamples);
}

// The pixels of every sample, by a decoder that gets what the reader found.
std::vector<std::vector<std::byte>> decode_all(const RecordReader& records,
                                               const image::Transform& transform) {
  std::vector<std::vector<std::byte>> all;
  image::Decoder decoder;
  Sample sample;
  for (std::size_t i = 0; i < records.size(); ++i) {
    records.read(i, sample);
    all.emplace_back(transform.recipe().bytes_per_sample());
    EXPECT_TRUE(transform.run(decoder, {.bytes = sample.main(), .seek_points = sample.seek_points}, {1, 0, i},
                              all.back().data()));
  }
  return all;
}

TEST_F(LoaderLearning, AThousandDamagesOfAnIndexAreToldAndChangeNoPixel) {
  const std::string few = folder_.path("few.rec");
  {
    const auto from = open();
    auto writer = open_record_writer(few);
    Sample sample;
    for (std::size_t i = 0; i < 3; ++i) {
      from->read(i, sample);
      writer->append(sample.key, sample.labels, {"image", sample.main()});
    }
    writer->finish();
    Loader loader(open_records(few), options(LearnSeek::full));
    see_epoch(loader);
  }
  const std::string index_path = few + ".seek";
  const std::string whole = stoker::test::read_file(index_path);
  const image::Transform transform(Recipe::parse("random_resized_crop(16)"));
  OpenOptions open;
  open.check_bytes = CheckBytes::always;
  const auto expected = decode_all(*open_records(few, open), transform);
  ASSERT_EQ(open_records(few, open)->seek_index().indexed, 3u);
  std::filesystem::remove(index_path);
  EXPECT_EQ(decode_all(*open_records(few, open), transform), expected);

  SampleRng rng(4, 0, 0, 0);
  for (int i = 0; i < 1000; ++i) {
    std::string bad = whole;
    if (i % 6 == 0) {
      bad.resize(rng.below(bad.size()));
    } else {
      bad[rng.below(bad.size())] ^= static_cast<char>(1 << rng.below(8));
    }
    folder_.write("few.rec.seek", bad);
    const auto records = open_records(few, open);
    ASSERT_EQ(decode_all(*records, transform), expected) << i;
    const SeekIndexInfo info = records->seek_index();
    const bool is_told = info.state != SeekIndexState::used ||
                         info.dropped_damaged + info.dropped_stale + info.dropped_changed > 0;
    std::size_t at = 0;
    while (at < bad.size() && bad[at] == whole[at]) ++at;
    ASSERT_TRUE(is_told) << "byte " << at << " of " << whole.size() << ", then " << bad.size();
  }
}

}  // namespace
}  // namespace stoker::load::test
