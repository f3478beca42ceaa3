#include <filesystem>
#include <gmock/gmock.h>

#include "stoker/error.hpp"
#include "stoker/index.hpp"
#include "stoker/pack.hpp"

#include "jpeg/baseline_decoder.hpp"
#include "jpeg/seek_points.hpp"
#include "pack/test_images.hpp"

namespace stoker {
namespace {

namespace fs = std::filesystem;
using packing::test_images::jpeg_file;

class IndexSource : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("XDG_CACHE_HOME", folder_.path("xdg").c_str(), 1);
    for (int i = 0; i < 6; ++i) {
      jpeg::EncodeSpec spec;
      spec.luma_h = spec.luma_v = 2 - i % 2;
      folder_.write("set/a/" + std::to_string(i) + ".jpg", jpeg_file(90 + 30 * i, 120, i, spec));
    }
  }
  void TearDown() override { ::unsetenv("XDG_CACHE_HOME"); }

  IndexOptions options() const { return {.source = folder_.path("set"), .threads = 2}; }

  test::TempDir folder_;
};

TEST_F(IndexSource, EveryImageGetsItsPoints) {
  const IndexReport report = build_seek_index(options());
  EXPECT_EQ(report.records, 6u);
  EXPECT_EQ(report.indexed, 6u);
  EXPECT_THAT(report.not_indexable, testing::IsEmpty());
  EXPECT_EQ(report.index_path, folder_.path("set/.stoker.seek"));
  EXPECT_EQ(report.index_bytes, fs::file_size(report.index_path));
  const auto reader = open_records(folder_.path("set"));
  Sample sample;
  jpeg::BaselineDecoder decoder;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < reader->size(); ++i) {
    reader->read(i, sample);
    bytes += sample.main().size();
    jpeg::SeekPoints stored, found;
    ASSERT_TRUE(jpeg::unpack_seek_points(sample.seek_points, stored));
    ASSERT_FALSE(decoder.open(sample.main()));
    EXPECT_EQ(stored.interval, i % 2 == 0 ? 4 : 8) << "halved where chroma is subsampled";
    ASSERT_FALSE(decoder.find_seek_points(stored.interval, found));
    EXPECT_TRUE(stored.complete);
    EXPECT_TRUE(stored.points == found.points);
  }
  EXPECT_EQ(report.bytes, bytes);
}

TEST_F(IndexSource, AContainerWithoutAnIndexOfItsRecordsGetsOneBeside) {
  const std::string rec = folder_.path("x.rec");
  pack({.source = folder_.path("set"), .destination = rec, .seek_index = false});
  const std::string index = test::read_file(rec + ".index");
  const auto without = [&] {
    fs::remove(rec + ".index");
    fs::remove(folder_.path("x.idx"));
  };
  without();
  const auto only_read = open_records(rec);
  EXPECT_FALSE(fs::exists(rec + ".index")) << "who only reads changes no folder of data";
  build_seek_index({.source = rec});
  EXPECT_EQ(test::read_file(rec + ".index").size(), index.size()) << "one was in the user's cache";
  without();
  fs::remove_all(folder_.path("xdg"));
  build_seek_index({.source = rec, .open = {.index_dir = folder_.path("indexes")}});
  EXPECT_FALSE(fs::exists(rec + ".index")) << "everything is kept in the folder that was given";
  build_seek_index({.source = rec});
  EXPECT_TRUE(fs::exists(rec + ".index"));
}

TEST_F(IndexSource, IsTheSameForAnyNumberOfThreads) {
  std::vector<std::string> indexes;
  for (const int threads : {1, 3}) {
    IndexOptions with = options();
    with.threads = threads;
    indexes.push_back(test::read_file(build_seek_index(with).index_path));
    fs::remove(folder_.path("set/.stoker.seek"));
  }
  EXPECT_EQ(indexes[0], indexes[1]);
}

TEST_F(IndexSource, WhatHasNoPointsIsNamed) {
  const std::string whole = test::read_file(folder_.path("set/a/0.jpg"));
  folder_.write("set/a/7.jpg", whole.substr(0, whole.size() / 2));
  folder_.write("set/a/8.jpg", "no picture at all");
  folder_.write("set/a/9.jpg", "");
  const IndexReport report = build_seek_index(options());
  EXPECT_EQ(report.records, 9u);
  EXPECT_EQ(report.indexed, 6u);
  EXPECT_EQ(report.not_indexable.at("no JPEG"), 2u);
  std::uint64_t named = 0;
  for (const auto& [reason, images] : report.not_indexable) named += images;
  EXPECT_EQ(report.indexed + named, report.records);
  EXPECT_EQ(open_records(folder_.path("set"))->seek_index().not_indexable, 3u);
}

TEST_F(IndexSource, EachContainerOfASetIsIndexedBesideItself) {
  for (const char* name : {"shards/0.rec", "shards/1.rec"})
    pack({.source = folder_.path("set"), .destination = folder_.path(name), .seek_index = false});
  for (const char* name : {"shards/0.dataset.json", "shards/1.dataset.json"}) fs::remove(folder_.path(name));
  const IndexReport report = build_seek_index({.source = folder_.path("shards/*.rec"), .threads = 2});
  EXPECT_EQ(report.records, 12u);
  EXPECT_EQ(report.indexed, 12u);
  EXPECT_EQ(report.index_files, 2u);
  EXPECT_EQ(report.index_path, folder_.path("shards/0.rec.seek"));
  EXPECT_EQ(report.index_bytes, fs::file_size(folder_.path("shards/0.rec.seek")) +
                                    fs::file_size(folder_.path("shards/1.rec.seek")));
  EXPECT_EQ(test::read_file(folder_.path("shards/0.rec.seek")),
            test::read_file(folder_.path("shards/1.rec.seek")));  // the same records, each numbered from 0
  EXPECT_EQ(open_records(folder_.path("shards"))->seek_index().indexed, 12u);
}

TEST_F(IndexSource, AContainerIsIndexedBesideItself) {
  pack({.source = folder_.path("set"), .destination = folder_.path("x.rec"), .seek_index = false});
  const std::string before = test::read_file(folder_.path("x.rec"));
  const IndexReport report = build_seek_index({.source = folder_.path("x.rec")});
  EXPECT_EQ(report.index_path, folder_.path("x.rec.seek"));
  EXPECT_EQ(test::read_file(folder_.path("x.rec")), before);
  EXPECT_THAT(check_indexes(folder_.path("x.rec")), testing::IsEmpty());
}

TEST_F(IndexSource, TheIntervalIsChosen) {
  IndexOptions wide = options();
  wide.interval = 64;
  const std::uint64_t bytes = build_seek_index(wide).index_bytes;
  IndexOptions narrow = options();
  narrow.interval = 1;
  EXPECT_GT(build_seek_index(narrow).index_bytes, 2 * bytes);
  EXPECT_GT(build_seek_index(wide).index_bytes, 2 * bytes) << "more points stay";
}

TEST_F(IndexSource, AnIntervalOutOfRangeIsRefused) {
  for (const int interval : {-1, -8, 65}) {
    IndexOptions with = options();
    with.interval = interval;
    EXPECT_THROW(build_seek_index(with), Error) << interval;
  }
}

TEST_F(IndexSource, CancelledItLeavesNothing) {
  const std::atomic<bool> cancel{true};
  try {
    build_seek_index(options(), {}, &cancel);
    FAIL() << "it went on";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::cancelled);
  }
  EXPECT_FALSE(fs::exists(folder_.path("set/.stoker.seek")));
}

TEST_F(IndexSource, CancelledOnTheWayItPublishesWhatItHas) {
  std::atomic<bool> cancel{false};
  IndexOptions one = options();
  one.threads = 1;
  for (int i = 0; i < 40; ++i)
    folder_.write("set/b/" + std::to_string(100 + i) + ".jpg", jpeg_file(1200, 900, i));
  try {
    build_seek_index(one, [&](const IndexProgress&) { cancel = true; }, &cancel);
    FAIL() << "it went on";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::cancelled);
  }
  const std::uint64_t so_far = open_records(folder_.path("set"))->seek_index().indexed;
  EXPECT_GT(so_far, 0u);
  EXPECT_LT(so_far, 46u);
  EXPECT_EQ(build_seek_index(one).indexed, 46u);
  EXPECT_EQ(open_records(folder_.path("set"))->seek_index().indexed, 46u);
}

TEST_F(IndexSource, ASecondRunLeavesTheSameIndex) {
  const std::string first = test::read_file(build_seek_index(options()).index_path);
  const IndexReport again = build_seek_index(options());
  EXPECT_EQ(again.indexed, 6u);
  EXPECT_EQ(test::read_file(again.index_path), first);
}

TEST_F(IndexSource, ADamagedIndexIsMadeAnew) {
  const std::string path = build_seek_index(options()).index_path, whole = test::read_file(path);
  for (const std::size_t at : {std::size_t{20}, std::size_t{70}, whole.size() - 20}) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    folder_.write("set/.stoker.seek", damaged);
    build_seek_index(options());
    EXPECT_EQ(test::read_file(path), whole) << at;
  }
}

TEST_F(IndexSource, ProgressEndsWithAll) {
  IndexProgress last;
  build_seek_index(options(), [&](const IndexProgress& now) { last = now; });
  EXPECT_EQ(last.done, 6u);
  EXPECT_EQ(last.total, 6u);
}

}  // namespace
}  // namespace stoker
