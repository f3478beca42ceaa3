// The doors of the room: formats found by content, class maps, scans and checks.
#include <filesystem>

#include "record/dataset_manifest.hpp"
#include "record/detect.hpp"
#include "record/record_fixture.hpp"
#include "record/record_index.hpp"
#include "record/tar_fixture.hpp"

namespace stoker::record {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class OpenRecords : public testing::Test {
 protected:
  std::unique_ptr<RecordReader> open(const std::string& relative, OpenOptions options = {}) {
    options.index_dir = folder_.path("indexes");
    return open_records(folder_.path(relative), options);
  }
  Error open_error(const std::string& relative, std::string_view text) {
    folder_.write(relative, text);
    return error_of([&] { open(relative); });
  }
  std::vector<std::string> reasons(const std::string& relative) {
    std::vector<std::string> all;
    for (const BadRecord& bad : check_indexes(folder_.path(relative)))
      all.push_back(bad.container.substr(folder_.path().size() + 1) + ": " + bad.reason);
    return all;
  }

  test::TempDir folder_;
};

TEST_F(OpenRecords, FindsTheFormatByContent) {
  folder_.write("x.rec", image_container(2));
  folder_.write("named-otherwise.bin", image_container(2));
  folder_.write("set/a/1.jpg", "x");
  folder_.write("x.lst", "0 1 set/a/1.jpg\n");
  folder_.write("list.txt", "# comment\n0\t1\tset/a/1.jpg\n");
  EXPECT_EQ(open("x.rec")->format(), RecordFormat::recordio);
  EXPECT_EQ(open("named-otherwise.bin")->format(), RecordFormat::recordio);
  EXPECT_EQ(open("set")->format(), RecordFormat::folder);
  EXPECT_EQ(open("x.lst")->format(), RecordFormat::list);
  EXPECT_EQ(open("list.txt")->format(), RecordFormat::list);
  EXPECT_EQ(open_records("file://" + folder_.path("set"))->size(), 1u);
}

TEST_F(OpenRecords, FindsTarsByContent) {
  const std::string v7 = tar_file("a.jpg", "x", {.magic = ""});
  folder_.write("x.tar", tar_file("a.jpg", "x"));
  folder_.write("v7.bin", v7);
  folder_.write("tar.rec", tar_file("a.jpg", "x"));
  folder_.write("zeros.tar", std::string(10240, '\0'));
  folder_.write("damaged", tar_file("a.jpg", "x", {.sum_error = 1}) + v7);
  for (const char* name : {"x.tar", "v7.bin", "tar.rec"}) {
    EXPECT_EQ(open(name)->format(), RecordFormat::tar) << name;
    EXPECT_EQ(open(name)->size(), 1u) << name;
  }
  EXPECT_EQ(open("zeros.tar")->size(), 0u);
  EXPECT_TRUE(
      says(error_of([&] { open("damaged"); }), ErrorCode::corrupt_data, {"damaged at offset 0", "checksum"}));
}

TEST_F(OpenRecords, EmptyContainerIsValid) {
  for (const char* name : {"x.rec", "x.tar"}) {
    folder_.write(name, "");
    EXPECT_EQ(open(name)->size(), 0u);
    EXPECT_THAT(story(*scan_records(folder_.path(name))), IsEmpty());
  }
}

TEST_F(OpenRecords, WhatIsAbsentIsNotFound) {
  EXPECT_TRUE(
      says(error_of([&] { open("absent.rec"); }), ErrorCode::not_found, {folder_.path("absent.rec")}));
  EXPECT_EQ(error_of([&] { scan_records(folder_.path("absent")); }).code(), ErrorCode::not_found);
  EXPECT_EQ(error_of([&] { check_indexes(folder_.path("absent")); }).code(), ErrorCode::not_found);
  EXPECT_EQ(error_of([] { open_records("s3://bucket/x.rec"); }).code(), ErrorCode::unsupported);
}

TEST_F(OpenRecords, OtherFormatsAreNamed) {
  const ErrorCode code = ErrorCode::unsupported;
  EXPECT_TRUE(says(open_error("x.gz", "\x1f\x8b rest"), ErrorCode::corrupt_data, {"x.gz at offset", "gzip"}));
  EXPECT_TRUE(says(open_error("x.jpg", "\xff\xd8\xff\xe0"), code, {"a single image"}));
  EXPECT_TRUE(says(open_error("x.mds", "whatever"), code, {"MDS"}));
  EXPECT_TRUE(says(open_error("x.txt", "hello\n"), code, {"no known format"}));
  EXPECT_TRUE(says(open_error("empty", ""), code, {"no known format"}));
}

TEST_F(OpenRecords, FoldersOfOtherSetsAreNamed) {
  folder_.write("lit/index.json", R"({"chunks": []})");
  folder_.write("photos/1.jpg", "x");
  const auto error = [&](const char* name) { return error_of([&] { open(name); }); };
  EXPECT_TRUE(says(error("lit"), ErrorCode::unsupported, {"LitData"}));
  EXPECT_TRUE(says(error("photos"), ErrorCode::invalid_argument, {"no sub-folders"}));
}

TEST_F(OpenRecords, FolderOfOneContainerIsThatContainer) {
  folder_.write("packed/x.rec", image_container(2));
  EXPECT_EQ(open("packed")->size(), 2u);
  EXPECT_EQ(open("packed")->source_path(), folder_.path("packed/x.rec"));
}

TEST_F(OpenRecords, ClassesComeFromTheDescriptionOrTheClassFile) {
  folder_.write("x.rec", image_container(2));
  EXPECT_THAT(open("x.rec")->classes(), IsEmpty());
  folder_.write("classes.txt", "a\nb\nc\n");
  EXPECT_THAT(open("x.rec", {.classes_file = folder_.path("classes.txt")})->classes(),
              ElementsAre("a", "b", "c"));
  DatasetManifest manifest;
  manifest.classes = {"a", "b", "c"};
  write_manifest(*open_store("."), folder_.path("x.dataset.json"), manifest);
  EXPECT_THAT(open("x.rec")->classes(), ElementsAre("a", "b", "c"));
  EXPECT_THAT(open("x.rec", {.classes_file = folder_.path("classes.txt")})->classes(),
              ElementsAre("a", "b", "c"));
}

TEST_F(OpenRecords, ClassFileThatContradictsTheDescriptionIsAnError) {
  folder_.write("x.rec", image_container(2));
  DatasetManifest manifest;
  manifest.classes = {"a", "b", "c"};
  write_manifest(*open_store("."), folder_.path("x.dataset.json"), manifest);
  folder_.write("swapped.txt", "a\nc\nb\n");
  folder_.write("short.txt", "a\nb\n");
  EXPECT_TRUE(says(error_of([&] { open("x.rec", {.classes_file = folder_.path("swapped.txt")}); }),
                   ErrorCode::invalid_argument,
                   {"label 1 is 'c' in", "swapped.txt", "'b' in", "x.dataset.json"}));
  EXPECT_TRUE(says(error_of([&] { open("x.rec", {.classes_file = folder_.path("short.txt")}); }),
                   ErrorCode::invalid_argument, {"label 2 is no class in"}));
  folder_.write("x.dataset.json", "damaged");
  EXPECT_TRUE(says(error_of([&] { open("x.rec"); }), ErrorCode::corrupt_data, {"x.dataset.json"}));
}

TEST_F(OpenRecords, ScanOfFilesTakesWhatCannotBeReadForDamage) {
  for (const char* name : {"set/a/1.jpg", "set/a/2.jpg", "set/a/3.jpg"}) folder_.write(name, "bytes");
  fs::remove(folder_.path("set/a/2.jpg"));
  fs::create_symlink("nowhere", folder_.path("set/a/2.jpg"));
  EXPECT_THAT(story(*scan_records(folder_.path("set"))),
              ElementsAre("record 0 'bytes'", HasSubstr("set/a/2.jpg: No such file"), "record 0 'bytes'"));
  folder_.write("x.lst", "0\t1\tset/a/1.jpg\n1\t1\tset/a/absent.jpg\n");
  EXPECT_THAT(story(*scan_records(folder_.path("x.lst"))),
              ElementsAre("record 0 'bytes'", HasSubstr("absent.jpg")));
}

TEST_F(OpenRecords, ScanNeedsNoIndexAndSeesPastDamage) {
  std::string text = image_container(3);
  text[44] = 'X';
  folder_.write("x.rec", text);
  EXPECT_THAT(story(*scan_records(folder_.path("x.rec"))),
              ElementsAre("record 0 'payload 0'", HasSubstr("damage 44 "), "record 88 'payload 2'"));
}

TEST_F(OpenRecords, IndexesThatAgreeAreClean) {
  const auto writer = open_record_writer(folder_.path("x.rec"));
  for (int i = 0; i < 5; ++i) writer->append("k", {}, {"data", bytes_of("abc")});
  writer->finish();
  EXPECT_THAT(reasons("x.rec"), IsEmpty());
  folder_.write("plain.rec", image_container(3));
  EXPECT_THAT(reasons("plain.rec"), IsEmpty());
  folder_.write("set/a/1.jpg", "x");
  EXPECT_THAT(reasons("set"), IsEmpty());
  folder_.write("x.lst", "0\t1\tset/a/1.jpg\n");
  EXPECT_THAT(reasons("x.lst"), IsEmpty());
}

TEST_F(OpenRecords, WrongTextIndexIsTold) {
  folder_.write("x.rec", image_container(3));
  folder_.write("x.idx", "0\t0\n1\t40\n2\t132\nbroken\n3\t0\n");
  EXPECT_THAT(reasons("x.rec"),
              ElementsAre("x.idx: line 2: no record begins at offset 40",
                          "x.idx: line 3: offset 132 in a container of 132 bytes",
                          "x.idx: line 4: no \"key, tab, offset\"", "x.idx: the offset 0 stands in two lines",
                          HasSubstr("2 records are not in the index, the first at offset 44")));
}

TEST_F(OpenRecords, ManyWrongLinesAreSummedUp) {
  folder_.write("x.rec", image_container(1));
  std::string lines = "0\t0\n";
  for (int i = 0; i < 5'000; ++i) lines += "1\t4\n";
  folder_.write("x.idx", lines);
  const auto bad = reasons("x.rec");
  EXPECT_EQ(bad.size(), 1'002u);
  EXPECT_THAT(bad, testing::Contains("x.idx: 4000 more wrong lines"));
}

TEST_F(OpenRecords, WrongRecordIndexIsTold) {
  folder_.write("x.rec", image_container(3));
  const auto store = open_store(".");
  const Fingerprint print = fingerprint_of(*store->open_read(folder_.path("x.rec")));
  write_record_index(*store, folder_.path("x.rec.index"), RecordFormat::recordio, print,
                     std::vector<std::uint64_t>{0, 40, 88, 132});
  EXPECT_THAT(reasons("x.rec"),
              ElementsAre("x.rec.index: no record begins at offset 40",
                          HasSubstr("1 records are not in the index, the first at offset 44")));
  folder_.write("x.rec", image_container(4));
  EXPECT_THAT(reasons("x.rec"), ElementsAre(HasSubstr("x.rec.index: it is the index of another container")));
  folder_.write("x.rec.index", "damaged");
  EXPECT_THAT(reasons("x.rec"), ElementsAre(HasSubstr("fewer than 64 bytes")));
}

TEST_F(OpenRecords, DamageOfTheDataIsNotBlamedOnItsIndexes) {
  std::string text = image_container(3);
  text[44] = 'X';
  folder_.write("x.rec", text);
  folder_.write("x.idx", "0\t0\n1\t44\n2\t88\n");
  EXPECT_THAT(reasons("x.rec"), IsEmpty());
}

TEST_F(OpenRecords, DescriptionIsHeldAgainstTheContainer) {
  const auto writer = open_record_writer(folder_.path("x.rec"));
  writer->append("k", {}, {"data", bytes_of("abcd")});
  writer->finish();
  DatasetManifest manifest;
  manifest.shards = {{"x.rec", 1, writer->bytes(), writer->crc32c()}};
  const auto write = [&] {
    manifest.records = manifest.shards[0].records;
    manifest.bytes = manifest.shards[0].bytes;
    write_manifest(*open_store("."), folder_.path("x.dataset.json"), manifest);
  };
  write();
  EXPECT_THAT(reasons("x.rec"), IsEmpty());
  manifest.shards[0].crc32c ^= 1;
  write();
  EXPECT_THAT(reasons("x.rec"), ElementsAre(HasSubstr("has the CRC-32C")));
  manifest.shards[0].bytes = 8;
  write();
  EXPECT_THAT(reasons("x.rec"), ElementsAre(HasSubstr("has 12 bytes, not 8")));
  manifest.shards[0].path = "y.rec";
  write();
  EXPECT_THAT(reasons("x.rec"), ElementsAre(HasSubstr("no shard 'x.rec'")));
  folder_.write("x.dataset.json", "damaged");
  EXPECT_THAT(reasons("x.rec"), ElementsAre(HasSubstr("no JSON")));
}

TEST_F(OpenRecords, NamesOfFormats) {
  EXPECT_EQ(to_string(RecordFormat::folder), "folder");
  EXPECT_EQ(to_string(RecordFormat::list), "list");
  EXPECT_EQ(to_string(RecordFormat::recordio), "recordio");
}

}  // namespace
}  // namespace stoker::record
