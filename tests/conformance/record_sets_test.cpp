// Sets of shards, compressed containers and MDS as other programs wrote them, and sets larger than the number
// of files that a process may open.
#include <atomic>
#include <filesystem>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <thread>

#include "stoker/error.hpp"
#include "stoker/record.hpp"

#include "base/crc.hpp"
#include "record/record_fixture.hpp"
#include "record/seek_index_writer.hpp"
#include "support/shared_data.hpp"
#include "support/temp_dir.hpp"

namespace stoker {
namespace {

namespace fs = std::filesystem;
using Row = std::map<std::string, std::string>;

std::string hex(std::span<const std::byte> bytes) { return fmt::format("{:08x}", crc32_zlib(bytes)); }

const Field& field(const Sample& sample, std::string_view name) {
  for (const Field& candidate : sample.fields)
    if (candidate.name == name) return candidate;
  throw Error(ErrorCode::not_found, {.object = std::string(name)});
}

class ForeignSets : public testing::Test {
 protected:
  OpenOptions options() const { return {.index_dir = indexes_.path()}; }
  test::TempDir indexes_;
};

TEST_F(ForeignSets, MdsEqualsItsTable) {
  STOKER_NEEDS_DATA(folder, "foreign-records/mds-jpeg-int-str");
  const auto rows = test::read_tsv(folder + "/expected.tsv");
  const auto reader = open_records(folder, options());
  EXPECT_EQ(reader->format(), RecordFormat::mds);
  ASSERT_EQ(reader->size(), rows.size());
  const auto scanner = scan_records(folder, options());
  Sample sample, scanned;
  RecordInfo info;
  BadRecord bad;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    reader->read(i, sample);
    EXPECT_EQ(sample.key, row.at("class") + "/" + row.at("name"));
    EXPECT_THAT(sample.labels, testing::ElementsAre(std::stof(row.at("label"))));
    EXPECT_EQ(std::to_string(sample.main().size()), row.at("image_len"));
    EXPECT_EQ(hex(sample.main()), row.at("image_crc32"));
    EXPECT_EQ(sample.fields.size(), 3u);
    ASSERT_EQ(scanner->next(scanned, info, bad), RecordScanner::Step::record) << bad.reason;
    EXPECT_EQ(scanned.key, sample.key);
    EXPECT_EQ(info.offset, reader->info(i).offset);
  }
  EXPECT_EQ(scanner->next(scanned, info, bad), RecordScanner::Step::end);
  EXPECT_THAT(check_indexes(folder, options()), testing::IsEmpty());
}

TEST_F(ForeignSets, WebDatasetShardsAreOneSource) {
  STOKER_NEEDS_DATA(folder, "foreign-records/wds-writer");
  std::vector<Row> rows;
  for (int shard = 0; shard < 3; ++shard)
    for (const Row& row : test::read_tsv(fmt::format("{}/photos-{:06}.tar.samples.tsv", folder, shard)))
      rows.push_back(row);
  ASSERT_EQ(rows.size(), 30u);
  for (const std::string& source :
       {folder, folder + "/photos-{000000..000002}.tar", folder + "/photos-*.tar"}) {
    const auto reader = open_records(source, options());
    ASSERT_EQ(reader->size(), rows.size()) << source;
    Sample sample;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      reader->read(i, sample);
      EXPECT_EQ(sample.key, rows[i].at("key"));
      EXPECT_THAT(sample.labels, testing::ElementsAre(std::stof(rows[i].at("cls"))));
    }
  }
}

TEST_F(ForeignSets, GzippedTarEqualsItsTables) {
  STOKER_NEEDS_DATA(file, "foreign-records/wds-original/sample.tgz");
  std::map<std::string, std::string> crcs;
  for (const Row& row : test::read_tsv(file + ".expected.tsv")) crcs[row.at("member")] = row.at("crc32");
  const auto rows = test::read_tsv(file + ".samples.tsv");
  const auto reader = open_records(file, options());
  ASSERT_EQ(reader->size(), rows.size());
  Sample sample;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    reader->read(i, sample);
    EXPECT_EQ(sample.key, rows[i].at("key"));
    EXPECT_THAT(sample.labels, testing::ElementsAre(std::stof(rows[i].at("cls"))));
    EXPECT_EQ(hex(field(sample, "png").bytes), crcs.at(sample.key + ".png"));
    EXPECT_EQ(reader->info(i).container, file);
  }
  EXPECT_THAT(check_indexes(file, options()), testing::IsEmpty());
}

TEST_F(ForeignSets, GzippedTFRecordEqualsItsTable) {
  STOKER_NEEDS_DATA(file, "foreign-records/tfrecord/tfx_penguin_train.tfrecord.gz");
  const auto rows = test::read_tsv(file + ".expected.tsv");
  const auto reader = open_records(file, options());
  ASSERT_EQ(reader->size(), rows.size());
  Sample sample;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    reader->read(i, sample);
    EXPECT_EQ(std::to_string(reader->info(i).offset), rows[i].at("offset"));
    EXPECT_EQ(sample.fields.size(), 5u);
  }
}

// Opens a set from a process that may open 64 files, and reads it from 8 threads. No cache is written, and
// seek indexes lie in `index_dir`.
void read_with_few_descriptors(const std::string& folder, const std::string& index_dir, std::size_t records,
                               bool has_points) {
  const rlimit few{64, 64};
  if (::setrlimit(RLIMIT_NOFILE, &few) != 0) std::exit(2);
  const auto reader = open_records(folder, {.index_dir = index_dir});
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      try {
        Sample sample;
        for (std::size_t k = 0; k < reader->size(); ++k) {
          const std::size_t i = (k * 617 + t * 251) % reader->size();
          reader->read(i, sample);
          const auto main = sample.main();
          const std::string text(reinterpret_cast<const char*>(main.data()), main.size());
          if (text != fmt::format("sample {}", i) || sample.seek_points.empty() == has_points) ++wrong;
        }
      } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  std::exit(wrong == 0 && reader->size() == records ? 0 : 1);
}

// A folder that the process of a death test finds again.
class ManyShards : public testing::Test {
 protected:
  ManyShards() {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";  // a process of its own, whose limits are its own
    if (const char* const told = std::getenv(kVariable)) {
      folder_ = told;
      return;
    }
    folder_ = dir_.emplace().path();
    ::setenv(kVariable, folder_.c_str(), 1);
  }
  ~ManyShards() override {
    if (dir_) ::unsetenv(kVariable);
  }

  bool is_first_process() const { return dir_.has_value(); }
  std::string set() const { return folder_ + "/set"; }
  void write_shards(int shards) {
    for (int i = 0; i < shards; ++i)
      dir_->write(fmt::format("set/{:05}.rec", i), record::part(0, fmt::format("sample {}", 2 * i)) +
                                                       record::part(0, fmt::format("sample {}", 2 * i + 1)));
  }

  static constexpr const char* kVariable = "STOKER_TEST_MANY_SHARDS";
  std::optional<test::TempDir> dir_;
  std::string folder_;
};

TEST_F(ManyShards, NeedFewDescriptors) {
  if (is_first_process()) write_shards(2'000);
  EXPECT_EXIT(read_with_few_descriptors(set(), "/dev/null/none", 4'000, false), testing::ExitedWithCode(0),
              "");
}

TEST_F(ManyShards, SeekIndexesComeOutOfThePoolToo) {
  const std::string indexes = folder_ + "/indexes";
  if (is_first_process()) {
    write_shards(100);
    const std::shared_ptr<RecordReader> reader = open_records(set(), {.index_dir = indexes});
    record::SeekIndexWriter writer(reader, indexes);
    Sample sample;
    for (std::size_t i = 0; i < reader->size(); ++i) {
      reader->read(i, sample);
      record::SeekEntry entry = record::describe_image(*reader, i, sample);
      entry.points = 1;
      writer.add(i, entry, record::bytes_of("pts"));
    }
    EXPECT_EQ(writer.publish().files, 100u);
  }
  EXPECT_EXIT(read_with_few_descriptors(set(), indexes, 200, true), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace stoker
