#include "pack/list_check.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <limits>

#include "stoker/pack.hpp"

#include "pack/test_images.hpp"
#include "pack/verify_source.hpp"

namespace stoker::packing {
namespace {

using namespace test_images;

class ListCheckOfAPack : public testing::Test {
 protected:
  ListCheckOfAPack() {
    write_photos(dir_, 5);
    pack({.source = dir_.path("photos"), .destination = shard_});
    list_ = test::read_file(dir_.path("x.lst"));
  }
  std::vector<BadRecord> verify() {
    const std::atomic<bool> never{false};
    return verify_source({.source = shard_, .open = {}}, [](std::uint64_t) {}, never).bad;
  }
  // The lines of the list, one of them replaced.
  std::string with_line(std::size_t number, const std::string& line) {
    std::string text;
    std::size_t begin = 0;
    for (std::size_t i = 1; begin < list_.size(); ++i) {
      const std::size_t end = list_.find('\n', begin) + 1;
      text += i == number ? line : list_.substr(begin, end - begin);
      begin = end;
    }
    return text;
  }

  test::TempDir dir_;
  std::string shard_ = dir_.path("x.rec");
  std::string list_;
};

TEST_F(ListCheckOfAPack, AsItWasWrittenOrOnlyWrittenOtherwiseItAgrees) {
  EXPECT_TRUE(verify().empty());
  dir_.write("x.lst", "# a comment\n" + with_line(1, "0 0.0 ant/100.jpg\r\n"));
  EXPECT_TRUE(verify().empty());
}

TEST_F(ListCheckOfAPack, AWrongLineIsNamed) {
  const struct {
    std::string line, reason;
  } cases[] = {
      {"2\t2\tbee/101.jpg\n", "line 3: id 2 and label 2, where the record has id 2 and label 1"},
      {"9\t1\tbee/101.jpg\n", "line 3: id 9 and label 1, where the record has id 2 and label 1"},
      {"2\t1\t1\tbee/101.jpg\n", "line 3: id 2 and labels 1 1, where the record has id 2 and label 1"},
      {"2\t1\t\n", "line 3: no path"},
      {"rubbish\n", "line 3: 'rubbish' as the id (a whole number from 0)"}};
  for (const auto& [line, reason] : cases) {
    dir_.write("x.lst", with_line(3, line));
    const auto bad = verify();
    ASSERT_EQ(bad.size(), 1U) << line;
    EXPECT_EQ(bad[0].container, dir_.path("x.lst"));
    EXPECT_EQ(bad[0].key, "2");
    EXPECT_EQ(bad[0].reason, reason);
  }
}

TEST_F(ListCheckOfAPack, AnotherNumberOfLinesIsTold) {
  dir_.write("x.lst", with_line(5, ""));
  auto bad = verify();
  ASSERT_EQ(bad.size(), 1U);
  EXPECT_EQ(bad[0].reason, "line 4: the list ends with 4 samples, the container holds 5 records");
  dir_.write("x.lst", list_ + list_);
  bad = verify();
  ASSERT_EQ(bad.size(), 1U);
  EXPECT_EQ(bad[0].reason, "line 10: the list ends with 10 samples, the container holds 5 records");
  dir_.write("x.lst", std::string(3 << 20, 'x'));
  bad = verify();
  ASSERT_EQ(bad.size(), 1U) << "no text";
}

TEST_F(ListCheckOfAPack, AForeignListIsNotJudged) {
  dir_.write("x.lst", "rubbish\n");
  std::filesystem::remove(dir_.path("x.dataset.json"));
  EXPECT_TRUE(verify().empty()) << "nothing says that it was packed";
  // A source list of the same name is left alone by the pack, and may name what was skipped.
  dir_.write("photos/x.lst", "7\t1\tant/100.jpg\n8\t1\tant/absent.jpg\n");
  shard_ = dir_.path("photos/x.rec");
  pack({.source = dir_.path("photos/x.lst"), .destination = shard_, .max_bad_share = 0.5});
  EXPECT_TRUE(verify().empty());
}

TEST_F(ListCheckOfAPack, BehindDamageNothingIsClaimed) {
  std::string bytes = test::read_file(shard_);
  bytes[open_records(shard_)->info(1).offset] ^= 1;
  std::filesystem::remove(dir_.path("x.rec.index"));
  std::filesystem::remove(dir_.path("x.idx"));
  dir_.write("x.rec", bytes);
  for (const BadRecord& bad : verify()) EXPECT_NE(bad.container, dir_.path("x.lst")) << bad.reason;
}

TEST_F(ListCheckOfAPack, LabelsOfEveryKindAgree) {
  const std::vector<std::vector<float>> labels = {
      {}, {0.1F}, {1, -2.5F, 3e10F}, {std::numeric_limits<float>::quiet_NaN()}};
  const auto writer = open_record_writer(dir_.path("odd.rec"));
  const std::string data = "raw";
  for (const auto& each : labels) writer->append("", each, {"data", as_bytes(data)}, std::nullopt);
  writer->finish();
  shard_ = dir_.path("again.rec");
  pack({.source = dir_.path("odd.rec"), .destination = shard_});
  EXPECT_TRUE(verify().empty());
  EXPECT_TRUE(std::filesystem::exists(dir_.path("again.lst"))) << "it was looked at";
}

TEST_F(ListCheckOfAPack, AListThatTheDescriptionNamesMustBeThere) {
  std::filesystem::remove(dir_.path("x.lst"));
  const auto bad = verify();
  ASSERT_EQ(bad.size(), 1U);
  EXPECT_EQ(bad[0].container, dir_.path("x.lst"));
  EXPECT_NE(bad[0].reason.find("missing"), std::string::npos) << bad[0].reason;
}

TEST_F(ListCheckOfAPack, ManyWrongLinesAreCounted) {
  write_photos(dir_, 150);
  pack({.source = dir_.path("photos"), .destination = shard_});
  list_ = test::read_file(dir_.path("x.lst"));
  dir_.write("x.lst", with_line(1, ""));
  const auto bad = verify();
  ASSERT_EQ(bad.size(), 102U);
  EXPECT_EQ(bad[100].reason, "49 more wrong lines");
  EXPECT_NE(bad[101].reason.find("149 samples"), std::string::npos) << bad[101].reason;
}

}  // namespace
}  // namespace stoker::packing
