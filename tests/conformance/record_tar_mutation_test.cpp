// Damaged tars and their indexes: whatever their bytes, only stoker::Error comes out, soon, and no memory is
// taken that the files do not hold. Deterministic: a failing round is named by its number.
#include <gtest/gtest.h>

#include "record_allocation_watch.hpp"
#include "record_mutation.hpp"
#include "support/temp_dir.hpp"

namespace stoker {
namespace {

using namespace test;

constexpr std::size_t kBlock = 512;

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

// Samples of one field and of several, with and without labels, under short names, long ones and ones beyond
// ASCII.
Files sound_files() {
  const TempDir folder;
  const auto writer = open_record_writer(folder.path("x.tar"));
  const std::vector<float> labels = {1, 2.5f};
  const std::string keys[] = {"a", "folder/b", std::string(150, 'n') + "/key", "gr\xc3\xbc\xc3\x9f",
                              "e", "f"};
  for (std::size_t i = 0; i < std::size(keys); ++i) {
    const Field fields[] = {{"jpg", bytes_of("some bytes of an image"), FieldType::bytes, FieldRole::content},
                            {"txt", bytes_of("words"), FieldType::bytes, FieldRole::content},
                            {"json", bytes_of("{}"), FieldType::bytes, FieldRole::content}};
    writer->add({.key = keys[i],
                 .labels = std::span(labels).first(i % 3),
                 .fields = std::span(fields).first(1 + i % 3)});
  }
  writer->finish();
  Files files;
  for (const char* name : {"x.tar", "x.tar.index"}) files[name] = read_file(folder.path(name));
  return files;
}

// Makes the checksums of all blocks that have one right again, so that what lies behind that check is
// reached.
void seal_headers(std::string& tar) {
  for (std::size_t at = 0; at + kBlock <= tar.size(); at += kBlock) {
    if (tar.compare(at + 257, 5, "ustar") != 0) continue;
    tar.replace(at + 148, 8, 8, ' ');
    unsigned sum = 0;
    for (std::size_t i = 0; i < kBlock; ++i) sum += static_cast<unsigned char>(tar[at + i]);
    char digits[8];
    std::snprintf(digits, sizeof digits, "%06o", sum);
    tar.replace(at + 148, 7, digits, 7);
  }
}

// A field of a header, where most bytes of a tar are padding.
void mutate_header(std::string& tar, SampleRng& rng) {
  static constexpr std::size_t kFields[] = {0, 99, 124, 130, 135, 148, 156, 257, 345, 499, kBlock};
  const std::size_t at = rng.below(tar.size() / kBlock + 1) * kBlock + kFields[rng.below(std::size(kFields))];
  if (at >= tar.size()) return;
  if (rng.below(4) == 0) {
    static constexpr char kTypes[] = {'x', 'g', 'L', 'K', 'S', '5', '1', '\0', '7', 'V'};
    tar[at / kBlock * kBlock + 156] = kTypes[rng.below(std::size(kTypes))];
  } else if (rng.below(2)) {
    tar[at] = static_cast<char>(rng.next_u32());
  } else {
    const std::string number = odd_number(rng);
    tar.replace(at, std::min(number.size(), tar.size() - at), number, 0,
                std::min(number.size(), tar.size() - at));
  }
}

// Whole blocks come and go.
void mutate_blocks(std::string& tar, SampleRng& rng) {
  const std::size_t blocks = tar.size() / kBlock;
  const std::size_t at = rng.below(blocks + 1) * kBlock, from = rng.below(blocks + 1) * kBlock;
  switch (rng.below(4)) {
    case 0:
      tar.erase(at, rng.below(4) * kBlock);
      break;
    case 1:
      tar.insert(at, tar.substr(from, rng.below(4) * kBlock));
      break;
    case 2:
      tar.insert(at, kBlock, '\0');
      break;
    default:
      tar.resize(at + rng.below(kBlock));
      break;
  }
}

TEST(TarMutation, OnlyErrorsComeOut) {
  constexpr int kRounds = 20'000;
  constexpr std::size_t kLargestAllowed = 8 << 20;  // windows are 1 MiB; the files, some kilobytes
  const Files sound = sound_files();
  const std::string header = sound.at("x.tar").substr(0, kBlock);
  Tally tally;
  reset_largest_allocation();
  for (int round = 0; round < kRounds; ++round) {
    SCOPED_TRACE(round);
    SampleRng rng(22, 0, static_cast<std::uint64_t>(round), 0);
    Files files = sound;
    const std::string target = rng.below(5) == 0 ? "x.tar.index" : "x.tar";
    for (std::uint64_t n = 1 + rng.below(4); n > 0; --n) {
      const std::uint64_t kind = target == "x.tar" ? rng.below(4) : 3;
      if (kind < 2) mutate_header(files[target], rng);
      if (kind == 2) mutate_blocks(files[target], rng);
      if (kind == 3) mutate(files[target], header, rng);
    }
    if (target == "x.tar" && rng.below(4) != 0) seal_headers(files[target]);
    if (target == "x.tar.index" && rng.below(4) != 0) seal(files[target]);
    if (target != "x.tar.index" && rng.below(2)) files.erase("x.tar.index");
    // No cache can be written below a file, so every round stands for itself.
    const OpenOptions options{.index_dir = "/dev/null/none", .store = std::make_shared<MemoryStore>(files)};
    read_all("x.tar", options, tally);
    scan_all("x.tar", options, files["x.tar"].size() / kBlock + 8, tally);
    only_errors([&] { check_indexes("x.tar", options); });
    ASSERT_LE(largest_allocation(), kLargestAllowed);
    if (HasFailure()) return;
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
