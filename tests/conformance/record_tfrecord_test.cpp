// TFRecord files that TensorFlow wrote read here as their tables of expected contents say, and are written
// again to the byte.
#include "stoker/record.hpp"

#include <filesystem>
#include <gmock/gmock.h>

#include "stoker/error.hpp"

#include "base/crc.hpp"
#include "base/endian.hpp"
#include "support/shared_data.hpp"
#include "support/temp_dir.hpp"

namespace stoker {
namespace {

namespace fs = std::filesystem;
using Row = std::map<std::string, std::string>;

constexpr const char* kFiles[] = {"grain_morris_raw_strings.tfrecord", "pytorch_data_example.tfrecord",
                                  "tfslim_flowers_validation_00000-of-00005.tfrecord"};

std::string hex(std::uint32_t value) {
  char text[9];
  std::snprintf(text, sizeof text, "%08x", value);
  return text;
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

const Field* field_called(const Sample& sample, std::string_view name) {
  for (const Field& field : sample.fields)
    if (field.name == name) return &field;
  return nullptr;
}

std::string integer_of(const Sample& sample, std::string_view name) {
  const Field* const field = field_called(sample, name);
  if (!field || field->type != FieldType::int64 || field->bytes.size() != 8) return "-";
  return std::to_string(load_le<std::int64_t>(field->bytes.data()));
}

std::string names_of(const Sample& sample) {
  std::vector<std::string> names;
  for (const Field& field : sample.fields) names.push_back(field.name);
  std::sort(names.begin(), names.end());
  std::string joined;
  for (const std::string& name : names) joined += (joined.empty() ? "" : ",") + name;
  return joined;
}

void expect_row(const Sample& sample, const RecordInfo& info, const Row& row) {
  EXPECT_EQ(std::to_string(info.offset), row.at("offset"));
  EXPECT_EQ(std::to_string(info.bytes - 16), row.at("len"));
  EXPECT_EQ(sample.key, row.at("n")) << "none of these has a name";
  if (row.at("keys").empty()) {
    EXPECT_EQ(names_of(sample), "data");
    EXPECT_EQ(hex(crc32_zlib(sample.main())), row.at("crc32"));
    EXPECT_TRUE(sample.labels.empty());
    return;
  }
  EXPECT_EQ(names_of(sample), row.at("keys"));
  EXPECT_EQ(integer_of(sample, "image/class/label"), row.at("label"));
  EXPECT_EQ(integer_of(sample, "image/height"), row.at("height"));
  EXPECT_EQ(integer_of(sample, "image/width"), row.at("width"));
  if (row.at("label") == "-") return;
  EXPECT_THAT(sample.labels, testing::ElementsAre(std::stof(row.at("label"))));
  EXPECT_EQ(text_of(field_called(sample, "image/format")->bytes), row.at("format"));
  EXPECT_EQ(std::to_string(sample.main().size()), row.at("image_len"));
  EXPECT_EQ(hex(crc32_zlib(sample.main())), row.at("image_crc32"));
}

TEST(TFRecordConformance, ForeignFilesEqualTheirTables) {
  STOKER_NEEDS_DATA(folder, "foreign-records/tfrecord");
  const test::TempDir indexes;
  for (const char* name : kFiles) {
    SCOPED_TRACE(name);
    const std::string file = folder + "/" + name;
    const auto rows = test::read_tsv(file + ".expected.tsv");
    const auto reader = open_records(file, {.index_dir = indexes.path()});
    EXPECT_EQ(reader->format(), RecordFormat::tfrecord);
    ASSERT_EQ(reader->size(), rows.size());
    Sample sample;
    for (std::size_t i = rows.size(); i-- > 0;) {  // backwards: no state is carried from record to record
      SCOPED_TRACE(i);
      reader->read(i, sample);
      expect_row(sample, reader->info(i), rows[i]);
    }
    const auto scanner = scan_records(file);
    RecordInfo info;
    BadRecord bad;
    for (const Row& row : rows) {
      ASSERT_EQ(scanner->next(sample, info, bad), RecordScanner::Step::record) << bad.reason;
      expect_row(sample, info, row);
    }
    EXPECT_EQ(scanner->next(sample, info, bad), RecordScanner::Step::end);
  }
}

TEST(TFRecordConformance, ValuesOfEveryKindAreTensorFlows) {
  STOKER_NEEDS_DATA(file, "foreign-records/tfrecord/pytorch_data_example.tfrecord");
  const test::TempDir indexes;
  const auto reader = open_records(file, {.index_dir = indexes.path()});
  Sample sample;
  for (std::size_t i = 0; i < 4; ++i) {
    reader->read(i, sample);
    const Field *const floats = field_called(sample, "x_float"), *const integers =
                                                                     field_called(sample, "x_int");
    ASSERT_TRUE(floats && integers);
    ASSERT_EQ(floats->bytes.size(), 40u);
    ASSERT_EQ(integers->bytes.size(), 80u);
    for (std::size_t k = 0; k < 10; ++k) {
      const auto number = static_cast<std::int64_t>(10 * i + k);
      EXPECT_EQ(load_le<float>(floats->bytes.data() + 4 * k), static_cast<float>(number));
      EXPECT_EQ(load_le<std::int64_t>(integers->bytes.data() + 8 * k), 10 * number);
    }
    EXPECT_EQ(text_of(sample.main()), "test str");
  }
}

TEST(TFRecordConformance, WrittenAgainTheBytesAreTensorFlows) {
  STOKER_NEEDS_DATA(folder, "foreign-records/tfrecord");
  for (const char* name : kFiles) {
    SCOPED_TRACE(name);
    const test::TempDir copies;
    const std::string file = folder + "/" + name, copy = copies.path("copy.tfrecord");
    const auto reader = open_records(file, {.index_dir = copies.path()});
    const auto writer = open_record_writer(copy);
    Sample sample;
    std::string lines;
    for (std::size_t i = 0; i < reader->size(); ++i) {
      reader->read(i, sample);
      const RecordInfo info = writer->add({.key = sample.key,
                                           .labels = sample.labels,
                                           .fields = sample.fields,
                                           .main_field = sample.main_field});
      EXPECT_EQ(info.bytes, reader->info(i).bytes);
      lines += std::to_string(info.offset) + " " + std::to_string(info.bytes) + "\n";
    }
    writer->finish();
    EXPECT_TRUE(test::read_file(copy) == test::read_file(file));
    EXPECT_EQ(test::read_file(copy + ".idx"), lines);
  }
}

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
  for (;;) {
    const auto step = scanner->next(sample, info, bad);
    if (step == RecordScanner::Step::end) return story;
    if (step == RecordScanner::Step::record) story.records.push_back(info.offset);
    if (step == RecordScanner::Step::damage) story.damages.push_back(bad);
  }
}

TEST(TFRecordConformance, DamagedDataIsNamedAndPassedOver) {
  STOKER_NEEDS_DATA(file, "foreign-records/tfrecord/derived_bad_data_crc_record1.tfrecord");
  const Story story = scan(file);
  EXPECT_THAT(story.records, testing::ElementsAre(0, 255, 389));
  ASSERT_EQ(story.damages.size(), 1u);
  EXPECT_EQ(story.damages[0].container, file);
  EXPECT_EQ(story.damages[0].offset, 124u);
  EXPECT_THAT(story.damages[0].reason, testing::HasSubstr("its 115 bytes of data have the masked CRC-32C"));
  const test::TempDir indexes;
  const auto reader = open_records(file, {.index_dir = indexes.path()});
  ASSERT_EQ(reader->size(), 4u);
  Sample sample;
  for (const std::size_t i : {0, 2, 3}) reader->read(i, sample);
  try {
    reader->read(1, sample);
    ADD_FAILURE() << "damaged data was read";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::corrupt_data);
    EXPECT_THAT(error.what(), testing::HasSubstr(file + " at offset 124 (record 1)"));
  }
}

TEST(TFRecordConformance, ACutFileIsNamedAndItsWholeRecordsAreRead) {
  STOKER_NEEDS_DATA(file, "foreign-records/tfrecord/derived_truncated.tfrecord");
  const Story story = scan(file);
  EXPECT_THAT(story.records, testing::ElementsAre(0));
  ASSERT_EQ(story.damages.size(), 1u);
  EXPECT_EQ(story.damages[0].offset, 124u);
  EXPECT_THAT(story.damages[0].reason,
              testing::HasSubstr("a record of 115 bytes at offset 124, where 60 bytes of data could follow"));
  const test::TempDir indexes;
  try {
    open_records(file, {.index_dir = indexes.path()});
    ADD_FAILURE() << "a cut file was opened";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::corrupt_data);
    EXPECT_THAT(error.what(), testing::HasSubstr(file + " at offset 124"));
  }
}

}  // namespace
}  // namespace stoker
