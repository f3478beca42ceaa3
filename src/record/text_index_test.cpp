#include "record/text_index.hpp"

#include "record/record_fixture.hpp"

namespace stoker::record {
namespace {

using Offsets = std::vector<std::uint64_t>;

// Three records at 0, 12 and 32; the container ends at 40.
const std::string kContainer = part(0, "abc") + part(1, "abcd") + part(3, "") + part(0, "");

std::optional<Offsets> offsets_of(std::string_view index, std::string_view container = kContainer) {
  const test::TempDir folder;
  const auto store = open_store(".");
  return offsets_of_text_index(*store->open_read(folder.write("x.idx", index)),
                               *store->open_read(folder.write("x.rec", container)));
}

TEST(TextIndex, OffsetsAreSortedAndKeysIgnored) {
  const Offsets all = {0, 12, 32, 40};
  EXPECT_EQ(offsets_of("7\t0\n3\t12\n900\t32\n"), all);
  EXPECT_EQ(offsets_of("900\t32\n7\t0\n7\t12\n"), all);
  EXPECT_EQ(offsets_of("a b\t0\nx\t12\r\n\ny 32"), all);
}

TEST(TextIndex, EmptyContainerHasAnEmptyIndex) {
  EXPECT_EQ(offsets_of("", ""), Offsets{0});
  EXPECT_EQ(offsets_of("", kContainer), std::nullopt);
  EXPECT_EQ(offsets_of("0\t0\n", ""), std::nullopt);
}

TEST(TextIndex, WhatDoesNotFitIsNotTaken) {
  EXPECT_EQ(offsets_of("0\t0\n1\t12\n2\t32\n3\t40\n"), std::nullopt) << "beyond the end";
  EXPECT_EQ(offsets_of("0\t0\n1\t12\n2\t99999999999999999999999\n"), std::nullopt) << "no number of 64 bits";
  EXPECT_EQ(offsets_of("0\t0\n1\t12\n2\t18446744073709551612\n"), std::nullopt) << "near the largest number";
  EXPECT_EQ(offsets_of("0\t0\n1\t12\n2\t-32\n"), std::nullopt) << "negative";
  EXPECT_EQ(offsets_of("0\t0\n1\t14\n2\t32\n"), std::nullopt) << "not aligned";
  EXPECT_EQ(offsets_of("0\t0\n1\t16\n2\t32\n"), std::nullopt) << "not on a record";
  EXPECT_EQ(offsets_of("0\t0\n1\t24\n2\t32\n"), std::nullopt) << "on a last part";
  EXPECT_EQ(offsets_of("0\t0\n1\t12\n2\t12\n3\t32\n"), std::nullopt) << "twice the same";
  EXPECT_EQ(offsets_of("0\t12\n1\t32\n"), std::nullopt) << "without the first record";
  EXPECT_EQ(offsets_of("0\t0\n1\t12\n"), std::nullopt) << "without the last: a packer was killed";
  EXPECT_EQ(offsets_of("0\t0\n1\t12\n2\n"), std::nullopt) << "a cut line";
  EXPECT_EQ(offsets_of("0\t0\n1\t12\n2\t\n"), std::nullopt) << "a cut line";
  EXPECT_EQ(offsets_of("<html>\n"), std::nullopt);
  EXPECT_EQ(offsets_of(std::string(3 << 20, '1')), std::nullopt) << "no text";
}

TEST(TextIndex, DamagedLastRecordIsAMatterForItsReader) {
  const std::string cut = kContainer + part(0, "abcdefgh").substr(0, 10);
  EXPECT_EQ(offsets_of("0\t0\n1\t12\n2\t32\n3\t40\n", cut), (Offsets{0, 12, 32, 40, 50}));
}

TEST(TextIndex, PathStandsBesideTheContainer) {
  EXPECT_EQ(text_index_path("a/b.c/x.rec"), "a/b.c/x.idx");
  EXPECT_EQ(text_index_path("a/b.c/x"), "a/b.c/x.idx");
}

}  // namespace
}  // namespace stoker::record
