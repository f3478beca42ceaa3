// Damaged containers, indexes, lists and descriptions: whatever their bytes, only stoker::Error comes out,
// soon, and no memory is taken that the files do not hold. Deterministic: a failing round is named by its
// number.
#include "record_mutation.hpp"

#include <gtest/gtest.h>

#include "stoker/error.hpp"
#include "stoker/record.hpp"

#include "base/philox.hpp"
#include "record_allocation_watch.hpp"
#include "support/temp_dir.hpp"

namespace stoker {
namespace {

using namespace test;

const std::string kMagic = "\x0a\x23\xd7\xce";

// A container with whole, multi-part, empty, labelled and raw records, its indexes, a description and a list.
Files sound_files() {
  const test::TempDir folder;
  const auto writer = open_record_writer(folder.path("x.rec"));
  const std::vector<float> labels = {1, 2, 3};
  const std::string data = "some bytes of an image";
  for (int i = 0; i < 12; ++i) {
    const std::string bytes =
        i % 4 == 0 ? data.substr(0, 4) + kMagic + kMagic + data : data.substr(0, static_cast<std::size_t>(i));
    const std::size_t label_count = static_cast<std::size_t>(i) % 4;
    writer->append("k", std::span(labels).first(label_count), {"image", std::as_bytes(std::span(bytes))});
  }
  writer->finish();
  Files files;
  for (const char* name : {"x.rec", "x.idx", "x.rec.index"}) files[name] = test::read_file(folder.path(name));
  files["x.dataset.json"] =
      R"({"schema": "stoker.dataset/1", "classes": ["a", "b"], "records": 12, "bytes": 500, "skipped": 0,)"
      R"( "shards": [{"path": "x.rec", "records": 12, "bytes": 500, "crc32c": 1}], "options": {"quality": 90},)"
      R"( "source": {"samples": 12, "bytes": 3, "crc32c": 2}})";
  files["x.lst"] = "0\t1\ta.jpg\n1\t2\t3.5\ta.jpg\n7 1 b c.jpg\n";
  files["a.jpg"] = "bytes";
  files["b c.jpg"] = "";
  return files;
}

TEST(RecordMutation, OnlyErrorsComeOut) {
  constexpr int kRounds = 20'000;
  constexpr std::size_t kLargestAllowed =
      8 << 20;  // windows and line buffers are 1 MiB; the files, a few hundred bytes
  const Files sound = sound_files();
  const std::vector<std::string> targets = {"x.rec", "x.idx", "x.rec.index", "x.dataset.json", "x.lst"};
  Tally tally;
  test::reset_largest_allocation();
  for (int round = 0; round < kRounds; ++round) {
    SCOPED_TRACE(round);
    SampleRng rng(20, 0, static_cast<std::uint64_t>(round), 0);
    Files files = sound;
    const std::string& target = targets[rng.below(targets.size())];
    for (std::uint64_t n = 1 + rng.below(4); n > 0; --n) mutate(files[target], kMagic, rng);
    if (target == "x.rec.index" && rng.below(4) != 0) seal(files[target]);
    if (target != "x.rec.index" && rng.below(2)) files.erase("x.rec.index");
    if (target != "x.idx" && rng.below(2)) files.erase("x.idx");
    const std::size_t container_bytes = files["x.rec"].size();
    // No cache can be written below a file, so every round stands for itself.
    const OpenOptions options{
        .root = "", .index_dir = "/dev/null/none", .store = std::make_shared<MemoryStore>(files)};
    const std::string source = target == "x.lst" ? target : "x.rec";
    read_all(source, options, tally);
    scan_all(source, options, container_bytes + files["x.lst"].size() + 8, tally);
    only_errors([&] { check_indexes(source, options); });
    ASSERT_LE(test::largest_allocation(), kLargestAllowed);
    if (testing::Test::HasFailure()) return;
  }
  // The rounds must have met both fates of every step, or they would prove nothing.
  EXPECT_GT(tally.opened, kRounds / 10u);
  EXPECT_GT(tally.refused, kRounds / 10u);
  EXPECT_GT(tally.read, kRounds / 2u);
  EXPECT_GT(tally.scanned, kRounds / 2u);
  EXPECT_GT(tally.damages, kRounds / 20u);
}

}  // namespace
}  // namespace stoker
