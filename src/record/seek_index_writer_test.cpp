#include "record/seek_index_writer.hpp"

#include <filesystem>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "record/seek_fixture.hpp"
#include "store/faulty_store.hpp"

namespace stoker::record {
namespace {

namespace fs = std::filesystem;

class SeekIndexWriterTest : public SeekIndexTest {
 protected:
  int files_in(const std::string& relative) const {
    if (!fs::exists(folder_.path(relative))) return 0;
    return static_cast<int>(
        std::distance(fs::directory_iterator(folder_.path(relative)), fs::directory_iterator()));
  }
};

TEST_F(SeekIndexWriterTest, EntriesOfAnyOrderComeBackWithTheirRecords) {
  const std::shared_ptr<RecordReader> reader = open();
  SeekIndexWriter writer(reader, "");
  for (const std::size_t i : {7, 2, 9, 0, 4, 1, 3, 8, 6, 5}) add(writer, *reader, i, i + 1);
  EXPECT_EQ(writer.added(), 10u);
  const SeekIndexPublished published = writer.publish();
  EXPECT_EQ(published.path, beside());
  EXPECT_EQ(published.bytes, index_bytes().size());
  EXPECT_EQ(published.indexed, 8u);
  EXPECT_EQ(published.not_indexable, 2u);
  EXPECT_EQ(published.kept, 0u);
  EXPECT_EQ(writer.added(), 0u);
  const auto indexed = open();
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(points_of(*indexed, i), expected_points(i)) << i;
  EXPECT_EQ(files_in("data"), 2) << "the index, and neither spill nor lock";
}

TEST_F(SeekIndexWriterTest, SeveralThreadsAddAtOnce) {
  folder_.write("data/x.rec", seek_container(400));
  const std::shared_ptr<RecordReader> reader = open();
  SeekIndexWriter writer(reader, "");
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] { add(writer, *reader, t * 100, t * 100 + 100, 60); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(writer.publish().indexed, 320u);
  const auto indexed = open();
  for (std::size_t i = 0; i < 400; ++i) ASSERT_EQ(points_of(*indexed, i), expected_points(i, 60)) << i;
}

TEST_F(SeekIndexWriterTest, MoreIsSpilledThanItsMemoryHolds) {
  folder_.write("data/x.rec", seek_container(3000));
  const std::shared_ptr<RecordReader> reader = open();
  SeekIndexWriter writer(reader, "");
  add(writer, *reader, 0, 3000, 70);
  EXPECT_GT(writer.publish().bytes, 600'000u);
  const auto indexed = open();
  for (std::size_t i = 0; i < 3000; i += 7) ASSERT_EQ(points_of(*indexed, i), expected_points(i, 70)) << i;
}

TEST_F(SeekIndexWriterTest, LaterOnesExtendWhatIsPublished) {
  const std::shared_ptr<RecordReader> reader = open();
  SeekIndexWriter writer(reader, "");
  add(writer, *reader, 0, 4, 20);
  EXPECT_EQ(writer.publish().indexed, 4u);
  add(writer, *reader, 2, 4, 30);
  add(writer, *reader, 5, 7, 20);
  const SeekIndexPublished second = writer.publish();
  EXPECT_EQ(second.indexed, 6u);
  EXPECT_EQ(second.kept, 2u);
  const auto indexed = open();
  EXPECT_EQ(points_of(*indexed, 1), expected_points(1, 20));
  EXPECT_EQ(points_of(*indexed, 3), expected_points(3, 30)) << "more points are better";
  EXPECT_EQ(points_of(*indexed, 6), expected_points(6, 20));
  EXPECT_EQ(points_of(*indexed, 8), "");
}

TEST_F(SeekIndexWriterTest, FewerPointsReplaceNone) {
  const std::shared_ptr<RecordReader> reader = open();
  SeekIndexWriter writer(reader, "");
  add(writer, *reader, 0, 4, 30);
  add(writer, *reader, 0, 2, 20);
  writer.publish();
  EXPECT_EQ(points_of(*open(), 1), expected_points(1, 30)) << "within one epoch";
  add(writer, *reader, 0, 4, 10);
  EXPECT_EQ(writer.publish().kept, 4u);
  EXPECT_EQ(points_of(*open(), 1), expected_points(1, 30)) << "against what is published";
}

TEST_F(SeekIndexWriterTest, AChangedImageReplacesWhatWasKnownOfIt) {
  for (const char* name : {"a/1.jpg", "a/2.jpg"})
    folder_.write(std::string("set/") + name, std::string(200, 'p'));
  publish_all(folder_.path("set"), {}, 30);
  folder_.write("set/a/2.jpg", std::string(300, 'q'));
  publish_all(folder_.path("set"), {}, 10);
  const auto reader = open_records(folder_.path("set"));
  EXPECT_EQ(points_of(*reader, 0), expected_points(0, 30));
  EXPECT_EQ(points_of(*reader, 1), expected_points(1, 10));
  EXPECT_EQ(reader->seek_index().dropped_stale, 0u);
}

TEST_F(SeekIndexWriterTest, TwoWritersKeepWhatTheOtherPublished) {
  const std::shared_ptr<RecordReader> reader = open();
  SeekIndexWriter first(reader, ""), second(reader, "");
  add(first, *reader, 0, 5);
  add(second, *reader, 5, 10);
  first.publish();
  EXPECT_EQ(second.publish().indexed, 8u);
  const auto indexed = open();
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(points_of(*indexed, i), expected_points(i)) << i;
}

TEST_F(SeekIndexWriterTest, ProcessesThatPublishAtOnceLoseNothing) {
  folder_.write("data/x.rec", seek_container(200));
  std::vector<pid_t> children;
  for (std::size_t rank = 0; rank < 4; ++rank) {
    const pid_t child = ::fork();
    if (child == 0) {
      int status = 1;
      try {
        const std::shared_ptr<RecordReader> reader = open();
        SeekIndexWriter writer(reader, "");
        add(writer, *reader, rank * 50, rank * 50 + 50);
        writer.publish();
        status = 0;
      } catch (...) {
      }
      ::_exit(status);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  const auto indexed = open();
  EXPECT_EQ(indexed->seek_index().indexed, 160u);
  for (std::size_t i = 0; i < 200; ++i) ASSERT_EQ(points_of(*indexed, i), expected_points(i)) << i;
}

TEST_F(SeekIndexWriterTest, NothingAddedLeavesWhatIsThere) {
  const SeekIndexPublished before = publish_all(container());
  const std::string bytes = index_bytes();
  SeekIndexWriter writer(open(), "");
  const SeekIndexPublished after = writer.publish();
  EXPECT_EQ(after.path, before.path);
  EXPECT_EQ(after.bytes, before.bytes);
  EXPECT_EQ(after.indexed, 8u);
  EXPECT_EQ(after.not_indexable, 2u);
  EXPECT_EQ(after.kept, 10u);
  EXPECT_EQ(index_bytes(), bytes);
}

TEST_F(SeekIndexWriterTest, NothingAddedMakesNothing) {
  SeekIndexWriter writer(open(), "");
  EXPECT_EQ(writer.publish().path, "");
  EXPECT_FALSE(fs::exists(beside()));
}

TEST_F(SeekIndexWriterTest, BrokenEntriesOfTheOldIndexAreLeftOut) {
  publish_all(container());
  std::string text = index_bytes();
  text[70] ^= 1;  // of record 0
  folder_.write("data/x.rec.seek", text);
  const std::shared_ptr<RecordReader> reader = open();
  SeekIndexWriter writer(reader, "");
  add(writer, *reader, 8, 9, 30);
  EXPECT_EQ(writer.publish().indexed, 7u);
  EXPECT_EQ(points_of(*open(), 1), expected_points(1));
}

TEST_F(SeekIndexWriterTest, AForeignIndexIsReplaced) {
  folder_.write("data/y.rec", seek_container(12));
  publish_all(folder_.path("data/y.rec"));
  fs::copy_file(folder_.path("data/y.rec.seek"), beside());
  EXPECT_EQ(publish_all(container()).kept, 0u);
  EXPECT_EQ(open()->seek_index().state, SeekIndexState::used);
}

TEST_F(SeekIndexWriterTest, IndexDirIsWhereItGoes) {
  const OpenOptions options{.index_dir = folder_.path("indexes")};
  const SeekIndexPublished published = publish_all(container(), options);
  EXPECT_THAT(published.path, testing::StartsWith(folder_.path("indexes/x.rec-")));
  EXPECT_THAT(published.path, testing::EndsWith(".seek"));
  EXPECT_FALSE(fs::exists(beside()));
  EXPECT_EQ(points_of(*open(options), 0), expected_points(0));
  EXPECT_EQ(points_of(*open(), 0), "");
}

TEST_F(SeekIndexWriterTest, AFolderThatCannotBeWrittenLeadsToTheCache) {
  fs::permissions(folder_.path("data"), fs::perms::owner_read | fs::perms::owner_exec);
  if (::access(folder_.path("data").c_str(), W_OK) == 0) {  // root may write anywhere
    fs::permissions(folder_.path("data"), fs::perms::owner_all);
    fs::create_directory(beside());
  }
  const SeekIndexPublished published = publish_all(container());
  fs::permissions(folder_.path("data"), fs::perms::owner_all);
  EXPECT_THAT(published.path, testing::StartsWith(folder_.path("xdg/stoker/seek/x.rec-")));
  EXPECT_EQ(points_of(*open(), 3), expected_points(3));
}

TEST_F(SeekIndexWriterTest, OldOrNewNeverHalf) {
  publish_all(container(), {}, 10);
  const std::string before = index_bytes();
  const std::shared_ptr<RecordReader> reader = open();
  folder_.write("xdg/stoker/seek", "no folder: the cache cannot be written either");
  for (const store::Faults& faults :
       {store::Faults{.creates = {.first = 1}}, store::Faults{.appends = {.first = 1}},
        store::Faults{.torn_appends = {.first = 1}}, store::Faults{.commits = {.first = 1}},
        store::Faults{.space_bytes = 100}}) {
    SeekIndexWriter writer(reader, "", std::make_shared<store::FaultyStore>(open_store("."), faults));
    add(writer, *reader, 0, 10, 30);
    EXPECT_THROW(writer.publish(), Error);
    EXPECT_EQ(index_bytes(), before);
    EXPECT_EQ(writer.added(), 10u) << "it may be tried again";
    EXPECT_EQ(files_in("data"), 2);
  }
}

TEST_F(SeekIndexWriterTest, WhatFailsOnceIsPublishedByTheNextTry) {
  const std::shared_ptr<RecordReader> reader = open();
  folder_.write("xdg/stoker/seek", "no folder");
  SeekIndexWriter writer(
      reader, "",
      std::make_shared<store::FaultyStore>(open_store("."), store::Faults{.commits = {.first = 1}}));
  add(writer, *reader, 0, 10);
  EXPECT_THROW(writer.publish(), Error);
  EXPECT_EQ(writer.publish().indexed, 8u);
  EXPECT_EQ(points_of(*open(), 0), expected_points(0));
}

TEST_F(SeekIndexWriterTest, RefusesARecordThatIsNotThere) {
  SeekIndexWriter writer(open(), "");
  EXPECT_EQ(error_of([&] { writer.add(10, {}, {}); }).code(), ErrorCode::invalid_argument);
}

TEST_F(SeekIndexWriterTest, PointsLargerThanTheirImageAreLeft) {
  SeekIndexWriter writer(open(), "");
  writer.add(0, {.bytes = 3, .points = 2}, bytes_of("abcd"));
  EXPECT_EQ(writer.added(), 0u);
}

class PlacelessReader final : public RecordReader {
 public:
  RecordFormat format() const override { return RecordFormat::recordio; }
  std::size_t size() const override { return 1; }
  const std::vector<std::string>& classes() const override { return classes_; }
  RecordInfo info(std::size_t) const override { return {}; }
  void read(std::size_t, Sample&) const override {}

 private:
  std::vector<std::string> classes_;
};

TEST_F(SeekIndexWriterTest, RefusesASourceWithoutAPlace) {
  EXPECT_EQ(error_of([] { SeekIndexWriter(std::make_shared<PlacelessReader>(), ""); }).code(),
            ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace stoker::record
