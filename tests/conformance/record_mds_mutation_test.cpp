// Damaged MDS sets: whatever the bytes of index.json and of the shards, only stoker::Error comes out, soon,
// and no memory is taken that the files do not hold. Deterministic: a failing round is named by its number.
#include <filesystem>

#include "record/mds_fixture.hpp"
#include "record_allocation_watch.hpp"
#include "record_mutation.hpp"
#include "support/temp_dir.hpp"

namespace stoker {
namespace {

using record::MdsFixture;
using record::TestColumns;
using test::Files, test::Tally;

Files sound_files() {
  MdsFixture set(
      TestColumns{{"image", "jpeg"}, {"label", "int", 8}, {"name", "str"}, {"score", "float64", 8}});
  const test::TempDir dir;
  for (const char* compression : {"", "zstd", "gz"}) {
    std::vector<std::string> samples;
    for (int i = 0; i < 5; ++i)
      samples.push_back(set.sample({std::string(static_cast<std::size_t>(10 * i), 'i'),
                                    record::number_bytes(std::int64_t{i}), "name " + std::to_string(i),
                                    record::number_bytes(0.5 * i)}));
    set.add(dir, "mds", MdsFixture::shard(samples), samples.size(), compression);
  }
  Files files;
  for (const auto& entry : std::filesystem::directory_iterator(dir.path("mds")))
    files[entry.path().filename().string()] = test::read_file(entry.path());
  return files;
}

// An index may claim more samples than a shard can hold; that those are refused one by one is seen soon.
void read_some(const std::string& source, const OpenOptions& options, Tally& tally) {
  constexpr std::size_t kEnough = 50;
  test::only_errors([&] {
    ++tally.refused;
    const auto reader = open_records(source, options);
    --tally.refused;
    ++tally.opened;
    Sample sample;
    for (std::size_t i = 0; i < std::min(reader->size(), kEnough); ++i)
      test::only_errors([&] {
        reader->info(i);
        reader->read(i, sample);
        test::expect_sound(sample);
        ++tally.read;
      });
  });
}

TEST(MdsMutation, OnlyErrorsComeOut) {
  constexpr std::uint64_t kRounds = 5'000;
  // Windows of zlib and zstd and the pieces that go through them; the files have a few hundred bytes.
  constexpr std::size_t kLargestAllowed = 8 << 20;
  constexpr std::size_t kMostSteps = 10'000;
  const Files sound = sound_files();
  ASSERT_EQ(sound.size(), 4u);
  Tally tally;
  test::reset_largest_allocation();
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    SCOPED_TRACE(round);
    SampleRng rng(21, 0, round, 0);
    Files files = sound;
    const auto target = std::next(files.begin(), rng.below(4));
    for (std::uint64_t n = 1 + rng.below(3); n > 0; --n) test::mutate(target->second, "9", rng);
    const OpenOptions options{.index_dir = "/dev/null/none",
                              .store = std::make_shared<test::MemoryStore>(files)};
    read_some("index.json", options, tally);
    test::scan_all("index.json", options, kMostSteps, tally);
    ASSERT_LE(test::largest_allocation(), kLargestAllowed);
    if (testing::Test::HasFailure()) return;
  }
  // The rounds must have met both fates of every step, or they would prove nothing.
  EXPECT_GT(tally.opened, kRounds / 10);
  EXPECT_GT(tally.refused, kRounds / 10);
  EXPECT_GT(tally.read, kRounds);
  EXPECT_GT(tally.scanned, kRounds);
  EXPECT_GT(tally.damages, kRounds / 20);
}

}  // namespace
}  // namespace stoker
