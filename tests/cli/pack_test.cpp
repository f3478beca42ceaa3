#include <filesystem>
#include <gtest/gtest.h>
#include <signal.h>

#include "cli/stoker_program.hpp"
#include "support/shared_data.hpp"

namespace stoker::test {
namespace {

using Keys = std::vector<std::string>;

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

TEST(Pack, JsonAccountsForEveryInput) {
  const TempDir dir;
  const std::string photos = make_photos(dir) + "/train";
  const auto first = std::filesystem::directory_iterator(photos)->path();
  dir.write("photos/train/" + first.filename().string() + "/broken.jpg", "no image");
  const std::string rec = dir.path("out/train.rec");
  const auto json = json_of(
      stoker({"pack", photos, rec, "--resize-short", "32", "--max-bad-share", "0.5", "--json", "--quiet"}));
  EXPECT_EQ(
      keys_of(json),
      (Keys{"bytes_in",        "bytes_out",  "changed",       "classes",      "cpu_s",       "dropped_fields",
            "dry_run",         "duplicates", "estimated",     "images_per_s", "index_bytes", "indexed",
            "inputs",          "kept",       "not_indexable", "other_files",  "packed",      "passed_over",
            "repeated_ids",    "schema",     "shards",        "shards_kept",  "skipped",     "skipped_count",
            "waits_for_merge", "wall_s",     "warned_count"}));
  EXPECT_EQ(json["schema"], "stoker.pack/1");
  EXPECT_EQ(json["inputs"], 9);
  EXPECT_EQ(json["packed"], 8);
  EXPECT_EQ(json["skipped_count"], 1);
  ASSERT_EQ(json["skipped"].size(), 1U);
  EXPECT_EQ(keys_of(json["skipped"][0]), (Keys{"key", "reason"}));
  EXPECT_NE(json["skipped"][0]["key"].get<std::string>().find("broken.jpg"), std::string::npos);
  EXPECT_EQ(json["changed"]["resized"], 8);
  EXPECT_EQ(json["classes"].size(), 2U);
  ASSERT_EQ(json["shards"].size(), 1U);
  const auto& shard = json["shards"][0];
  EXPECT_EQ(keys_of(shard), (Keys{"bytes", "crc32c", "path", "records"}));
  EXPECT_EQ(shard["records"], 8);
  EXPECT_EQ(shard["bytes"], std::filesystem::file_size(rec));
  EXPECT_EQ(json["indexed"], 8);
  EXPECT_EQ(json["index_bytes"], std::filesystem::file_size(rec + ".seek"));
  EXPECT_EQ(shard["crc32c"].get<std::string>().size(), 8U);
  EXPECT_EQ(stoker({"verify", rec, "--decode"}).status, 0);
}

TEST(Pack, NoIndexLeavesTheSeekIndex) {
  const TempDir dir;
  const std::string photos = make_photos(dir) + "/train", rec = dir.path("x.rec");
  const ProgramResult with = stoker({"pack", photos, rec});
  EXPECT_NE(with.out.find("seek index: 8 of them indexed, "), std::string::npos) << with.out;
  EXPECT_TRUE(std::filesystem::exists(rec + ".seek"));
  EXPECT_EQ(json_of(stoker({"pack", photos, rec, "--no-index", "--json"}))["index_bytes"], 0);
  EXPECT_FALSE(std::filesystem::exists(rec + ".seek"));
}

TEST(Pack, TheOutputIsTheSameForAnyThreads) {
  const TempDir dir;
  const std::string photos = make_photos(dir, 3, 10) + "/train";
  std::string before;
  for (const char* threads : {"1", "4"}) {
    const std::string rec = dir.path(std::string(threads) + "/x.rec");
    EXPECT_EQ(stoker({"pack", photos, rec, "--resize-short", "40", "--threads", threads}).status, 0);
    const std::string bytes = read_file(rec) + read_file(dir.path(std::string(threads) + "/x.idx"));
    EXPECT_TRUE(before.empty() || bytes == before);
    before = bytes;
  }
}

TEST(Pack, DryRunPredictsAndWritesNothing) {
  const TempDir dir;
  const std::string photos = make_photos(dir) + "/train";
  const auto files = files_in(dir.path());
  const auto json = json_of(stoker({"pack", photos, dir.path("x.rec"), "--dry-run", "--json"}));
  EXPECT_EQ(json["dry_run"], true);
  EXPECT_EQ(json["estimated"], false) << "eight images are all looked at";
  EXPECT_EQ(json["inputs"], 8);
  EXPECT_EQ(json["packed"], 8);
  EXPECT_EQ(files_in(dir.path()), files);
}

TEST(Pack, HiddenFoldersArePassedOverAndTold) {
  const TempDir dir;
  const std::string photos = make_photos(dir) + "/train";
  dir.write("photos/train/.ipynb_checkpoints/a.jpg", "no image");
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--dry-run"}, {}}) {
    std::vector<std::string> call{"pack", photos, dir.path("x.rec")};
    call.insert(call.end(), more.begin(), more.end());
    EXPECT_NE(stoker(call).out.find("passed over .ipynb_checkpoints: "), std::string::npos);
    call.insert(call.end(), {"--json", "--quiet"});
    const auto json = json_of(stoker(call));
    EXPECT_EQ(json["inputs"], 8);
    EXPECT_EQ(json["classes"].size(), 2U);
    EXPECT_EQ(json["passed_over"], nlohmann::json({".ipynb_checkpoints"}));
  }
}

TEST(Pack, FilesThatAreNoSamplesAreTold) {
  const TempDir dir;
  const std::string photos = make_photos(dir) + "/train";
  const std::string folder = std::filesystem::directory_iterator(photos)->path().filename().string();
  for (const char* name : {"a.gif", "b.GIF", "photo", "c.npy", ".DS_Store"})
    dir.write("photos/train/" + folder + "/" + name, "x");
  const ProgramResult told = stoker({"pack", photos, dir.path("x.rec")});
  EXPECT_NE(told.out.find("passed over " + folder + "/a.gif and 1 more .gif files"), std::string::npos)
      << told.out;
  const auto json = json_of(stoker({"pack", photos, dir.path("x.rec"), "--json", "--quiet"}));
  EXPECT_EQ(json["inputs"], 8);
  EXPECT_EQ(json["other_files"],
            nlohmann::json({folder + "/photo", folder + "/a.gif and 1 more .gif files", folder + "/c.npy"}));
}

TEST(Pack, IdsThatStandTwiceInAListAreTold) {
  const TempDir dir;
  const std::string photos = make_photos(dir) + "/train";
  std::string list;
  int id = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(photos))
    if (entry.is_regular_file())
      list += std::to_string(id++ % 6) + "\t0\t" + entry.path().string().substr(photos.size() + 1) + "\n";
  const std::string lst = dir.write("photos/train/x.lst", list);
  const std::vector<std::string> call{"pack", lst, dir.path("x.rec")};
  EXPECT_NE(stoker(call).out.find("2 lines of the list with the id of an earlier line"), std::string::npos);
  EXPECT_EQ(json_of(stoker({"pack", lst, dir.path("x.rec"), "--json", "--quiet"}))["repeated_ids"], 2);
}

TEST(Pack, DryRunOfManyImagesSaysThatItReckons) {
  const TempDir dir;
  const std::string photos = make_photos(dir, 2, 200) + "/train";
  const std::vector<std::string> call{"pack", photos, dir.path("x.rec"), "--dry-run"};
  const ProgramResult told = stoker(call);
  EXPECT_EQ(told.out.rfind("would pack about 320 of 320 images, about 0 skipped\n", 0), 0U) << told.out;
  EXPECT_NE(told.out.find("x.rec: about 320 records, about "), std::string::npos) << told.out;
  EXPECT_EQ(json_of(stoker({"pack", photos, dir.path("x.rec"), "--dry-run", "--json"}))["estimated"], true);
  EXPECT_EQ(stoker({"pack", photos, dir.path("x.rec")}).out.find("about"), std::string::npos);
}

TEST(Pack, ReasonsNameOptionsAsTheCommandLineDoes) {
  const TempDir dir;
  const std::string photos = make_photos(dir) + "/train";
  const std::vector<std::string> call{"pack",         photos, dir.path("x.rec"), "--resize-short", "8",
                                      "--max-pixels", "9"};
  EXPECT_NE(stoker(call).out.find("raise --max-pixels"), std::string::npos);
  std::vector<std::string> raising = call;
  raising.insert(raising.end(), {"--on-error", "raise"});
  const ProgramResult raised = stoker(raising);
  EXPECT_NE(raised.err.find("(--on-error skip)"), std::string::npos) << raised.err;
  EXPECT_NE(raised.err.find("raise --max-pixels"), std::string::npos) << raised.err;
}

TEST(Pack, TooManyBadFailTheWholeAndWriteNoContainer) {
  const TempDir dir;
  const std::string photos = make_photos(dir) + "/train";
  const auto first = std::filesystem::directory_iterator(photos)->path();
  dir.write("photos/train/" + first.filename().string() + "/broken.jpg", "no image");
  const std::string rec = dir.path("x.rec");
  const ProgramResult result = stoker({"pack", photos, rec, "--resize-short", "32", "--json", "--quiet"});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("--max-bad-share"), std::string::npos) << result.err;
  const auto report = json_lines(result.out);
  ASSERT_EQ(report.size(), 1U) << "the report is given all the same";
  EXPECT_EQ(report[0]["skipped_count"], 1);
  EXPECT_FALSE(std::filesystem::exists(rec));
}

TEST(Pack, OnErrorRaiseNamesTheFile) {
  const TempDir dir;
  const std::string photos = make_photos(dir) + "/train";
  const auto first = std::filesystem::directory_iterator(photos)->path();
  dir.write("photos/train/" + first.filename().string() + "/broken.jpg", "no image");
  const ProgramResult result =
      stoker({"pack", photos, dir.path("x.rec"), "--resize-short", "32", "--on-error", "raise"});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("broken.jpg"), std::string::npos) << result.err;
  EXPECT_EQ(files_in(dir.path()), (Keys{"photos"}));
}

TEST(Pack, ASummaryForPeopleIsOnStandardOutput) {
  const TempDir dir;
  const ProgramResult result = stoker({"pack", make_photos(dir) + "/train", dir.path("x.rec")});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out.rfind("packed 8 of 8 images, 0 skipped\n", 0), 0U) << result.out;
  EXPECT_NE(result.out.find("x.rec: 8 records, "), std::string::npos) << result.out;
}

TEST(Pack, ADestinationThatCannotBeWrittenFails) {
  const TempDir dir;
  const std::string photos = make_photos(dir) + "/train";
  for (const std::string& destination :
       {std::string("/proc/nowhere/x.rec"), dir.write("file", "") + "/x.rec"}) {
    const ProgramResult result = stoker({"pack", photos, destination, "--json"});
    EXPECT_EQ(result.status, 1) << destination << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err.rfind("stoker pack: ", 0), 0U) << result.err;
  }
}

class PackStopped : public testing::TestWithParam<int> {};

TEST_P(PackStopped, LeavesNoFileUnderAFinalName) {
  const TempDir dir;
  const std::string photos = make_photos(dir) + "/train";
  std::string photo;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(photos)) {
    if (entry.is_regular_file()) photo = std::filesystem::relative(entry.path(), dir.path()).string();
  }
  std::string lines;  // one photo again and again: long enough to be stopped in the middle
  for (int i = 0; i < 100000; ++i) lines += std::to_string(i) + "\t0\t" + photo + "\n";
  const std::string list = dir.write("long.lst", lines);
  const std::string out = dir.path("out");
  std::filesystem::create_directory(out);
  const RunOptions options{.signal = GetParam(), .signal_after = std::chrono::milliseconds(500)};
  const ProgramResult result =
      stoker({"pack", list, out + "/x.rec", "--quality", "95", "--threads", "1", "--json"}, options);
  ASSERT_EQ(result.status, 130) << result.out << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(files_in(out).empty()) << files_in(out).front();
  EXPECT_LT(result.seconds, 5.0);
}

INSTANTIATE_TEST_SUITE_P(Signals, PackStopped, testing::Values(SIGINT, SIGTERM),
                         [](const auto& one) { return one.param == SIGINT ? "interrupt" : "terminate"; });

TEST(Pack, ClassesFixTheMap) {
  const TempDir dir;
  const std::string photos = make_photos(dir) + "/train";
  std::vector<std::string> names = files_in(photos);
  std::reverse(names.begin(), names.end());
  const std::string map = dir.write("classes.txt", names[0] + "\n" + names[1] + "\n");
  const auto json =
      json_of(stoker({"pack", photos, dir.path("x.rec"), "--classes", map, "--json", "--quiet"}));
  EXPECT_EQ(json["classes"], nlohmann::json(names));
}

}  // namespace
}  // namespace stoker::test
