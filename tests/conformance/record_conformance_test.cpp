// Every RecordIO file that the original tools wrote reads here as its table of expected contents says.
#include <cmath>
#include <filesystem>
#include <gmock/gmock.h>
#include <sstream>

#include "stoker/error.hpp"
#include "stoker/record.hpp"

#include "base/crc.hpp"
#include "support/shared_data.hpp"
#include "support/temp_dir.hpp"

namespace stoker {
namespace {

namespace fs = std::filesystem;
using Row = std::map<std::string, std::string>;

std::string hex(std::uint32_t value) {
  char text[9];
  std::snprintf(text, sizeof text, "%08x", value);
  return text;
}

std::vector<float> parse_labels(const std::string& cell) {
  std::vector<float> labels;
  std::istringstream stream(cell);
  for (std::string item; std::getline(stream, item, ',');) labels.push_back(std::stof(item));
  return labels;
}

// Tables print floats with six digits, so that large ones are off by more than 1e-5 of themselves at most.
void expect_labels(const std::vector<float>& found, const std::vector<float>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_LE(std::abs(found[i] - expected[i]), 1e-5f * std::max(1.0f, std::abs(expected[i]))) << i;
}

void expect_row(const Sample& sample, const RecordInfo& info, const Row& row) {
  EXPECT_EQ(std::to_string(info.offset), row.at("offset"));
  ASSERT_EQ(sample.fields.size(), 1u);
  if (row.contains("record_crc32")) {  // raw records
    EXPECT_EQ(sample.fields[0].name, "data");
    EXPECT_EQ(sample.key, row.at("n"));
    EXPECT_TRUE(sample.labels.empty());
    EXPECT_EQ(std::to_string(sample.main().size()), row.at("record_len"));
    EXPECT_EQ(hex(crc32_zlib(sample.main())), row.at("record_crc32"));
    return;
  }
  EXPECT_EQ(sample.fields[0].name, "image");
  EXPECT_EQ(sample.key, row.at("id"));
  expect_labels(sample.labels, parse_labels(row.at("labels")));
  EXPECT_EQ(std::to_string(sample.main().size()), row.at("payload_len"));
  EXPECT_EQ(hex(crc32_zlib(sample.main())), row.at("payload_crc32"));
}

// rec-*/x.rec that have an expected table.
std::vector<fs::path> foreign_files(const std::string& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".rec" &&
        fs::exists(fs::path(entry.path()).replace_extension(".expected.tsv")))
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

enum class With { its_index, no_index, cached_index };

void expect_random_access(const fs::path& file, With with) {
  const test::TempDir folder;
  OpenOptions options{.index_dir = folder.path("indexes")};
  fs::path opened = file;
  if (with != With::its_index) {
    opened = folder.path(file.filename().string());
    fs::copy_file(file, opened);
  }
  if (with == With::cached_index) open_records(opened, options);
  EXPECT_EQ(fs::exists(folder.path("indexes")), with == With::cached_index);
  const auto rows = test::read_tsv(fs::path(file).replace_extension(".expected.tsv"));
  const auto reader = open_records(opened, options);
  EXPECT_EQ(reader->format(), RecordFormat::recordio);
  ASSERT_EQ(reader->size(), rows.size());
  Sample sample;
  for (std::size_t i = rows.size(); i-- > 0;) {  // backwards: no state is carried from record to record
    SCOPED_TRACE(i);
    reader->read(i, sample);
    expect_row(sample, reader->info(i), rows[i]);
  }
}

TEST(RecordConformance, ForeignFilesEqualTheirTablesByRandomAccess) {
  STOKER_NEEDS_DATA(folder, "foreign-records");
  const auto files = foreign_files(folder);
  ASSERT_GE(files.size(), 11u);
  for (const fs::path& file : files)
    for (const With with : {With::its_index, With::no_index, With::cached_index}) {
      SCOPED_TRACE(file.string() + " " + std::to_string(static_cast<int>(with)));
      expect_random_access(file, with);
    }
}

TEST(RecordConformance, ForeignFilesEqualTheirTablesFromFirstToLast) {
  STOKER_NEEDS_DATA(folder, "foreign-records");
  for (const fs::path& file : foreign_files(folder)) {
    SCOPED_TRACE(file.string());
    const auto rows = test::read_tsv(fs::path(file).replace_extension(".expected.tsv"));
    const auto scanner = scan_records(file);
    Sample sample;
    RecordInfo info;
    BadRecord bad;
    for (const Row& row : rows) {
      ASSERT_EQ(scanner->next(sample, info, bad), RecordScanner::Step::record) << bad.reason;
      expect_row(sample, info, row);
    }
    EXPECT_EQ(scanner->next(sample, info, bad), RecordScanner::Step::end);
    EXPECT_THAT(check_indexes(file), testing::IsEmpty());
  }
}

// A scan's story: where records and damages lie, and the reasons of the latter.
struct Story {
  std::vector<std::uint64_t> records;
  std::vector<BadRecord> damages;
};

Story scan(const std::string& path) {
  const auto scanner = scan_records(path);
  Story story;
  Sample sample;
  RecordInfo info;
  BadRecord bad;
  while (true) {
    switch (scanner->next(sample, info, bad)) {
      case RecordScanner::Step::record:
        story.records.push_back(info.offset);
        break;
      case RecordScanner::Step::damage:
        story.damages.push_back(bad);
        break;
      case RecordScanner::Step::end:
        return story;
    }
  }
}

ErrorCode code_of_open(const std::string& path, std::string_view word) {
  const test::TempDir folder;
  try {
    open_records(path, {.index_dir = folder.path("indexes")});
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(word));
    EXPECT_THAT(error.what(), testing::HasSubstr(path));
    return error.code();
  }
  ADD_FAILURE() << path << " was opened";
  return ErrorCode::internal;
}

TEST(RecordConformance, DamagedCopiesAreRefusedWithTheOffsetAndScannedPastTheDamage) {
  STOKER_NEEDS_DATA(folder, "foreign-records/rec-derived-errors");
  STOKER_NEEDS_DATA(table, "foreign-records/rec-im2rec-cc/multilabel4.expected.tsv");
  std::vector<std::uint64_t> whole;
  for (const Row& row : test::read_tsv(table)) whole.push_back(std::stoull(row.at("offset")));
  ASSERT_EQ(whole.size(), 10u);

  const std::string cut = folder + "/truncated_in_last_payload.rec";
  EXPECT_EQ(code_of_open(cut, "at offset " + std::to_string(whole[9])), ErrorCode::corrupt_data);
  Story story = scan(cut);
  EXPECT_THAT(story.records, testing::ElementsAreArray(whole.begin(), whole.end() - 1));
  ASSERT_EQ(story.damages.size(), 1u);
  EXPECT_EQ(story.damages[0].container, cut);
  EXPECT_EQ(story.damages[0].offset, whole[9]);
  EXPECT_THAT(story.damages[0].reason, testing::HasSubstr("beyond the end of the container"));

  const std::string headless = folder + "/truncated_in_header.rec";
  EXPECT_EQ(code_of_open(headless, "at offset 0"), ErrorCode::corrupt_data);
  story = scan(headless);
  EXPECT_TRUE(story.records.empty());
  ASSERT_EQ(story.damages.size(), 1u);
  EXPECT_THAT(story.damages[0].reason, testing::HasSubstr("6 bytes into a header"));

  const std::string bad_magic = folder + "/bad_magic_first.rec";
  EXPECT_EQ(code_of_open(bad_magic, "instead of the magic"), ErrorCode::corrupt_data);
  story = scan(bad_magic);
  EXPECT_THAT(story.records, testing::ElementsAreArray(whole.begin() + 1, whole.end()));
  ASSERT_EQ(story.damages.size(), 1u);
  EXPECT_EQ(story.damages[0].offset, 0u);

  const test::TempDir indexes;
  EXPECT_EQ(open_records(folder + "/empty.rec", {.index_dir = indexes.path()})->size(), 0u);
  story = scan(folder + "/empty.rec");
  EXPECT_TRUE(story.records.empty() && story.damages.empty());
}

TEST(RecordConformance, TextIndexOpensATruncatedContainerAndOnlyItsLastRecordIsBad) {
  STOKER_NEEDS_DATA(file, "foreign-records/rec-im2rec-py/photos_train.rec");
  const test::TempDir folder;
  const std::string copy = folder.path("x.rec");
  fs::copy_file(file, copy);
  fs::copy_file(fs::path(file).replace_extension(".idx"), folder.path("x.idx"));
  fs::permissions(copy, fs::perms::owner_all);
  fs::resize_file(copy, fs::file_size(copy) - 100);
  const auto reader = open_records(copy, {.index_dir = folder.path("indexes")});
  ASSERT_EQ(reader->size(), 21u);
  Sample sample;
  for (std::size_t i = 0; i < 20; ++i) reader->read(i, sample);
  EXPECT_THROW(reader->read(20, sample), Error);
  reader->read(0, sample);
}

TEST(RecordConformance, WhatIsNotReadAloneIsNamed) {
  STOKER_NEEDS_DATA(shard, "foreign-records/mds-jpeg-int-str/shard.00000.mds");
  EXPECT_EQ(code_of_open(shard, "MDS"), ErrorCode::unsupported);
}

std::string copied_with_original_writer(const std::string& original, bool raw) {
  const test::TempDir folder;
  const auto reader = open_records(original, {.index_dir = folder.path("indexes")});
  const auto writer = open_record_writer(folder.path("copy.rec"));
  Sample sample;
  for (std::size_t i = 0; i < reader->size(); ++i) {
    reader->read(i, sample);
    EXPECT_EQ(sample.labels.empty(), raw);
    const auto id = raw ? std::nullopt : std::optional<std::uint64_t>(std::stoull(sample.key));
    const RecordInfo info = writer->append(sample.key, sample.labels, sample.fields[0], id);
    EXPECT_EQ(info.offset, reader->info(i).offset);
    EXPECT_EQ(info.bytes, reader->info(i).bytes);
  }
  writer->finish();
  EXPECT_THAT(check_indexes(folder.path("copy.rec")), testing::IsEmpty());
  return test::read_file(folder.path("copy.rec"));
}

TEST(RecordConformance, WrittenAgainTheBytesAreThoseOfTheOriginalWriter) {
  STOKER_NEEDS_DATA(folder, "foreign-records");
  // The Python packer with several labels writes 0 for the label of the header, so its files are not among
  // these.
  const std::pair<const char*, bool> cases[] = {{"rec-magic/magic.rec", true},
                                                {"rec-magic/jpeg_with_magic.rec", false},
                                                {"rec-im2rec-cc/multilabel4.rec", false},
                                                {"rec-im2rec-cc/unchanged.rec", false},
                                                {"rec-im2rec-py/photos_train.rec", false},
                                                {"rec-im2rec-py-nested/nested.rec", false}};
  for (const auto& [path, raw] : cases) {
    SCOPED_TRACE(path);
    EXPECT_TRUE(copied_with_original_writer(folder + "/" + path, raw) ==
                test::read_file(folder + "/" + path));
  }
}

TEST(RecordConformance, OriginalTextIndexesEqualOurs) {
  STOKER_NEEDS_DATA(file, "foreign-records/rec-im2rec-py/photos_train.rec");
  const test::TempDir folder;
  const auto reader = open_records(file);
  const auto writer = open_record_writer(folder.path("x.rec"));
  Sample sample;
  for (std::size_t i = 0; i < reader->size(); ++i) {
    reader->read(i, sample);
    writer->append(sample.key, sample.labels, sample.fields[0], std::stoull(sample.key));
  }
  writer->finish();
  EXPECT_EQ(test::read_file(folder.path("x.idx")), test::read_file(fs::path(file).replace_extension(".idx")));
}

}  // namespace
}  // namespace stoker
