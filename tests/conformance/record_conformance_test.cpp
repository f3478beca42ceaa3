// Every RecordIO file that the original tools wrote reads here as its table of expected contents says.
#include <cmath>
#include <filesystem>
#include <gmock/gmock.h>
#include <sstream>

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

}  // namespace
}  // namespace stoker
