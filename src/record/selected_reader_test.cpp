#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "stoker/error.hpp"
#include "stoker/record.hpp"

#include "support/temp_dir.hpp"

namespace stoker::record {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SelectedReaderTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"a/0", "a/1", "b/2", "b/3"})
      dir_.write("photos/" + std::string(name) + ".jpg", name);
    all_ = open_records(dir_.path("photos"));
  }

  test::TempDir dir_;
  std::shared_ptr<const RecordReader> all_;
};

TEST_F(SelectedReaderTest, GivesWhatWasChosenInItsOrder) {
  const auto some = select_records(all_, {3, 0, 3});
  std::vector<std::string> keys;
  Sample sample;
  for (std::size_t i = 0; i < some->size(); ++i) {
    some->read(i, sample);
    keys.push_back(sample.key);
  }
  EXPECT_THAT(keys, ElementsAre("b/3.jpg", "a/0.jpg", "b/3.jpg"));
  EXPECT_THAT(some->known_labels(), ElementsAre(1, 0, 1));
  EXPECT_THAT(some->classes(), ElementsAre("a", "b"));
  EXPECT_EQ(some->format(), RecordFormat::folder);
  EXPECT_THAT(some->info(1).container, HasSubstr("a/0.jpg"));
  EXPECT_EQ(some->source_path(), "") << "side files lie by the whole";
  EXPECT_FALSE(some->fingerprint());
}

TEST_F(SelectedReaderTest, NamesAnIndexBeyondTheLast) {
  try {
    select_records(all_, {0, 4});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_THAT(error.what(), HasSubstr("number 1 of the selection: sample 4; allowed: 0 to 3"));
  }
}

}  // namespace
}  // namespace stoker::record
