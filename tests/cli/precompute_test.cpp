#include <algorithm>
#include <dirent.h>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "cli/stoker_program.hpp"

namespace stoker::test {
namespace {

using ::testing::HasSubstr;

// A folder of EEGs of 20 × 128; returns its training half.
std::string make_eegs(const TempDir& dir) {
  const std::string root = dir.path("eeg");
  EXPECT_EQ(
      stoker({"synth", root, "--kind", "eeg", "--classes", "2", "--images", "5", "--samples", "128"}).status,
      0);
  return root + "/train";
}

std::vector<std::string> crcs_of(const std::string& source) {
  std::vector<std::string> crcs;
  for (const auto& line : json_lines(stoker({"ls", source, "--json"}).out))
    crcs.push_back(line["crc32"].get<std::string>());
  return crcs;
}

// How many processes have `words` in their command line.
int processes_with(const std::string& words) {
  int found = 0;
  DIR* proc = ::opendir("/proc");
  while (const dirent* entry = ::readdir(proc)) {
    std::ifstream file("/proc/" + std::string(entry->d_name) + "/cmdline");
    std::string line{std::istreambuf_iterator<char>(file), {}};
    std::replace(line.begin(), line.end(), '\0', ' ');
    found += line.find(words) != std::string::npos ? 1 : 0;
  }
  ::closedir(proc);
  return found;
}

TEST(PrecomputeOfPack, ArraysPassUntouchedWithoutIt) {
  const TempDir dir;
  const std::string train = make_eegs(dir), packed = dir.path("raw.rec");
  const auto json = json_of(stoker({"pack", train, packed, "--json"}));
  EXPECT_EQ(json["packed"], 8);
  EXPECT_EQ(json["skipped_count"], 0);
  EXPECT_EQ(crcs_of(packed), crcs_of(train));
  EXPECT_EQ(stoker({"verify", packed, "--decode"}).status, 0) << "an array is no broken image";
}

TEST(PrecomputeOfPack, StepsAreDoneOnceWhateverTheThreads) {
  const TempDir dir;
  const std::string train = make_eegs(dir), steps = "spectrogram(window=64, hop=32)";
  const auto pack = [&](const char* name, const char* threads) {
    const std::string to = dir.path(name);
    EXPECT_EQ(stoker({"pack", train, to, "--precompute", steps, "--threads", threads}).status, 0);
    return to;
  };
  const std::string one = pack("one.rec", "1"), three = pack("three.rec", "3");
  EXPECT_EQ(read_file(one), read_file(three));
  const auto lines = json_lines(stoker({"ls", one, "--json"}).out);
  ASSERT_EQ(lines.size(), 8U);
  for (const auto& line : lines)
    for (const auto& field : line["fields"].items()) EXPECT_EQ(field.value(), 128 + 20 * 33 * 3 * 2);
  EXPECT_THAT(read_file(dir.path("one.dataset.json")), HasSubstr("hop=32, log=true, dtype=float16"));

  const std::string tar = pack("tarred.tar", "2");
  const auto in_tar = json_lines(stoker({"ls", tar, "--json"}).out);
  ASSERT_EQ(in_tar.size(), 8U);
  EXPECT_EQ(in_tar[0]["fields"]["npy"], 128 + 20 * 33 * 3 * 2);
  EXPECT_EQ(crcs_of(tar), crcs_of(one));
}

TEST(PrecomputeOfPack, WhatStepsDoNotTakeIsSkippedAndNamed) {
  const TempDir dir;
  const std::string train = make_eegs(dir);
  const auto json = json_of(stoker({"pack", train, dir.path("x.rec"), "--precompute",
                                    "spectrogram(window=256)", "--max-bad-share", "1", "--json"}));
  EXPECT_EQ(json["skipped_count"], 8);
  EXPECT_THAT(json["skipped"][0]["reason"].get<std::string>(), HasSubstr("128 samples on the last axis"));
  const ProgramResult wrong = stoker({"pack", train, dir.path("y.rec"), "--precompute", "spectogram"});
  EXPECT_NE(wrong.status, 0);
  EXPECT_THAT(wrong.err, HasSubstr("did you mean 'spectrogram'?"));
}

TEST(PrecomputeOfPack, CatIsTheCommandThatChangesNothing) {
  const TempDir dir;
  const std::string photos = make_photos(dir) + "/train", packed = dir.path("x.rec");
  EXPECT_EQ(stoker({"pack", photos, packed, "--precompute-command", "cat", "--threads", "2"}).status, 0);
  EXPECT_EQ(crcs_of(packed), crcs_of(photos));
}

TEST(PrecomputeOfPack, ACommandThatFailsNamesItsSamples) {
  const TempDir dir;
  const std::string train = make_eegs(dir);
  const auto json =
      json_of(stoker({"pack", train, dir.path("x.rec"), "--precompute-command",
                      "echo out of order >&2; exit 4", "--max-bad-share", "1", "--threads", "1", "--json"}));
  EXPECT_EQ(json["skipped_count"], 8);
  EXPECT_EQ(json["skipped"][0]["key"], "alpha/000001.npy");
  EXPECT_THAT(json["skipped"][0]["reason"].get<std::string>(),
              testing::AllOf(HasSubstr("ended with status 4"), HasSubstr("out of order")));
  const ProgramResult unknown =
      stoker({"pack", train, dir.path("y.rec"), "--precompute-command", "no-such-command-of-ours"});
  EXPECT_EQ(unknown.status, 1);
  EXPECT_THAT(unknown.err, HasSubstr("no-such-command-of-ours"));
}

TEST(PrecomputeOfPack, AnInterruptLeavesNoProcess) {
  const TempDir dir;
  const std::string train = make_eegs(dir);
  const std::string unusual = "sleep 98765.4321";
  const ProgramResult stopped = stoker(
      {"pack", train, dir.path("x.rec"), "--precompute-command", unusual + " & wait", "--threads", "2"},
      {.signal = SIGINT, .signal_after = std::chrono::milliseconds(500)});
  EXPECT_EQ(stopped.status, 130) << stopped.err;
  EXPECT_LT(stopped.seconds, 20);
  EXPECT_EQ(processes_with(unusual), 0);
  EXPECT_FALSE(std::filesystem::exists(dir.path("x.rec")));
}

}  // namespace
}  // namespace stoker::test
