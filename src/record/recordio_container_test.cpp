#include "record/recordio_container.hpp"

#include "record/record_fixture.hpp"
#include "record/recordio_format.hpp"
#include "store/faulty_store.hpp"

namespace stoker::record {
namespace {

class Walk : public testing::Test {
 protected:
  const ReadableFile& open(std::string_view text) {
    file_ = store_.open_read(folder_.write("x.rec", text));
    return *file_;
  }
  std::uint64_t reads() const { return store_.calls().reads; }

  test::TempDir folder_;
  store::FaultyStore store_{open_store("."), {}};
  std::unique_ptr<ReadableFile> file_;
};

TEST_F(Walk, FindsAllRecordsAndTheEnd) {
  const RecordOffsets walked =
      walk_container(RecordIOContainer(), open(part(0, "abc") + part(1, "abcd") + part(3, "") + part(0, "")));
  EXPECT_FALSE(walked.damage);
  EXPECT_THAT(walked.offsets, testing::ElementsAre(0, 12, 32, 40));
}

TEST_F(Walk, EmptyContainerHasNoRecords) {
  const RecordOffsets walked = walk_container(RecordIOContainer(), open(""));
  EXPECT_FALSE(walked.damage);
  EXPECT_THAT(walked.offsets, testing::ElementsAre(0));
}

TEST_F(Walk, StopsAtTheFirstDamage) {
  const RecordOffsets walked =
      walk_container(RecordIOContainer(), open(part(0, "abc") + "damage" + part(0, "x")));
  ASSERT_TRUE(walked.damage);
  EXPECT_EQ(walked.damage->offset, 12u);
}

TEST_F(Walk, ReadsManySmallRecordsInFewReads) {
  std::string container;
  for (int i = 0; i < 50'000; ++i) container += part(0, "abcd");
  EXPECT_EQ(walk_container(RecordIOContainer(), open(container)).offsets.size(), 50'001u);
  EXPECT_LT(reads(), 15u);
}

TEST_F(Walk, ReadsLittleOfLargeRecords) {
  std::string container;
  for (int i = 0; i < 10; ++i) container += part(0, std::string(1 << 20, 'x'));
  EXPECT_EQ(walk_container(RecordIOContainer(), open(container)).offsets.size(), 11u);
  EXPECT_LE(store_.calls().bytes_read, 12u * 4096);  // about a page a record
}

TEST_F(Walk, UnfinishedRecordResumesAtTheNext) {
  const ReadableFile& file = open(part(1, "abcd") + part(0, "x"));
  WindowReader window(file);
  const Walked walked = RecordIOContainer().walk_record(window, 0, file.bytes());
  ASSERT_TRUE(walked.damage);
  EXPECT_EQ(walked.damage->offset, 0u);
  EXPECT_EQ(walked.resume, 12u);
}

TEST_F(Walk, FindsTheNextRecordAcrossTheWindowsEdge) {
  for (const std::size_t before : {std::size_t{0}, std::size_t{4}, WindowReader::kLargestWindow - 8,
                                   WindowReader::kLargestWindow - 4, WindowReader::kLargestWindow,
                                   WindowReader::kLargestWindow + 4, 2 * WindowReader::kLargestWindow - 8}) {
    const std::string text = std::string(before, 'x') + part(0, "abc");
    const ReadableFile& file = open(text);
    WindowReader window(file);
    EXPECT_EQ(RecordIOContainer().find_record(window, 0, file.bytes()), before);
    EXPECT_EQ(RecordIOContainer().find_record(window, before + 1, file.bytes()), std::nullopt);
  }
}

TEST_F(Walk, ResynchronisesOnWholeAndFirstPartsAtAlignedPlacesOnly) {
  const std::string text =
      "xx" + part(0, "ab") + part(2, "abcd") + part(3, "") + std::string(2, 'x') + part(1, "abcd");
  const ReadableFile& file = open(text);
  WindowReader window(file);
  EXPECT_EQ(RecordIOContainer().find_record(window, 0, file.bytes()), text.size() - part(1, "abcd").size());
  EXPECT_EQ(RecordIOContainer().find_record(window, 0, 40), std::nullopt);
}

TEST_F(Walk, WindowGivesWhatThereIsAtTheEnd) {
  const ReadableFile& file = open("0123456789");
  WindowReader window(file);
  EXPECT_EQ(text_of(window.at(2, 4)), "2345");
  EXPECT_EQ(text_of(window.at(8, 8)), "89");
  EXPECT_EQ(text_of(window.at(0, 100)), "0123456789");
  EXPECT_TRUE(window.at(100, 8).empty());
  EXPECT_EQ(text_of(window.at(0, 2)), "01");
}

TEST_F(Walk, WindowForgetsWhatItHeldWhenAReadFails) {
  folder_.write("y.rec", std::string(8192, 'a') + std::string(8192, 'b'));
  store::FaultyStore failing(open_store("."), {.reads = {.first = 2}});
  const auto file = failing.open_read(folder_.path("y.rec"));
  WindowReader window(*file);
  EXPECT_EQ(text_of(window.at(0, 2)), "aa");
  EXPECT_THROW(window.at(16'000, 2), Error);
  EXPECT_EQ(text_of(window.at(16'000, 2)), "bb");
  EXPECT_EQ(text_of(window.at(0, 2)), "aa");
}

}  // namespace
}  // namespace stoker::record
