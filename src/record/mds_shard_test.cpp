// MDS sets: raw, compressed, damaged.
#include "record/mds_shard.hpp"

#include <filesystem>
#include <thread>

#include "base/endian.hpp"
#include "record/mds_fixture.hpp"

namespace stoker::record {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class MdsSetTest : public testing::Test {
 protected:
  // Three shards of `image`, `label`, `name`, with four samples each.
  void write(const std::string& compression = "") {
    for (int s = 0; s < 3; ++s) {
      std::vector<std::string> samples;
      for (int i = 4 * s; i < 4 * s + 4; ++i)
        samples.push_back(set_.sample({"image " + std::to_string(i) + std::string(500, 'x'),
                                       number_bytes(std::int64_t{i % 5}), "name " + std::to_string(i)}));
      set_.add(folder_, "mds", MdsFixture::shard(samples), samples.size(), compression);
    }
  }
  std::unique_ptr<RecordReader> open(OpenOptions options = {}) {
    options.index_dir = folder_.path("indexes");
    return open_records(folder_.path("mds"), options);
  }
  void expect_all(const RecordReader& reader) {
    ASSERT_EQ(reader.size(), 12u);
    Sample sample;
    for (const std::size_t i : {11, 0, 5, 4, 7, 3, 8}) {
      reader.read(i, sample);
      EXPECT_EQ(text_of(sample.main()).substr(0, 8), ("image " + std::to_string(i) + "xx").substr(0, 8));
      EXPECT_THAT(sample.labels, ElementsAre(static_cast<float>(i % 5)));
      EXPECT_EQ(sample.key, "name " + std::to_string(i));
      ASSERT_EQ(sample.fields.size(), 3u);
      EXPECT_EQ(sample.fields[1].name, "label");
      EXPECT_EQ(sample.fields[1].type, FieldType::int64);
      EXPECT_EQ(load_le<std::int64_t>(sample.fields[1].bytes.data()), static_cast<std::int64_t>(i % 5));
      EXPECT_EQ(sample.fields[2].role, FieldRole::key);
    }
  }

  test::TempDir folder_;
  MdsFixture set_{TestColumns{{"image", "jpeg"}, {"label", "int", 8}, {"name", "str"}}};
};

TEST_F(MdsSetTest, ReadsByNumber) {
  write();
  const auto reader = open();
  EXPECT_EQ(reader->format(), RecordFormat::mds);
  EXPECT_EQ(reader->shards().size(), 3u);
  expect_all(*reader);
  EXPECT_EQ(reader->info(5).container, folder_.path("mds/shard.1.mds"));
  EXPECT_GT(reader->info(5).offset, reader->info(4).offset);
  EXPECT_TRUE(says(error_of([&] { reader->info(12); }), ErrorCode::invalid_argument, {"less than 12"}));
}

TEST_F(MdsSetTest, ReadsCompressedShards) {
  for (const char* compression : {"zstd:7", "gz"}) {
    set_ = MdsFixture(TestColumns{{"image", "jpeg"}, {"label", "int", 8}, {"name", "str"}});
    write(compression);
    const auto reader = open();
    expect_all(*reader);
    EXPECT_THAT(reader->info(5).container, HasSubstr("shard.1.mds."));
    EXPECT_EQ(story(*scan_records(folder_.path("mds"))).size(), 12u);
  }
}

TEST_F(MdsSetTest, AShardThatLiesThereUnpackedIsTaken) {
  write("zstd");
  std::vector<std::string> samples;
  for (int i = 0; i < 4; ++i)
    samples.push_back(set_.sample({"image " + std::to_string(i) + std::string(500, 'x'),
                                   number_bytes(std::int64_t{i}), "name " + std::to_string(i)}));
  folder_.write("mds/shard.0.mds", MdsFixture::shard(samples));
  fs::remove(folder_.path("mds/shard.0.mds.zstd"));
  expect_all(*open());
}

TEST_F(MdsSetTest, ManyThreadsReadCompressedShards) {
  write("zstd");
  const auto reader = open();
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (std::size_t t = 0; t < 6; ++t)
    threads.emplace_back([&, t] {
      Sample sample;
      for (std::size_t k = 0; k < 60; ++k) {
        const std::size_t i = (k * 5 + t) % 12;
        reader->read(i, sample);
        if (sample.key != "name " + std::to_string(i)) ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(MdsSetTest, WrongSizesAndTablesAreNamed) {
  write();
  const std::string path = folder_.path("mds/shard.1.mds"), whole = test::read_file(path);
  const auto error_with = [&](std::size_t at, std::uint32_t value) {
    std::string text = whole;
    store_le(reinterpret_cast<std::byte*>(text.data()) + at, value);
    folder_.write("mds/shard.1.mds", text);
    return error_of([&] { open(); });
  };
  const ErrorCode bad = ErrorCode::corrupt_data;
  EXPECT_TRUE(says(error_with(0, 5), bad, {"shard.1.mds at offset 0", "5 samples, and 4"}));
  EXPECT_TRUE(says(error_with(0, 0xffffffff), bad, {"4294967295 samples"}));
  EXPECT_TRUE(says(error_with(4, 3), bad, {"offset 4", "inside of the table"}));
  EXPECT_TRUE(says(error_with(12, 0xffffffff), bad, {"offsets that fall"}));
  EXPECT_TRUE(says(error_with(20, static_cast<std::uint32_t>(whole.size() - 1)), bad, {"end at"}));
  folder_.write("mds/shard.1.mds", whole.substr(0, whole.size() - 1));
  EXPECT_TRUE(says(error_of([&] { open(); }), bad, {"shard.1.mds", "index.json"}));
  fs::remove(path);
  EXPECT_TRUE(says(error_of([&] { open(); }), ErrorCode::not_found, {"shard.1.mds"}));
}

TEST_F(MdsSetTest, DamageIsToldAndTheRestIsRead) {
  write();
  std::string text = test::read_file(folder_.path("mds/shard.1.mds"));
  const auto first = load_le<std::uint32_t>(reinterpret_cast<const std::byte*>(text.data()) + 8);
  text.replace(first, 4, "\xff\xff\xff\x7f");  // the size of sample 5's image
  folder_.write("mds/shard.1.mds", text);
  fs::remove(folder_.path("mds/shard.2.mds"));
  const auto lines = story(*scan_records(folder_.path("mds")));
  ASSERT_EQ(lines.size(), 9u);  // 4 + 4 + the shard that is gone
  EXPECT_THAT(lines[5], HasSubstr("damage " + std::to_string(first)));
  EXPECT_THAT(lines[5], HasSubstr("'image' of 2147483647 bytes"));
  EXPECT_THAT(lines[8], HasSubstr("shard.2.mds"));
}

TEST_F(MdsSetTest, CompressedShardsThatDoNotUnpackAsDescribed) {
  write("zstd");
  const auto error_of_read = [&] {
    return error_of([&] {
      Sample sample;
      open()->read(0, sample);
    });
  };
  const std::uint64_t raw = set_.shard_entry(0)["raw_data"]["bytes"];
  set_.shard_entry(0)["raw_data"]["bytes"] = raw - 1;
  set_.write_index(folder_, "mds");
  EXPECT_TRUE(says(error_of_read(), ErrorCode::corrupt_data, {"shard.0.mds.zstd", "more bytes"}));
  set_.shard_entry(0)["raw_data"]["bytes"] = 0xfffffffful;  // nothing is allocated by it
  set_.write_index(folder_, "mds");
  EXPECT_TRUE(says(error_of_read(), ErrorCode::corrupt_data, {"shard.0.mds.zstd"}));
  set_.shard_entry(0)["raw_data"]["bytes"] = raw + 1;
  set_.write_index(folder_, "mds");
  EXPECT_TRUE(
      says(error_of_read(), ErrorCode::corrupt_data, {"shard.0.mds.zstd", std::to_string(raw) + " bytes"}));
  // All that is wrong with a shard is one damage of a scan.
  EXPECT_THAT(story(*scan_records(folder_.path("mds"))), testing::SizeIs(9));
}

TEST(MdsSample, NumbersAreWidenedOrTold) {
  MdsFixture set(TestColumns{{"a", "int8", 1},
                  {"b", "uint16", 2},
                  {"c", "uint64", 8},
                  {"d", "float16", 2},
                  {"e", "float32", 4},
                  {"f", "float64", 8},
                  {"g", "json"}});
  const std::string stored = set.sample({number_bytes(std::int8_t{-7}), number_bytes(std::uint16_t{65535}),
                                         number_bytes(~std::uint64_t{0}), number_bytes(std::uint16_t{0x3555}),
                                         number_bytes(0.1f), number_bytes(0.1), "{\"x\": 1}"});
  const test::TempDir dir;
  set.add(dir, "mds", MdsFixture::shard({stored}), 1);
  const auto reader = open_records(dir.path("mds"), {.index_dir = dir.path("indexes")});
  Sample sample;
  reader->read(0, sample);
  ASSERT_EQ(sample.fields.size(), 7u);
  EXPECT_EQ(sample.key, "0");
  EXPECT_TRUE(sample.labels.empty());
  EXPECT_EQ(load_le<std::int64_t>(sample.fields[0].bytes.data()), -7);
  EXPECT_EQ(load_le<std::int64_t>(sample.fields[1].bytes.data()), 65535);
  EXPECT_EQ(sample.fields[2].type, FieldType::bytes);
  EXPECT_EQ(text_of(sample.fields[2].bytes), "18446744073709551615");
  EXPECT_EQ(sample.fields[3].type, FieldType::float32);
  EXPECT_FLOAT_EQ(load_le<float>(sample.fields[3].bytes.data()), 0.333251953125f);
  EXPECT_EQ(load_le<float>(sample.fields[4].bytes.data()), 0.1f);
  EXPECT_EQ(text_of(sample.fields[5].bytes), "0.1");
  EXPECT_EQ(text_of(sample.main()), "{\"x\": 1}");
  for (const Field& field : sample.fields)  // all that a sample shows is its own
    EXPECT_LE(field.bytes.data() + field.bytes.size(), sample.buffer.data() + sample.buffer.size());
}

TEST(UnpackedCache, KeepsWhatWasUsedLast) {
  const test::TempDir dir;
  for (const char* name : {"a", "b", "c"}) dir.write(name, zstd_of(std::string(1000, *name)));
  UnpackedCache cache(open_store("."), 2500);
  const auto get = [&](const char* name) { return cache.get({dir.path(name), Compression::zstd, 1000}); };
  const auto a = get("a");
  EXPECT_EQ(get("a"), a);
  get("b");
  EXPECT_EQ(cache.bytes(), 2000u);
  get("a");
  get("c");
  EXPECT_EQ(cache.bytes(), 2000u);
  EXPECT_EQ(get("a"), a);  // b went
  fs::remove(dir.path("b"));
  EXPECT_EQ(error_of([&] { get("b"); }).code(), ErrorCode::not_found);
  UnpackedCache small(open_store("."), 10);
  EXPECT_EQ(small.get({dir.path("a"), Compression::zstd, 1000})->bytes(), 1000u);  // one is always kept
  EXPECT_EQ(small.bytes(), 1000u);
}

}  // namespace
}  // namespace stoker::record
