// Damaged TFRecord files and indexes, and Examples of any bytes behind sound CRCs: only stoker::Error comes
// out, soon, and no memory is taken that the files do not hold. Deterministic: a failing round is named by
// its number.
#include <gtest/gtest.h>

#include "record_allocation_watch.hpp"
#include "record_mutation.hpp"
#include "support/temp_dir.hpp"

namespace stoker {
namespace {

using namespace test;

std::string raw(std::initializer_list<std::int64_t> values) {
  std::string text(8 * values.size(), '\0');
  std::memcpy(text.data(), std::data(values), text.size());
  return text;
}

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

// Examples of all types of features, and raw records.
Files sound_files() {
  const TempDir folder;
  const auto writer = open_record_writer(folder.path("x.tfrecord"));
  const std::string whole = raw({1, -2, 300, 1ll << 40});
  const std::string list("\x02\0\0\0ab\0\0\0\0\x01\0\0\0c", 15);
  const std::vector<float> labels = {1, 2.5f};
  for (std::size_t i = 0; i < 8; ++i) {
    const Field fields[] = {
        {"image/encoded", bytes_of("some bytes of an image"), FieldType::bytes, FieldRole::content},
        {"numbers", bytes_of(whole), FieldType::int64, FieldRole::content},
        {"weights", bytes_of(std::string_view(whole).substr(0, 12)), FieldType::float32, FieldRole::content},
        {"list", bytes_of(list), FieldType::bytes_list, FieldRole::content}};
    writer->add(
        {.key = "k", .labels = std::span(labels).first(i % 3), .fields = std::span(fields).first(1 + i % 4)});
  }
  writer->append("raw", {}, {"data", bytes_of("words"), FieldType::bytes, FieldRole::content});
  writer->finish();
  Files files;
  for (const char* name : {"x.tfrecord", "x.tfrecord.idx", "x.tfrecord.index"})
    files[name] = read_file(folder.path(name));
  return files;
}

// The data of each record of a sound container.
std::vector<std::string> data_of(const std::string& container) {
  std::vector<std::string> all;
  for (std::size_t at = 0; at < container.size();) {
    const auto length = load_le<std::uint64_t>(bytes_of(container).data() + at);
    all.push_back(container.substr(at + 12, length));
    at += 16 + length;
  }
  return all;
}

std::string crc_text(std::string_view text) {
  const std::uint32_t crc = crc32c(bytes_of(text)), masked = (crc >> 15 | crc << 17) + 0xa282ead8u;
  return {reinterpret_cast<const char*>(&masked), sizeof masked};
}

std::string framed(const std::vector<std::string>& all) {
  std::string container;
  for (const std::string& data : all) {
    const std::uint64_t length = data.size();
    const std::string_view head(reinterpret_cast<const char*>(&length), sizeof length);
    container += std::string(head) + crc_text(head) + data + crc_text(data);
  }
  return container;
}

TEST(TFRecordMutation, OnlyErrorsComeOut) {
  constexpr int kRounds = 20'000;
  constexpr std::size_t kLargestAllowed =
      8 << 20;  // windows and buffers are 1 MiB; the files, some hundred bytes
  const Files sound = sound_files();
  const std::vector<std::string> data = data_of(sound.at("x.tfrecord"));
  ASSERT_EQ(framed(data), sound.at("x.tfrecord"));
  const std::string head = sound.at("x.tfrecord").substr(0, 12);
  const std::vector<std::string> targets = {"x.tfrecord", "data", "data", "x.tfrecord.idx",
                                            "x.tfrecord.index"};
  Tally tally;
  reset_largest_allocation();
  for (int round = 0; round < kRounds; ++round) {
    SCOPED_TRACE(round);
    SampleRng rng(21, 0, static_cast<std::uint64_t>(round), 0);
    Files files = sound;
    const std::string& target = targets[rng.below(targets.size())];
    const std::uint64_t changes = 1 + rng.below(4);
    if (target == "data") {
      std::vector<std::string> changed = data;
      for (std::uint64_t n = changes; n > 0; --n)
        mutate(changed[rng.below(changed.size())], "\x0a\x02\x12\x80", rng);
      files["x.tfrecord"] = framed(changed);
    } else {
      for (std::uint64_t n = changes; n > 0; --n) mutate(files[target], head, rng);
    }
    if (target == "x.tfrecord.index" && rng.below(4) != 0) seal(files[target]);
    if (target != "x.tfrecord.index" && rng.below(2)) files.erase("x.tfrecord.index");
    if (target != "x.tfrecord.idx" && rng.below(2)) files.erase("x.tfrecord.idx");
    const std::size_t container_bytes = files["x.tfrecord"].size();
    // No cache can be written below a file, so every round stands for itself.
    const OpenOptions options{.index_dir = "/dev/null/none", .store = std::make_shared<MemoryStore>(files)};
    read_all("x.tfrecord", options, tally);
    scan_all("x.tfrecord", options, container_bytes + 8, tally);
    only_errors([&] { check_indexes("x.tfrecord", options); });
    ASSERT_LE(largest_allocation(), kLargestAllowed);
    if (HasFailure()) return;
  }
  // The rounds must have met both fates of every step, or they would prove nothing.
  EXPECT_GT(tally.opened, kRounds / 2u);
  EXPECT_GT(tally.refused, kRounds / 100u);
  EXPECT_GT(tally.read, kRounds / 2u);
  EXPECT_GT(tally.scanned, kRounds / 2u);
  EXPECT_GT(tally.damages, kRounds / 20u);
}

}  // namespace
}  // namespace stoker
