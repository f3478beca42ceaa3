// Tars that GNU tar and webdataset wrote read here as webdataset itself groups them, and what is written
// reads again.
#include <filesystem>
#include <gmock/gmock.h>
#include <set>
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

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<fs::path> foreign_tars(const std::string& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".tar" && entry.path().filename() != "truncated-midmember.tar")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// Members as Python's tarfile saw them, by lower-cased name; none where there is no table.
std::map<std::string, Row> member_rows(const fs::path& file) {
  std::map<std::string, Row> rows;
  for (Row& row : test::read_tsv(file.string() + ".expected.tsv")) {
    const std::string name = lower(row.at("member"));
    rows[name] = std::move(row);
  }
  return rows;
}

std::string names_of(const Sample& sample) {
  std::string joined;
  for (const Field& field : sample.fields) joined += (joined.empty() ? "" : ",") + field.name;
  return joined;
}

// `row` is what webdataset made of the sample.
void expect_row(const Sample& sample, const RecordInfo& info, const Row& row,
                const std::map<std::string, Row>& members) {
  EXPECT_EQ(sample.key, row.at("key"));
  EXPECT_EQ(names_of(sample), row.at("fields"));
  if (row.at("cls") == "-") {
    EXPECT_TRUE(sample.labels.empty());
  } else {
    EXPECT_THAT(sample.labels, testing::ElementsAre(std::stof(row.at("cls"))));
  }
  EXPECT_EQ(info.offset % 512, 0u);
  for (const Field& field : sample.fields) {
    if (members.empty()) continue;
    const auto member = members.find(lower(sample.key + "." + field.name));
    ASSERT_NE(member, members.end()) << field.name;
    EXPECT_EQ(std::to_string(field.bytes.size()), member->second.at("size"));
    const auto inside = static_cast<std::uint64_t>(field.bytes.data() - sample.buffer.data());
    EXPECT_EQ(std::to_string(info.offset + inside), member->second.at("data_offset"));
    EXPECT_EQ(hex(crc32_zlib(field.bytes)), member->second.at("crc32"));
  }
}

TEST(RecordTar, ForeignFilesEqualTheirTablesByRandomAccess) {
  STOKER_NEEDS_DATA(folder, "foreign-records");
  const auto files = foreign_tars(folder);
  ASSERT_GE(files.size(), 10u);
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.string());
    const test::TempDir indexes;
    const auto rows = test::read_tsv(file.string() + ".samples.tsv");
    const auto members = member_rows(file);
    for (int pass = 0; pass < 2; ++pass) {  // by a walk, then by the index that it left
      const auto reader = open_records(file, {.index_dir = indexes.path()});
      EXPECT_EQ(reader->format(), RecordFormat::tar);
      ASSERT_EQ(reader->size(), rows.size());
      Sample sample;
      for (std::size_t i = rows.size(); i-- > 0;) {
        SCOPED_TRACE(i);
        reader->read(i, sample);
        expect_row(sample, reader->info(i), rows[i], members);
      }
    }
  }
}

TEST(RecordTar, ForeignFilesEqualTheirTablesFromFirstToLast) {
  STOKER_NEEDS_DATA(folder, "foreign-records");
  for (const fs::path& file : foreign_tars(folder)) {
    SCOPED_TRACE(file.string());
    const auto rows = test::read_tsv(file.string() + ".samples.tsv");
    const auto members = member_rows(file);
    const auto scanner = scan_records(file);
    Sample sample;
    RecordInfo info;
    BadRecord bad;
    for (const Row& row : rows) {
      ASSERT_EQ(scanner->next(sample, info, bad), RecordScanner::Step::record) << bad.reason;
      expect_row(sample, info, row, members);
    }
    EXPECT_EQ(scanner->next(sample, info, bad), RecordScanner::Step::end);
  }
}

TEST(RecordTar, ACutArchiveGivesItsWholeSamplesAndNamesTheCutOne) {
  STOKER_NEEDS_DATA(file, "foreign-records/wds-gnutar/truncated-midmember.tar");
  STOKER_NEEDS_DATA(whole, "foreign-records/wds-gnutar/no-eof-blocks.tar.samples.tsv");
  const auto rows = test::read_tsv(whole);  // of the archive that it was cut from
  const auto scanner = scan_records(file);
  Sample sample;
  RecordInfo info;
  BadRecord bad;
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_EQ(scanner->next(sample, info, bad), RecordScanner::Step::record) << bad.reason;
    expect_row(sample, info, rows[i], {});
    end = info.offset + info.bytes;
  }
  ASSERT_EQ(scanner->next(sample, info, bad), RecordScanner::Step::damage);
  EXPECT_EQ(bad.offset, end);
  EXPECT_THAT(bad.reason,
              testing::AllOf(testing::HasSubstr("'daisy/00003.jpg' at offset"),
                             testing::HasSubstr("has 13648 bytes"), testing::HasSubstr("no record follows")));
  EXPECT_EQ(scanner->next(sample, info, bad), RecordScanner::Step::end);
  const test::TempDir indexes;
  try {
    open_records(file, {.index_dir = indexes.path()});
    ADD_FAILURE() << "it was opened";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::corrupt_data);
    EXPECT_THAT(error.what(), testing::HasSubstr(file + " at offset " + std::to_string(end)));
  }
}

// Every foreign set goes through our writer and comes back with the same keys, labels and fields.
TEST(RecordTar, ForeignSamplesSurviveOurWriter) {
  STOKER_NEEDS_DATA(folder, "foreign-records");
  for (const fs::path& file : foreign_tars(folder)) {
    SCOPED_TRACE(file.string());
    const test::TempDir made;
    const auto reader = open_records(file, {.index_dir = made.path("indexes")});
    const auto writer = open_record_writer(made.path("x.tar"));
    Sample sample;
    for (std::size_t i = 0; i < reader->size(); ++i) {
      reader->read(i, sample);
      writer->add({.key = sample.key,
                   .labels = sample.labels,
                   .fields = sample.fields,
                   .main_field = sample.main_field});
    }
    writer->finish();
    EXPECT_THAT(check_indexes(made.path("x.tar")), testing::IsEmpty());
    const auto copy = open_records(made.path("x.tar"));
    ASSERT_EQ(copy->size(), reader->size());
    Sample again;
    std::set<std::string> keys;
    for (std::size_t i = 0; i < reader->size(); ++i) {
      reader->read(i, sample);
      copy->read(i, again);
      EXPECT_EQ(again.key, keys.insert(sample.key).second ? sample.key : sample.key + "~1");
      EXPECT_EQ(again.labels, sample.labels);
      EXPECT_EQ(text_of(again.main()).size(), text_of(sample.main()).size());
      ASSERT_EQ(again.fields.size(), sample.fields.size());
      for (const Field& field : sample.fields) {
        const auto found = std::find_if(again.fields.begin(), again.fields.end(),
                                        [&](const Field& other) { return other.name == field.name; });
        ASSERT_NE(found, again.fields.end()) << field.name;
        if (field.role == FieldRole::content) {
          EXPECT_TRUE(text_of(found->bytes) == text_of(field.bytes));
        }
      }
    }
  }
}

TEST(RecordTar, ExamplesBecomeAnImageAClassAndTheirFeatures) {
  STOKER_NEEDS_DATA(file, "foreign-records/tfrecord/tfslim_flowers_validation_00000-of-00005.tfrecord");
  const test::TempDir made;
  const auto source = open_records(file, {.index_dir = made.path("indexes")});
  const auto writer = open_record_writer(made.path("x.tar"));
  Sample sample;
  for (std::size_t i = 0; i < source->size(); ++i) {
    source->read(i, sample);
    writer->add({.key = sample.key,
                 .labels = sample.labels,
                 .fields = sample.fields,
                 .main_field = sample.main_field});
  }
  writer->finish();
  const auto reader = open_records(made.path("x.tar"));
  ASSERT_EQ(reader->size(), 70u);
  Sample packed;
  for (std::size_t i = 0; i < reader->size(); ++i) {
    source->read(i, sample);
    reader->read(i, packed);
    EXPECT_EQ(packed.labels, sample.labels);
    EXPECT_EQ(names_of(packed), "cls,example.json,jpg");
    EXPECT_TRUE(text_of(packed.main()) == text_of(sample.main()));
    EXPECT_THAT(text_of(packed.fields[1].bytes),
                testing::MatchesRegex("\\{\"image/format\": \"jpg\", \"image/height\": \\[[0-9]+\\], "
                                      "\"image/width\": \\[[0-9]+\\]\\}\n"));
  }
}

TEST(RecordTar, AFolderGoesThroughATar) {
  const test::TempDir folder;
  const std::string jpeg = "\xff\xd8\xff\xe0 of ";
  const std::vector<std::string> names = {"ant/a.JPEG", "ant/a.png", "ant/b.c.jpg", "bee/\xc3\xbc.jpg",
                                          "bee/" + std::string(120, 'n') + ".jpg"};
  for (const std::string& name : names) folder.write("set/" + name, jpeg + name);
  const auto source = open_records(folder.path("set"));
  ASSERT_EQ(source->size(), names.size());
  const auto writer = open_record_writer(folder.path("x.tar"));
  Sample sample;
  std::vector<RecordInfo> infos;
  std::vector<std::uint64_t> places;
  for (std::size_t i = 0; i < source->size(); ++i) {
    source->read(i, sample);
    infos.push_back(writer->append(sample.key, sample.labels, sample.fields[0]));
    places.push_back(writer->main_offset());
  }
  writer->finish();
  const std::string container = test::read_file(folder.path("x.tar"));
  const auto reader = open_records(folder.path("x.tar"));
  ASSERT_EQ(reader->size(), names.size());
  std::vector<std::string> keys;
  Sample packed;
  for (std::size_t i = 0; i < reader->size(); ++i) {
    source->read(i, sample);
    reader->read(i, packed);
    keys.push_back(packed.key);
    EXPECT_EQ(packed.labels, sample.labels);
    EXPECT_EQ(text_of(packed.main()), text_of(sample.main()));
    EXPECT_EQ(packed.fields[packed.main_field].name, "jpg");
    EXPECT_EQ(reader->info(i).offset, infos[i].offset);
    EXPECT_EQ(container.substr(places[i], packed.main().size()), text_of(packed.main()));
  }
  EXPECT_THAT(keys, testing::ElementsAre("ant/a", "ant/a~1", "ant/b%2Ec", "bee/" + std::string(120, 'n'),
                                         "bee/\xc3\xbc"));
}

}  // namespace
}  // namespace stoker
