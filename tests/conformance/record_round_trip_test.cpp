// What was written is read, whatever the bytes: by random access, by a scan, with the index, without and
// through the text index.
#include <bit>
#include <cstring>
#include <filesystem>
#include <gmock/gmock.h>

#include "stoker/record.hpp"

#include "base/philox.hpp"
#include "support/temp_dir.hpp"

namespace stoker {
namespace {

struct Written {
  std::vector<float> labels;
  std::string data;
  std::uint64_t id;
};

const std::string kMagic = "\x0a\x23\xd7\xce";

std::vector<Written> adversarial() {
  std::vector<Written> all;
  const auto add = [&](std::vector<float> labels, std::string data) {
    all.push_back({std::move(labels), std::move(data), all.size()});
  };
  for (const bool labelled : {false, true}) {
    const std::vector<float> labels = labelled ? std::vector<float>{1} : std::vector<float>{};
    // Raw data must not begin like an image header, or it is one: 0xff.. as the number of labels never fits.
    const std::string lead = labelled ? "" : "\xff\xff\xff\xff";
    for (std::size_t before = 0; before < 9; ++before)
      for (std::size_t behind = 0; behind < 6; ++behind)
        add(labels, lead + std::string(before, 'x') + kMagic + std::string(behind, 'y'));
    add(labels, "");
    add(labels, kMagic);
    add(labels, kMagic + kMagic + kMagic);
    add(labels, kMagic + "abcd" + kMagic);
    for (std::size_t bytes = 1; bytes < 10; ++bytes) add(labels, lead + std::string(bytes, '\xce'));
    std::string many = lead;
    for (int i = 0; i < 5'000; ++i) many += kMagic;
    add(labels, many);
    add(labels, lead + std::string(3 << 20, 'z') + kMagic + std::string(1 << 20, 'w'));
    add(labels, lead + kMagic.substr(0, 3));
    add(labels, lead + kMagic + std::string("\0\0\0\0", 4));    // what looks like an empty record
    add(labels, lead + kMagic + std::string("\0\0\0\x20", 4));  // and like a first part
  }
  std::vector<float> seventeen;
  for (int i = 0; i < 17; ++i) seventeen.push_back(static_cast<float>(i) - 3.5f);
  add(seventeen, "jpeg");
  add(seventeen, "");
  add({0.0f, -1e30f}, kMagic);
  float magic_label;
  std::memcpy(&magic_label, kMagic.data(), sizeof magic_label);
  add({magic_label}, "label that is the magic");
  add({1, magic_label, magic_label}, "labels that are the magic");
  all.push_back({{1}, "id that holds the magic twice", 0xced7230aced7230au});
  all.push_back({{1}, "largest id", ~std::uint64_t{0}});
  return all;
}

// Data of random lengths, made mostly of magics, near-magics and part headers.
std::vector<Written> random_records(std::uint64_t seed) {
  std::vector<Written> all;
  SampleRng rng(seed, 0, 0, 0);
  for (int i = 0; i < 300; ++i) {
    Written record{.labels = {}, .data = "", .id = rng.next_u64()};
    for (std::uint64_t n = rng.below(4); n > 0; --n)
      record.labels.push_back(static_cast<float>(rng.below(1000)));
    if (record.labels.empty()) record.data = "\xff\xff\xff\xff";
    for (std::uint64_t n = rng.below(40); n > 0; --n) {
      switch (rng.below(4)) {
        case 0:
          record.data += kMagic;
          break;
        case 1:
          record.data += kMagic.substr(0, rng.below(4));
          break;
        case 2:
          record.data += std::string(rng.below(9), '\0');
          break;
        default:
          record.data += static_cast<char>(rng.next_u32());
          break;
      }
    }
    all.push_back(std::move(record));
  }
  return all;
}

void expect_equal(const Sample& sample, const Written& written, std::size_t index) {
  ASSERT_EQ(sample.labels.size(), written.labels.size()) << index;
  for (std::size_t i = 0; i < written.labels.size(); ++i)  // bit by bit: some are no numbers
    EXPECT_EQ(std::bit_cast<std::uint32_t>(sample.labels[i]),
              std::bit_cast<std::uint32_t>(written.labels[i]));
  const auto data = sample.main();
  EXPECT_TRUE(std::string_view(reinterpret_cast<const char*>(data.data()), data.size()) == written.data)
      << index;
  EXPECT_EQ(sample.key, std::to_string(written.labels.empty() ? index : written.id));
  EXPECT_EQ(sample.fields[0].name, written.labels.empty() ? "data" : "image");
}

void round_trip(const std::vector<Written>& all) {
  const test::TempDir folder;
  const std::string path = folder.path("x.rec");
  const auto writer = open_record_writer(path);
  std::vector<std::uint64_t> offsets;
  for (const Written& record : all)
    offsets.push_back(
        writer->append("k", record.labels, {"image", std::as_bytes(std::span(record.data))}, record.id)
            .offset);
  writer->finish();
  EXPECT_THAT(check_indexes(path), testing::IsEmpty());
  for (const char* removed :
       {"", "x.rec.index", "x.idx"}) {  // by the record index, by the text index, by a walk
    if (*removed) std::filesystem::remove(folder.path(removed));
    const auto reader = open_records(path, {.index_dir = folder.path("indexes")});
    ASSERT_EQ(reader->size(), all.size());
    Sample sample;
    for (std::size_t i = all.size(); i-- > 0;) {
      reader->read(i, sample);
      expect_equal(sample, all[i], i);
      EXPECT_EQ(reader->info(i).offset, offsets[i]);
    }
  }
  const auto scanner = scan_records(path);
  Sample sample;
  RecordInfo info;
  BadRecord bad;
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(scanner->next(sample, info, bad), RecordScanner::Step::record) << bad.reason;
    expect_equal(sample, all[i], i);
    EXPECT_EQ(info.offset, offsets[i]);
  }
  EXPECT_EQ(scanner->next(sample, info, bad), RecordScanner::Step::end);
}

TEST(RecordRoundTrip, AdversarialPayloads) { round_trip(adversarial()); }

TEST(RecordRoundTrip, RandomPayloads) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) round_trip(random_records(seed));
}

TEST(RecordRoundTrip, NoRecords) { round_trip({}); }

}  // namespace
}  // namespace stoker
