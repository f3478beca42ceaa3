// Where words go, and what happens when they cannot go there.
#include <filesystem>
#include <gtest/gtest.h>
#include <signal.h>

#include "cli/stoker_program.hpp"

namespace stoker::test {
namespace {

// A list of `count` lines that all name one photo: a long source at little cost.
std::string make_long_list(const TempDir& dir, int count) {
  const std::string photos = make_photos(dir) + "/train";
  std::string photo;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(photos)) {
    if (entry.is_regular_file()) photo = std::filesystem::relative(entry.path(), dir.path()).string();
  }
  std::string lines;
  for (int i = 0; i < count; ++i) lines += std::to_string(i) + "\t0\t" + photo + "\n";
  return dir.write("long.lst", lines);
}

TEST(Streams, AReaderThatLeavesEndsALongListQuietly) {
  const TempDir dir;
  const std::string list = make_long_list(dir, 20000);
  const ProgramResult result = stoker({"ls", list, "--json"}, {.read_only = 100});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_LT(result.seconds, 5.0);
}

TEST(Streams, AFullDiskUnderStandardOutputIsAFailure) {
  const TempDir dir;
  const std::string rec = make_pack(dir);
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"ls", rec}, {"verify", rec, "--json"}, {"--help"}, {"pack", "--help"}}) {
    const ProgramResult result = stoker(arguments, {.standard_output = "/dev/full"});
    EXPECT_EQ(result.status, 1) << arguments[0];
    EXPECT_NE(result.err.find("No space left"), std::string::npos) << result.err;
  }
}

TEST(Streams, AClosedStandardOutputIsAFailureAndNoDataFile) {
  const TempDir dir;
  const std::string rec = make_pack(dir);
  const std::string before = read_file(rec);
  const ProgramResult result = stoker({"ls", rec, "--json"}, {.standard_output = "closed"});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("standard output"), std::string::npos) << result.err;
  EXPECT_EQ(read_file(rec), before);
}

TEST(Streams, JsonStandsAloneOnStandardOutput) {
  const TempDir dir;
  const std::string photos = make_photos(dir);
  const std::string rec = dir.path("x.rec");
  const std::vector<std::vector<std::string>> calls{
      {"pack", photos + "/train", rec, "--json"},
      {"ls", rec, "--json"},
      {"verify", rec, "--decode", "--json"},
      {"inspect", rec, "--json"},
      {"synth", dir.path("more"), "--images", "2", "--width", "40", "--height", "40", "--json"}};
  for (const auto& call : calls) {
    const ProgramResult result = stoker(call);
    EXPECT_EQ(result.status, 0) << call[0] << result.err;
    const auto lines = json_lines(result.out);
    EXPECT_FALSE(lines.empty()) << call[0];
    for (const auto& line : lines) EXPECT_EQ(line["schema"], "stoker." + call[0] + "/1");
  }
}

TEST(Streams, QuietIsQuiet) {
  const TempDir dir;
  const std::string photos = make_photos(dir) + "/train";
  EXPECT_EQ(stoker({"pack", photos, dir.path("x.rec"), "--quiet"}).err, "");
  EXPECT_NE(stoker({"ls", dir.path("gone.rec"), "--quiet"}).err, "") << "errors are told all the same";
}

TEST(Streams, WorkStopsSoonOnASignal) {
  const TempDir dir;
  const std::string list = make_long_list(dir, 600000);  // seconds of listing, tens of them of decoding
  const RunOptions options{.signal = SIGTERM, .signal_after = std::chrono::milliseconds(500)};
  for (const auto& call : {std::vector<std::string>{"verify", list, "--decode", "--threads", "1"},
                           {"ls", list, "--threads", "1"},
                           {"bench", "decode", list, "--runs", "1000"}}) {
    const ProgramResult result = stoker(call, options);
    EXPECT_EQ(result.status, 130) << call[0] << result.out.substr(0, 200) << result.err;
    EXPECT_LT(result.seconds, sanitized() ? 15.0 : 3.0) << call[0];
  }
}

TEST(Streams, AReaderThatTakesNothingDoesNotHoldAnInterruptedList) {
  const TempDir dir;
  const std::string list = make_long_list(dir, 20000);  // far more than a pipe holds
  RunOptions options{.signal = SIGINT, .signal_after = std::chrono::milliseconds(500)};
  options.read_after_signal = true;
  const ProgramResult result = stoker({"ls", list, "--json"}, options);
  EXPECT_EQ(result.status, 130) << result.err;
  EXPECT_GT(result.out.size(), 1000U);
  EXPECT_LT(result.seconds, 5.0);
}

}  // namespace
}  // namespace stoker::test
