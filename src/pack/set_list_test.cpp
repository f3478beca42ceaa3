#include "pack/set_list.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "stoker/error.hpp"
#include "stoker/pack.hpp"

#include "pack/test_images.hpp"

namespace stoker::packing {
namespace {

using namespace test_images;

std::vector<std::string> keys_of(const RecordReader& reader) {
  std::vector<std::string> keys;
  Sample sample;
  for (std::size_t i = 0; i < reader.size(); ++i) {
    reader.read(i, sample);
    keys.push_back(sample.key);
  }
  return keys;
}

class SetList : public testing::Test {
 protected:
  void SetUp() override {
    write_photos(dir_, 40);
    keys_ = keys_of(*open_records(dir_.path("photos")));
  }
  // Packs `source` to `name`, and gives the keys of what stands there now as a pack reads them.
  std::vector<std::string> keys_behind(const std::string& source, const std::string& name,
                                       std::uint64_t shards = 0) {
    pack({.source = source, .destination = dir_.path(name), .shards = shards});
    return listed(name);
  }
  std::vector<std::string> listed(const std::string& name) {
    const auto store = open_store(dir_.path(name));
    return keys_of(*with_listed_keys(open_records(dir_.path(name)), store));
  }
  void write_list(const std::string& name, const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    dir_.write(name, text);
  }

  static std::vector<std::pair<std::string, std::string>> misfits(const std::string& list) {
    return {{"a line more", list + "40\t0\tone more\n"},
            {"a line less", list.substr(list.find('\n') + 1)},
            {"another id", "1" + list},
            {"no text", std::string(2 << 20, 'x')},
            {"empty", ""}};
  }

  const test::TempDir dir_;
  std::vector<std::string> keys_;  // of the photos
};

TEST_F(SetList, KeysComeBackFromRecordIO) {
  EXPECT_EQ(keys_behind(dir_.path("photos"), "one/set.rec"), keys_);
  EXPECT_EQ(keys_behind(dir_.path("photos"), "many/set.rec", 3), keys_);
}

TEST_F(SetList, APackOfRecordsKeepsThem) {
  pack({.source = dir_.path("photos"), .destination = dir_.path("set.rec"), .shards = 3});
  EXPECT_EQ(keys_behind(dir_.path("set.rec"), "again/copy.rec"), keys_);
  // A tar's keys have no endings: those are the names of its fields.
  std::vector<std::string> stems;
  for (const std::string& key : keys_) stems.push_back(key.substr(0, key.rfind('.')));
  pack({.source = dir_.path("again/copy.rec"), .destination = dir_.path("copy.tar")});
  EXPECT_EQ(keys_of(*open_records(dir_.path("copy.tar"))), stems);
}

TEST_F(SetList, IdsOfAListStayBesideTheKeys) {
  write_list("photos/some.lst", {"70\t1\tant/100.jpg", "3\t2\tbee/101.jpg"});
  const std::string first = dir_.path("some.rec"), second = dir_.path("second.rec");
  pack({.source = dir_.path("photos/some.lst"), .destination = first});
  pack({.source = first, .destination = second});
  EXPECT_EQ(test::read_file(second.substr(0, second.size() - 4) + ".lst"),
            "70\t1\tant/100.jpg\n3\t2\tbee/101.jpg\n");
}

TEST_F(SetList, AForeignListOfOneContainerIsTaken) {
  pack({.source = dir_.path("photos"), .destination = dir_.path("set.rec")});
  std::filesystem::remove(dir_.path("set.dataset.json"));
  EXPECT_EQ(listed("set.rec"), keys_);
}

// What is beside a set by no more than its name.
TEST_F(SetList, AListBesideThatDoesNotFitIsLeft) {
  pack({.source = dir_.path("photos"), .destination = dir_.path("set.rec")});
  std::filesystem::remove(dir_.path("set.dataset.json"));
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < keys_.size(); ++i) ids.push_back(std::to_string(i));
  for (const auto& [what, text] : misfits(test::read_file(dir_.path("set.lst")))) {
    dir_.write("set.lst", text);
    EXPECT_EQ(listed("set.rec"), ids) << what;
  }
  std::filesystem::remove(dir_.path("set.lst"));
  EXPECT_EQ(listed("set.rec"), ids) << "no list";
  std::filesystem::create_directory(dir_.path("set.lst"));
  EXPECT_EQ(listed("set.rec"), ids) << "a folder";
}

// Keys must not get lost without a word.
TEST_F(SetList, AListThatTheDescriptionNamesMustFit) {
  pack({.source = dir_.path("photos"), .destination = dir_.path("set.rec")});
  const auto lost = [&](const std::string& found) {
    try {
      listed("set.rec");
    } catch (const Error& error) {
      const std::string text = error.what();
      EXPECT_EQ(error.code(), ErrorCode::not_found) << text;
      EXPECT_NE(text.find(found), std::string::npos) << text;
      EXPECT_NE(text.find(dir_.path("set.lst")), std::string::npos) << text;
      return;
    }
    ADD_FAILURE() << "taken: " << found;
  };
  for (const auto& [what, text] : misfits(test::read_file(dir_.path("set.lst")))) {
    SCOPED_TRACE(what);
    dir_.write("set.lst", text);
    lost("it has not the lines of the 40 records");
  }
  std::filesystem::remove(dir_.path("set.lst"));
  lost("it is missing");
}

TEST_F(SetList, ARecordWhoseLineTellsAnotherIdKeepsItsOwn) {
  write_photos(dir_, 100);  // more than are compared
  pack({.source = dir_.path("photos"), .destination = dir_.path("set.rec")});
  std::vector<std::string> keys = listed("set.rec");
  std::string list = test::read_file(dir_.path("set.lst"));
  // Of the 64 of 100 that are compared, 1 is none.
  list.replace(list.find('\n') + 1, 1, "9");
  dir_.write("set.lst", list);
  keys[1] = "1";
  EXPECT_EQ(listed("set.rec"), keys);
  const PackReport report = pack({.source = dir_.path("set.rec"), .destination = dir_.path("set2.tar")});
  EXPECT_EQ(report.packed, 100U);
}

TEST_F(SetList, LabelsThatAreNoNumbersCostNoKey) {
  const std::string raw = dir_.path("raw.rec");
  {
    const auto writer = open_record_writer(raw);
    const std::string bytes = "anything";
    const float label = std::numeric_limits<float>::quiet_NaN();
    writer->append("a", {&label, 1}, {.name = "image", .bytes = std::as_bytes(std::span(bytes))});
    writer->finish();
  }
  dir_.write("raw.lst", "0\tnan\tfolder/a.jpg\n");
  EXPECT_EQ(listed("raw.rec"), std::vector<std::string>{"folder/a.jpg"});
}

}  // namespace
}  // namespace stoker::packing
