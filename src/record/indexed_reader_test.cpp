#include "record/indexed_reader.hpp"

#include <filesystem>
#include <thread>

#include "base/crc.hpp"
#include "record/seek_fixture.hpp"

namespace stoker::record {
namespace {

namespace fs = std::filesystem;

class IndexedReaderTest : public SeekIndexTest {
 protected:
  void expect_refused(SeekIndexState state, std::string_view words) {
    const auto reader = open();
    const SeekIndexInfo info = reader->seek_index();
    EXPECT_EQ(info.state, state) << info.reason;
    EXPECT_EQ(info.path, beside());
    EXPECT_THAT(info.reason, testing::HasSubstr(std::string(words)));
    EXPECT_EQ(info.indexed, 0u);
    EXPECT_EQ(points_of(*reader, 0), "");
  }
  void change_container(std::size_t at) {
    std::string text = test::read_file(container());
    text[at] ^= 1;
    folder_.write("data/x.rec", text);
  }
  std::uint64_t image_at(std::size_t record) const {
    const auto reader = open();
    Sample sample;
    reader->read(record, sample);
    return image_offset(*reader, record, sample);
  }
};

TEST_F(IndexedReaderTest, SamplesCarryTheirPoints) {
  publish_all(container());
  const auto reader = open();
  Sample sample;
  for (int epoch = 0; epoch < 2; ++epoch)
    for (std::size_t i = 0; i < reader->size(); ++i) {
      reader->read(i, sample);
      EXPECT_EQ(text_of(sample.seek_points), expected_points(i)) << i;
      EXPECT_EQ(sample.key, std::to_string(i));
    }
  const SeekIndexInfo info = reader->seek_index();
  EXPECT_EQ(info.state, SeekIndexState::used);
  EXPECT_EQ(info.path, beside());
  EXPECT_EQ(info.reason, "");
  EXPECT_EQ(info.indexed, 8u);
  EXPECT_EQ(info.not_indexable, 2u);
  EXPECT_EQ(info.dropped_damaged + info.dropped_stale + info.dropped_changed, 0u);
}

TEST_F(IndexedReaderTest, WithoutAnIndexThereIsNothingToTell) {
  EXPECT_EQ(open()->seek_index().state, SeekIndexState::none);
  EXPECT_EQ(points_of(*open(), 0), "");
}

TEST_F(IndexedReaderTest, TheIndexMayBeLeftAside) {
  publish_all(container());
  const auto reader = open({.seek_index = SeekIndexUse::off});
  EXPECT_EQ(reader->seek_index().state, SeekIndexState::none);
  EXPECT_EQ(points_of(*reader, 0), "");
}

TEST_F(IndexedReaderTest, ASampleForgetsThePointsOfTheOneBefore) {
  publish_all(container());
  Sample sample;
  open()->read(0, sample);
  ASSERT_FALSE(sample.seek_points.empty());
  open({.seek_index = SeekIndexUse::off})->read(1, sample);
  EXPECT_TRUE(sample.seek_points.empty()) << "a container without an index";
  open()->read(0, sample);
  folder_.write("set/a/1.jpg", "file");
  open_records(folder_.path("set"))->read(0, sample);
  EXPECT_TRUE(sample.seek_points.empty()) << "a folder without an index";
}

TEST_F(IndexedReaderTest, PassesOnWhatTheReaderBeneathKnows) {
  folder_.write("set/a/1.jpg", std::string(100, 'p'));
  folder_.write("set/b/2.jpg", std::string(100, 'p'));
  folder_.write("set.lst", "7\t0\tset/a/1.jpg\n9\t1\tset/b/2.jpg\n");
  publish_all(folder_.path("set"), {}, 10);
  const auto set = open_records(folder_.path("set"));
  EXPECT_EQ(set->seek_index().state, SeekIndexState::used);
  EXPECT_EQ(set->format(), RecordFormat::folder);
  EXPECT_EQ(set->classes(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(set->known_labels().size(), 2u);
  EXPECT_EQ(set->info(1).container, folder_.path("set/b/2.jpg"));
  publish_all(folder_.path("set.lst"), {}, 10);
  const auto list = open_records(folder_.path("set.lst"));
  EXPECT_EQ(list->seek_index().path, folder_.path("set.lst.seek"));
  EXPECT_EQ(list->known_id(1), 9u);
  EXPECT_EQ(points_of(*list, 1), expected_points(1, 10));
}

TEST_F(IndexedReaderTest, AFolderHasItsIndexInside) {
  folder_.write("set/a/1.jpg", std::string(100, 'p'));
  EXPECT_EQ(publish_all(folder_.path("set") + "/", {}, 10).path, folder_.path("set/.stoker.seek"));
  EXPECT_EQ(points_of(*open_records(folder_.path("set")), 0), expected_points(0, 10));
}

TEST_F(IndexedReaderTest, AnotherOrderOfFilesIsForeign) {
  folder_.write("set/a/1.jpg", std::string(100, 'p'));
  folder_.write("set/a/2.jpg", std::string(100, 'p'));
  publish_all(folder_.path("set"), {}, 10);
  fs::rename(folder_.path("set/a/1.jpg"), folder_.path("set/a/3.jpg"));
  EXPECT_THAT(open_records(folder_.path("set"))->seek_index().reason, testing::HasSubstr("other paths"));
  folder_.write("set/a/4.jpg", "more");
  EXPECT_THAT(open_records(folder_.path("set"))->seek_index().reason,
              testing::HasSubstr("2 records, and the source has 3"));
}

TEST_F(IndexedReaderTest, AChangedFileLosesItsPointsAlone) {
  for (const char* name : {"1", "2", "3"})
    folder_.write(std::string("set/a/") + name + ".jpg", std::string(100, 'p'));
  publish_all(folder_.path("set"), {}, 10);
  folder_.write("set/a/1.jpg", std::string(101, 'p'));
  folder_.write("set/a/2.jpg", std::string(100, 'q'));
  const auto reader = open_records(folder_.path("set"));
  for (int epoch = 0; epoch < 2; ++epoch) {
    EXPECT_EQ(points_of(*reader, 0), "");
    EXPECT_EQ(points_of(*reader, 1), "");
    EXPECT_EQ(points_of(*reader, 2), expected_points(2, 10));
  }
  EXPECT_EQ(reader->seek_index().dropped_stale, 1u) << "another size";
  EXPECT_EQ(reader->seek_index().dropped_changed, 1u) << "other bytes";
}

TEST_F(IndexedReaderTest, AChangedContainerIsForeign) {
  publish_all(container());
  change_container(40);
  expect_refused(SeekIndexState::foreign, "another container");
  folder_.write("data/x.rec", seek_container(10) + seek_container(1));
  expect_refused(SeekIndexState::foreign, "10 records, and the source has 11");
}

TEST_F(IndexedReaderTest, AnIndexOfFilesIsNoneOfAContainer) {
  for (int i = 0; i < 10; ++i) folder_.write("set/a/" + std::to_string(i) + ".jpg", std::string(100, 'p'));
  publish_all(folder_.path("set"), {}, 10);
  fs::copy_file(folder_.path("set/.stoker.seek"), beside());
  expect_refused(SeekIndexState::foreign, "another kind");
}

TEST_F(IndexedReaderTest, ADamagedOrLaterIndexIsRefused) {
  publish_all(container());
  const std::string good = index_bytes();
  folder_.write("data/x.rec.seek", good.substr(0, good.size() - 1));
  expect_refused(SeekIndexState::damaged, "");
  folder_.write("data/x.rec.seek", "something else altogether, and longer than the header of an index is");
  expect_refused(SeekIndexState::damaged, "no magic");
  std::string later = good;
  later[8] = 2;
  folder_.write("data/x.rec.seek", later);
  expect_refused(SeekIndexState::unsupported, "version 2");
  fs::remove(beside());
  fs::create_directory(beside());
  expect_refused(SeekIndexState::unreadable, "");
}

TEST_F(IndexedReaderTest, ACachedIndexIsOfTheContainerAsItWasThen) {
  const OpenOptions options{.index_dir = folder_.path("indexes")};
  publish_all(container(), options);
  EXPECT_EQ(open(options)->seek_index().state, SeekIndexState::used);
  fs::last_write_time(container(), fs::file_time_type::clock::now() + std::chrono::hours(1));
  EXPECT_THAT(open(options)->seek_index().reason, testing::HasSubstr("written since"));
}

TEST_F(IndexedReaderTest, OneBesideGoesOnFittingACopy) {
  publish_all(container());
  fs::create_directory(folder_.path("copy"));
  fs::copy_file(container(), folder_.path("copy/x.rec"));
  fs::copy_file(beside(), folder_.path("copy/x.rec.seek"));
  EXPECT_EQ(open_records(folder_.path("copy/x.rec"))->seek_index().state, SeekIndexState::used);
}

TEST_F(IndexedReaderTest, BytesAreCheckedWhenAsked) {
  // Beyond the runs that the fingerprint covers.
  folder_.write("data/x.rec", seek_container(800));
  publish_all(container());
  const std::uint64_t image = image_at(400);
  const auto before = open({.check_bytes = CheckBytes::first});
  EXPECT_EQ(points_of(*before, 400), expected_points(400));
  change_container(image + 5);
  EXPECT_EQ(points_of(*before, 400), expected_points(400)) << "was checked once";
  EXPECT_EQ(points_of(*open({.check_bytes = CheckBytes::never}), 400), expected_points(400));
  for (const CheckBytes check : {CheckBytes::first, CheckBytes::always}) {
    const auto reader = open({.check_bytes = check});
    EXPECT_EQ(points_of(*reader, 400), "");
    EXPECT_EQ(points_of(*reader, 401), expected_points(401));
    EXPECT_EQ(reader->seek_index().dropped_changed, 1u);
  }
  change_container(image + 5);
  const auto always = open({.check_bytes = CheckBytes::always});
  EXPECT_EQ(points_of(*always, 400), expected_points(400));
  change_container(image + 5);
  EXPECT_EQ(points_of(*always, 400), "");
}

TEST_F(IndexedReaderTest, AnEntryOfAnotherPlaceIsStale) {
  folder_.write("data/x.rec", seek_container(1) + seek_container(1));
  const std::shared_ptr<RecordReader> reader = open();
  SeekIndexWriter writer(reader, "");
  Sample sample;
  reader->read(0, sample);
  SeekEntry entry = describe_image(*reader, 0, sample);
  entry.points = 10;
  writer.add(1, entry, bytes_of(packed_of(0, 10)));
  writer.publish();
  const auto indexed = open();
  EXPECT_EQ(points_of(*indexed, 1), "");
  EXPECT_EQ(indexed->seek_index().dropped_stale, 1u);
}

TEST_F(IndexedReaderTest, FlippedBitsAreReportedOrHarmless) {
  publish_all(container());
  const std::string good = index_bytes();
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    std::string text = good;
    text[random() % text.size()] ^= static_cast<char>(1u << random() % 8);
    folder_.write("data/x.rec.seek", text);
    const auto reader = open();
    std::size_t lost = 0;
    for (std::size_t i = 0; i < reader->size(); ++i) {
      const std::string points = points_of(*reader, i);
      if (points == expected_points(i)) continue;
      EXPECT_EQ(points, "");
      ++lost;
    }
    const SeekIndexInfo info = reader->seek_index();
    if (info.state == SeekIndexState::used)
      EXPECT_EQ(info.dropped_damaged, lost);
    else
      EXPECT_NE(info.reason, "");
  }
}

TEST_F(IndexedReaderTest, CutAndDeletedIndexesAreReportedOrHarmless) {
  publish_all(container());
  const std::string good = index_bytes();
  std::mt19937 random(6);
  for (int round = 0; round < 100; ++round) {
    folder_.write("data/x.rec.seek", good);
    const auto reader = open();
    if (round % 3 == 0) fs::remove(beside());
    if (round % 3 != 0) fs::resize_file(beside(), random() % good.size());
    std::size_t lost = 0;
    for (std::size_t i = 0; i < reader->size(); ++i) {
      const std::string points = points_of(*reader, i);
      EXPECT_TRUE(points.empty() || points == expected_points(i));
      lost += points.empty() && is_indexable(i);
    }
    EXPECT_EQ(reader->seek_index().dropped_damaged, lost);
    const auto again = open();
    EXPECT_NE(again->seek_index().state, SeekIndexState::used);
    EXPECT_EQ(points_of(*again, 0), "");
  }
}

TEST_F(IndexedReaderTest, VerifyHoldsTheIndexAgainstTheImages) {
  folder_.write("data/x.rec", seek_container(800));  // more than the fingerprint covers
  publish_all(container());
  EXPECT_THAT(check_indexes(container()), testing::IsEmpty());
  change_container(image_at(400) + 5);
  const auto changed = check_indexes(container());
  ASSERT_EQ(changed.size(), 1u);
  EXPECT_EQ(changed[0].container, beside());
  EXPECT_EQ(changed[0].key, "400");
  EXPECT_EQ(changed[0].reason, "the entry of record 400 is of another image");
  change_container(image_at(400) + 5);
  std::string text = index_bytes();
  text[70] ^= 1;
  folder_.write("data/x.rec.seek", text);
  const auto flipped = check_indexes(container());
  ASSERT_EQ(flipped.size(), 1u);
  EXPECT_EQ(flipped[0].reason, "the entry of record 0: a wrong checksum");
  folder_.write("data/x.rec.seek", text.substr(0, 100));
  EXPECT_EQ(check_indexes(container()).size(), 1u);
}

TEST_F(IndexedReaderTest, VerifyLooksAtAFoldersIndexToo) {
  folder_.write("set/a/1.jpg", std::string(100, 'p'));
  publish_all(folder_.path("set"), {}, 10);
  EXPECT_THAT(check_indexes(folder_.path("set")), testing::IsEmpty());
  folder_.write("set/a/1.jpg", std::string(100, 'q'));
  EXPECT_EQ(check_indexes(folder_.path("set")).size(), 1u);
}

TEST_F(IndexedReaderTest, SeveralThreadsReadAtOnceAndCountOnce) {
  folder_.write("data/x.rec", seek_container(200));
  publish_all(container());
  std::string text = index_bytes();
  text[70] ^= 1;  // of record 0
  folder_.write("data/x.rec.seek", text);
  const auto reader = open();
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (std::size_t i = 0; i < 200; ++i)
        if (points_of(*reader, i) != (i == 0 ? "" : expected_points(i))) ++wrong;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(reader->seek_index().dropped_damaged, 1u);
}

TEST_F(IndexedReaderTest, ARecordOfSeveralPartsIsIndexedToo) {
  // The magic inside the data cuts a record into parts; the index knows the image as it is read.
  const std::string head = image_header(0, 1, 0) + std::string(200, 'a');
  folder_.write("data/x.rec", part(1, head) + part(3, std::string(200, 'b')));
  publish_all(container());
  EXPECT_EQ(points_of(*open(), 0), expected_points(0));
}

}  // namespace
}  // namespace stoker::record
