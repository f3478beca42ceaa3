#include "record/tfrecord_index.hpp"

#include "record/container_index.hpp"
#include "record/tfrecord_fixture.hpp"

namespace stoker::record {
namespace {

using testing::ElementsAre;
using testing::Optional;

class TFRecordIndex : public testing::Test {
 protected:
  TFRecordIndex() { folder_.write("x.tfrecord", tf::record("abc") + tf::record("") + tf::record("abcdef")); }
  std::optional<std::vector<std::uint64_t>> offsets() {
    const auto store = open_store(".");
    return offsets_of_tfrecord_index(*store, *store->open_read(folder_.path("x.tfrecord")));
  }

  test::TempDir folder_;
};

TEST_F(TFRecordIndex, LinesAreTheFormats) {
  EXPECT_EQ(tfrecord_index_path("a/x.tfrecord"), "a/x.tfrecord.idx");
  EXPECT_EQ(tfrecord_index_path("a/x.tfrecord-00000-of-00002"), "a/x.tfrecord-00000-of-00002.idx");
  EXPECT_EQ(tfrecord_index_line(19, 16), "19 16\n");
}

TEST_F(TFRecordIndex, IsFoundUnderBothNames) {
  EXPECT_EQ(offsets(), std::nullopt);
  folder_.write("x.idx", "0 19\n19 16\n35 22\n");
  EXPECT_THAT(offsets(), Optional(ElementsAre(0, 19, 35, 57)));
  folder_.write("x.tfrecord.idx", "0 19\n");
  EXPECT_THAT(offsets(), Optional(ElementsAre(0, 19, 35, 57))) << "the first one does not fit";
  folder_.write("x.tfrecord.idx", "\n0\t19\r\n19 16 \n 35   22");
  folder_.write("x.idx", "");
  EXPECT_THAT(offsets(), Optional(ElementsAre(0, 19, 35, 57)));
}

TEST_F(TFRecordIndex, IsUsedForOpening) {
  folder_.write("x.tfrecord.idx", "0 19\n19 16\n35 22\n");
  const auto store = open_store(".");
  const auto file = store->open_read(folder_.path("x.tfrecord"));
  EXPECT_EQ(
      find_container_index(container_format(RecordFormat::tfrecord), *store, *file, folder_.path("none"))
          .origin,
      IndexOrigin::text_index);
}

TEST_F(TFRecordIndex, OneThatDoesNotFitIsLeft) {
  for (const char* text : {"", "0 19\n19 16\n", "0 19\n19 16\n35 23\n", "0 19\n35 22\n", "19 16\n35 22\n",
                           "0 57\n", "0 16\n16 19\n35 22\n", "0 19\n19 16\n35 22\n57 0\n",
                           "0 19\n19 16\n35 22\n57 16\n", "0 19\n19 16\n35\n", "0 19 19 16 35 22\n",
                           "-0 19\n19 16\n35 22\n", "0 19x\n19 16\n35 22\n", "0 18446744073709551615\n",
                           "0 99999999999999999999\n", "0,19\n19,16\n35,22\n", "19 16\n0 19\n35 22\n"}) {
    folder_.write("x.tfrecord.idx", text);
    EXPECT_EQ(offsets(), std::nullopt) << text;
  }
}

TEST_F(TFRecordIndex, WhatIsWrongInItIsTold) {
  const auto reasons = [&](std::string_view lines) {
    folder_.write("x.tfrecord.idx", lines);
    std::vector<std::string> all;
    for (const BadRecord& bad : check_indexes(folder_.path("x.tfrecord"))) {
      EXPECT_EQ(bad.container, folder_.path("x.tfrecord.idx"));
      all.push_back(bad.reason);
    }
    return all;
  };
  EXPECT_THAT(reasons("0 19\n19 16\n35 22\n"), ElementsAre());
  EXPECT_THAT(
      reasons("0 19\n19 17\n36 21\nbroken\n57 16\n"),
      ElementsAre("line 2: 17 bytes, where the record has 16", "line 3: no record begins at offset 36",
                  "line 4: no \"offset, blank, length\"", "line 5: offset 57 in a container of 57 bytes",
                  testing::HasSubstr("1 records are not in the index, the first at offset 35")));
}

TEST_F(TFRecordIndex, IsNoTextIsLeft) {
  folder_.write("x.tfrecord.idx", std::string(2 << 20, '\0'));
  EXPECT_EQ(offsets(), std::nullopt);
}

TEST_F(TFRecordIndex, OfAnEmptyContainer) {
  folder_.write("x.tfrecord", "");
  folder_.write("x.tfrecord.idx", "");
  EXPECT_THAT(offsets(), Optional(ElementsAre(0)));
}

TEST_F(TFRecordIndex, IsTriedOnRecords) {
  std::string text;
  std::string lines;
  for (int i = 0; i < 100; ++i) {
    lines += tfrecord_index_line(text.size(), 20);
    text += tf::record("abcd");
  }
  folder_.write("x.tfrecord.idx", lines);
  folder_.write("x.tfrecord", text);
  EXPECT_THAT(offsets(), Optional(testing::SizeIs(101)));
  text[99 * 20] = 5;
  folder_.write("x.tfrecord", text);
  EXPECT_EQ(offsets(), std::nullopt) << "the last is always tried";
}

}  // namespace
}  // namespace stoker::record
