#include <filesystem>
#include <gtest/gtest.h>
#include <signal.h>

#include "cli/stoker_program.hpp"

namespace stoker::test {
namespace {

TEST(Synth, MakesWhatItTells) {
  const TempDir dir;
  const std::string root = dir.path("photos");
  const auto json = json_of(stoker(
      {"synth", root, "--classes", "3", "--images", "5", "--width", "64", "--height", "48", "--json"}));
  EXPECT_EQ(keys_of(json), (std::vector<std::string>{"bytes", "classes", "directory", "schema",
                                                     "train_images", "val_images", "wall_s"}));
  EXPECT_EQ(json["schema"], "stoker.synth/1");
  EXPECT_EQ(json["classes"].size(), 3U);
  EXPECT_EQ(json["train_images"], 12);
  EXPECT_EQ(json["val_images"], 3);
  std::uint64_t bytes = 0;
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file()) continue;
    bytes += entry.file_size();
    ++files;
  }
  EXPECT_EQ(files, 15U);
  EXPECT_EQ(json["bytes"], bytes);
}

TEST(Synth, ItsSeedDecidesAndItsThreadsDoNot) {
  const TempDir dir;
  const auto list = [&](const char* name, const char* seed, const char* threads) {
    EXPECT_EQ(stoker({"synth", dir.path(name), "--classes", "2", "--images", "4", "--width", "40", "--height",
                      "40", "--seed", seed, "--threads", threads})
                  .status,
              0);
    std::string crcs;
    for (const auto& line : json_lines(stoker({"ls", dir.path(name) + "/train", "--json"}).out))
      crcs += line["crc32"].get<std::string>();
    return crcs;
  };
  const std::string first = list("a", "1", "1");
  EXPECT_EQ(list("b", "1", "3"), first);
  EXPECT_NE(list("c", "2", "1"), first);
}

TEST(Synth, MakesEegs) {
  const TempDir dir;
  const std::string root = dir.path("eeg");
  const auto json = json_of(stoker(
      {"synth", root, "--kind", "eeg", "--classes", "2", "--images", "5", "--samples", "128", "--json"}));
  EXPECT_EQ(json["classes"], (std::vector<std::string>{"alpha", "beta"}));
  EXPECT_EQ(json["bytes"], 10 * (128 + 20 * 128 * 4));
  const auto lines = json_lines(stoker({"ls", root + "/train", "--json"}).out);
  ASSERT_EQ(lines.size(), 8U) << "arrays are the samples of a folder without images";
  EXPECT_EQ(lines[0]["key"], "alpha/000001.npy");
  EXPECT_EQ(lines[0]["fields"]["npy"], 128 + 20 * 128 * 4);

  const ProgramResult refused = stoker({"synth", dir.path("more"), "--kind", "eeg", "--width", "64"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("--width"), std::string::npos) << refused.err;
}

TEST(Synth, WritesOverNothing) {
  const TempDir dir;
  const std::string root = make_photos(dir);
  const ProgramResult again = stoker({"synth", root});
  EXPECT_EQ(again.status, 1) << "the call is right, its folder is not";
  EXPECT_NE(again.err.find(root), std::string::npos) << again.err;
}

class SynthStopped : public testing::TestWithParam<int> {};

// Whatever ends it, neither folder is there, and the same call may be made again.
TEST_P(SynthStopped, LeavesNothingThatStopsTheNextRun) {
  const TempDir dir;
  const std::string root = dir.path("photos");
  const std::vector<std::string> call{"synth",   root,  "--classes", "2",   "--images",  "2000",
                                      "--width", "400", "--height",  "400", "--threads", "1"};
  const ProgramResult stopped =
      stoker(call, {.signal = GetParam(), .signal_after = std::chrono::milliseconds(700)});
  EXPECT_EQ(stopped.status, GetParam() == SIGKILL ? 128 + SIGKILL : 130) << stopped.err;
  EXPECT_FALSE(std::filesystem::exists(root + "/train"));
  EXPECT_FALSE(std::filesystem::exists(root + "/val"));
  if (GetParam() != SIGKILL) {
    EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
  }
  make_photos(dir);
  std::size_t entries = 0;
  for (const auto& entry : std::filesystem::directory_iterator(root)) entries += entry.exists() ? 1 : 0;
  EXPECT_EQ(entries, 2U) << "train and val alone";
}

INSTANTIATE_TEST_SUITE_P(Signals, SynthStopped, testing::Values(SIGINT, SIGTERM, SIGKILL),
                         [](const auto& one) {
                           return one.param == SIGINT    ? "interrupt"
                                  : one.param == SIGTERM ? "terminate"
                                                         : "kill";
                         });

}  // namespace
}  // namespace stoker::test
