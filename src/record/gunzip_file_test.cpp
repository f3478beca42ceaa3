// Gzipped containers: opened, scanned and checked as any.
#include "record/gunzip_file.hpp"

#include <csignal>
#include <filesystem>
#include <sys/resource.h>

#include "record/compress_fixture.hpp"
#include "record/record_fixture.hpp"

namespace stoker::record {
namespace {

class GunzipFile : public testing::Test {
 protected:
  std::unique_ptr<ReadableFile> unpack(std::string_view text) {
    folder_.write("x.gz", gzip_of(text));
    return area_.unpack(*open_store(".")->open_read(folder_.path("x.gz")));
  }
  std::unique_ptr<RecordReader> open(const std::string& name) {
    return open_records(folder_.path(name), {.index_dir = folder_.path("indexes")});
  }

  test::TempDir folder_;
  GunzipArea area_{folder_.path("indexes")};
};

std::string text_at(const ReadableFile& file, std::uint64_t offset, std::size_t bytes) {
  std::string text(bytes, '\0');
  text.resize(file.read_at(offset, std::as_writable_bytes(std::span(text))));
  return text;
}

TEST_F(GunzipFile, ReadsAnywhereAcrossItsPieces) {
  std::string text;
  for (int i = 0; text.size() < 2'500'000; ++i) text += std::to_string(i) + ' ';
  const auto file = unpack(text), other = unpack("another file beside it");
  EXPECT_EQ(file->bytes(), text.size());
  EXPECT_EQ(file->path(), folder_.path("x.gz"));
  EXPECT_TRUE(text_at(*file, 0, text.size()) == text);
  EXPECT_EQ(text_at(*file, 1'048'570, 20), text.substr(1'048'570, 20));
  EXPECT_EQ(text_at(*file, text.size() - 3, 10), text.substr(text.size() - 3));
  EXPECT_EQ(text_at(*file, text.size() + 5, 10), "");
  EXPECT_EQ(text_at(*other, 8, 4), "file");
}

TEST_F(GunzipFile, LeavesNothingBehind) {
  {
    const auto file = unpack("text");
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path("indexes")));
}

TEST_F(GunzipFile, OpensScansAndChecksAsAContainer) {
  folder_.write("x.rec.gz", gzip_of(image_container(3)));
  const auto reader = open("x.rec.gz");
  EXPECT_EQ(reader->format(), RecordFormat::recordio);
  EXPECT_THAT(payloads(*reader), testing::ElementsAre("payload 0", "payload 1", "payload 2"));
  EXPECT_EQ(reader->info(1).container, folder_.path("x.rec.gz"));
  EXPECT_EQ(reader->info(1).offset, 44u);
  EXPECT_THAT(story(*scan_records(folder_.path("x.rec.gz"))),
              testing::ElementsAre("record 0 'payload 0'", "record 44 'payload 1'", "record 88 'payload 2'"));
  EXPECT_THAT(check_indexes(folder_.path("x.rec.gz")), testing::IsEmpty());
  // The cached record index is of the bytes within.
  EXPECT_THAT(payloads(*open("x.rec.gz")), testing::SizeIs(3));
}

TEST_F(GunzipFile, CutAndDamagedFilesNameTheOffset) {
  const std::string whole = gzip_of(image_container(2000));
  folder_.write("cut.rec.gz", whole.substr(0, whole.size() - 9));
  EXPECT_TRUE(says(error_of([&] { open("cut.rec.gz"); }), ErrorCode::corrupt_data,
                   {"cut.rec.gz at offset " + std::to_string(whole.size() - 9), "ends early"}));
  // Those who walk a source go past damage, and tell it.
  EXPECT_THAT(
      story(*scan_records(folder_.path("cut.rec.gz"))),
      testing::ElementsAre(testing::HasSubstr("cut.rec.gz at offset " + std::to_string(whole.size() - 9))));
  EXPECT_THAT(check_indexes(folder_.path("cut.rec.gz")), testing::IsEmpty());
  std::string damaged = whole;
  damaged[whole.size() - 5] = static_cast<char>(damaged[whole.size() - 5] ^ 1);
  folder_.write("damaged.rec.gz", damaged);
  EXPECT_TRUE(says(error_of([&] { open("damaged.rec.gz"); }), ErrorCode::corrupt_data, {"at offset"}));
}

TEST_F(GunzipFile, WhatIsNoContainerIsNamedBeforeItIsUnpacked) {
  folder_.write("photo.gz", gzip_of("\xff\xd8\xff\xe0 a photo"));
  EXPECT_TRUE(says(error_of([&] { open("photo.gz"); }), ErrorCode::unsupported, {"a single image"}));
  folder_.write("x.lst.gz", gzip_of("0\t1\ta.jpg\n"));
  EXPECT_TRUE(
      says(error_of([&] { open("x.lst.gz"); }), ErrorCode::unsupported, {"a gzipped list", "gunzip"}));
  folder_.write("twice.rec.gz", gzip_of(gzip_of(image_container(1))));
  EXPECT_TRUE(says(error_of([&] { open("twice.rec.gz"); }), ErrorCode::unsupported, {"gzip"}));
  EXPECT_FALSE(std::filesystem::exists(folder_.path("indexes")));
}

// A full disk, as far as a test can have one: the largest file that this process may write.
TEST_F(GunzipFile, NoRoomNamesTheFolderAndWhatToDo) {
  folder_.write("x.rec.gz", gzip_of(image_container(50'000)));
  const auto full = [&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{64 * 1024, 64 * 1024};
    ::setrlimit(RLIMIT_FSIZE, &small);
    const Error error = error_of([&] { open("x.rec.gz"); });
    const std::string text = error.what();
    std::fputs(text.c_str(), stderr);
    std::exit(text.find(folder_.path("indexes")) != std::string::npos ? 0 : 1);
  };
  EXPECT_EXIT(full(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace stoker::record
