// Packs every edge case of the sample data at once.
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "stoker/pack.hpp"

#include "pack/test_images.hpp"
#include "support/shared_data.hpp"

namespace stoker::packing {
namespace {

using namespace test_images;

// expected (first word) → names of files that are listed as images.
std::map<std::string, std::set<std::string>> by_expectation(const std::string& folder) {
  std::map<std::string, std::set<std::string>> names;
  for (const auto& row : test::read_tsv(folder + "/MANIFEST.tsv")) {
    const std::string& expected = row.at("expected");
    names[expected.substr(0, expected.find(';'))].insert("odd/" + row.at("file"));
  }
  return names;
}

struct Case {
  const char* name;
  PackOptions options;
  bool decodes_all;
};

class OddImages : public testing::TestWithParam<Case> {};

TEST_P(OddImages, AreAllAccountedFor) {
  STOKER_NEEDS_DATA(folder, "odd-images");
  const test::TempDir dir;
  std::filesystem::create_directories(dir.path("photos"));
  std::filesystem::create_symlink(folder, dir.path("photos/odd"));
  PackOptions options = GetParam().options;
  options.source = dir.path("photos");
  options.destination = dir.path("out/set.rec");
  options.max_bad_share = 1;
  options.threads = 2;
  const PackReport report = pack(options);
  EXPECT_GT(report.inputs, 100U);
  EXPECT_EQ(report.inputs, report.packed + report.skipped_count);
  EXPECT_EQ(read_all(options.destination).size(), report.packed);
  std::set<std::string> skipped, warned;
  for (const SkippedSample& sample : report.skipped) skipped.insert(sample.key);
  for (const SkippedSample& sample : report.warned) warned.insert(sample.key);
  const auto expected = by_expectation(folder);
  for (const std::string& name : expected.at("decode")) {
    EXPECT_FALSE(skipped.contains(name)) << name;
    EXPECT_FALSE(warned.contains(name)) << name;
  }
  if (!GetParam().decodes_all) return;  // headers and ends alone do not tell all damage
  for (const std::string& name : expected.at("reject")) EXPECT_TRUE(skipped.contains(name)) << name;
  for (const std::string& name : expected.at("decode-warn")) {
    EXPECT_TRUE(skipped.contains(name) || warned.contains(name)) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Options, OddImages,
                         testing::Values(Case{"pass_through", {}, false},
                                         Case{"resize", {.resize_short = 64}, false},
                                         Case{"bound", {.max_side = 64}, false},
                                         Case{"lossless", {.baseline = true, .upright = true}, false},
                                         Case{"encode", {.quality = 85, .encode = Encode::jpeg}, true}),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace stoker::packing
