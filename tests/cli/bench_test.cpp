// The bench verbs on small data: what they print. What they measure is the bench's own business.
#include <filesystem>
#include <gtest/gtest.h>

#include "cli/stoker_program.hpp"

namespace stoker::test {
namespace {

using Keys = std::vector<std::string>;

void expect_spread(const nlohmann::json& spread) {
  ASSERT_EQ(keys_of(spread), (Keys{"max", "median", "min"}));
  EXPECT_LE(spread["min"], spread["median"]);
  EXPECT_LE(spread["median"], spread["max"]);
  EXPECT_GT(spread["min"], 0.0);
}

TEST(BenchDecode, Json) {
  const TempDir dir;
  const auto json =
      json_of(stoker({"bench", "decode", make_pack(dir, 2, 10), "--runs", "2", "--limit", "8", "--json"}));
  EXPECT_EQ(json["schema"], "stoker.bench.decode/1");
  EXPECT_EQ(json["images"], 8);
  EXPECT_EQ(json["runs"], 2);
  ASSERT_GE(json["rows"].size(), 3U);
  std::vector<std::string> baselines;
  for (const auto& row : json["rows"]) {
    EXPECT_EQ(keys_of(row),
              (Keys{"baseline", "error", "exact", "images_per_s", "name", "ratio_to_turbo", "turbo_images"}));
    expect_spread(row["images_per_s"]);
    expect_spread(row["ratio_to_turbo"]);
    EXPECT_TRUE(row["exact"].is_boolean());
    if (row["exact"]) {
      EXPECT_TRUE(row["error"].is_null());
    } else {
      EXPECT_EQ(keys_of(row["error"]), (Keys{"max", "mean", "psnr_db", "worst_key", "worst_psnr_db"}));
    }
    baselines.push_back(row["baseline"]);
  }
  EXPECT_NE(std::find(baselines.begin(), baselines.end(), "turbo_full"), baselines.end());
  EXPECT_NE(std::find(baselines.begin(), baselines.end(), "turbo_full_resize"), baselines.end());
}

TEST(BenchDecode, ChoosesRoutesFormAndSource) {
  const TempDir dir;
  const std::string pack = make_pack(dir, 2, 10);
  const auto made = json_of(
      stoker({"bench", "decode", pack, "--runs", "1", "--as", "444", "--routes", "stoker_index", "--json"}));
  EXPECT_EQ(made["as"], "444");
  EXPECT_EQ(made["from"], "memory");
  ASSERT_EQ(made["rows"].size(), 2U);
  EXPECT_EQ(made["rows"][0]["name"], "turbo_full");
  EXPECT_EQ(made["rows"][1]["name"], "stoker_index");
  EXPECT_EQ(keys_of(made["machine"]),
            (Keys{"compiler", "cpus", "date", "instructions", "processor", "turbo_version"}));
  const auto cold = json_of(
      stoker({"bench", "decode", pack, "--runs", "1", "--from", "cold", "--routes", "stoker_rrc", "--json"}));
  EXPECT_EQ(cold["from"], "cold");
  EXPECT_EQ(cold["rows"].size(), 3U);

  const ProgramResult unknown = stoker({"bench", "decode", pack, "--routes", "stoker_rcc"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.err.find("stoker_rrc"), std::string::npos) << unknown.err;
  const ProgramResult neither = stoker({"bench", "decode", pack, "--as", "420", "--from", "cold"});
  EXPECT_EQ(neither.status, 2);
  EXPECT_NE(neither.err.find("--from"), std::string::npos) << neither.err;
}

TEST(BenchDecode, WritesAPictureOrNothing) {
  const TempDir dir;
  const std::string pack = make_pack(dir), picture = dir.path("out/decode.html");
  const ProgramResult good =
      stoker({"bench", "decode", pack, "--runs", "1", "--html", picture, "--routes", "stoker_full"});
  EXPECT_EQ(good.status, 0) << good.err;
  EXPECT_EQ(good.out.rfind("route ", 0), 0U) << good.out;
  const std::string page = read_file(picture);
  EXPECT_EQ(page.rfind("<!DOCTYPE html>", 0), 0U);
  EXPECT_NE(page.find("stoker_full"), std::string::npos);

  const std::string other = dir.path("out/none.html");
  EXPECT_EQ(stoker({"bench", "decode", dir.path("nothing"), "--html", other}).status, 1);
  EXPECT_FALSE(std::filesystem::exists(other));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir.path("out")), {}), 1) << "leftovers";
}

TEST(BenchLoad, Json) {
  const TempDir dir;
  const auto json = json_of(stoker({"bench", "load", make_pack(dir, 2, 20), "--threads", "1,auto",
                                    "--seconds", "100ms", "--rounds", "1", "--batch-size", "8", "--epochs",
                                    "0", "--recipe", "random_resized_crop(32) flip", "--json", "--quiet"}));
  EXPECT_EQ(json["schema"], "stoker.bench.load/1");
  ASSERT_EQ(json["rows"].size(), 2U);
  for (const auto& row : json["rows"]) {
    for (const char* key :
         {"images_per_s", "images_per_cpu_s", "ratio_to_turbo_per_core", "peak_rss_mib", "tuned_threads"}) {
      ASSERT_TRUE(row.contains(key)) << key;
      EXPECT_TRUE(row[key].is_number()) << key;
      EXPECT_GT(row[key], 0) << key;
    }
  }
  EXPECT_EQ(keys_of(json["cost"]),
            (Keys{"batch_sizes", "images", "plain_us_per_image", "threads", "us_per_batch", "us_per_image"}));
  EXPECT_GT(json["cost"]["images"], 0);
  EXPECT_EQ(json["rows"][0]["threads"], 1);
  EXPECT_EQ(json["rows"][1]["threads"], "auto");
  EXPECT_EQ(keys_of(json["decoded"]), (Keys{"learned", "other", "own", "points_failed", "seek", "turbo"}));
  EXPECT_GT(json["decoded"]["seek"], 0) << "the pack has its index";
  EXPECT_EQ(json["decoded"]["learned"], 0);
}

TEST(BenchLoad, LearnsSeekPointsOnRequest) {
  const TempDir dir;
  const std::string photos = make_photos(dir, 2, 20) + "/train";
  const auto load = [&](const char* learn) {
    return stoker({"bench",     "load",     photos,
                   "--threads", "1",        "--seconds",
                   "50ms",      "--rounds", "2",
                   "--epochs",  "0",        "--cost-turns",
                   "0",         "--recipe", "random_resized_crop(32) flip",
                   "--learn",   learn,      "--check-bytes",
                   "always",    "--quiet"});
  };
  EXPECT_EQ(load("off").out.find("seek points"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(photos + "/.stoker.seek"));
  const ProgramResult learned = load("full");
  EXPECT_NE(learned.out.find("learned points are in " + photos + "/.stoker.seek"), std::string::npos)
      << learned.out << learned.err;
  EXPECT_TRUE(std::filesystem::exists(photos + "/.stoker.seek"));
  EXPECT_EQ(load("half").status, 2);
}

TEST(BenchPack, JsonAndNothingLeft) {
  const TempDir dir;
  const std::string photos = make_photos(dir) + "/train";
  std::filesystem::create_directory(dir.path("work"));
  const auto json = json_of(stoker({"bench", "pack", photos, "--runs", "1", "--resize-short", "32",
                                    "--work-dir", dir.path("work"), "--json"}));
  EXPECT_EQ(json["schema"], "stoker.bench.pack/1");
  EXPECT_EQ(json["images"], 8);
  ASSERT_EQ(json["rows"].size(), 7U);
  for (const auto& row : json["rows"]) {
    expect_spread(row["images_per_cpu_s"]);
    expect_spread(row["ratio_to_turbo"]);
  }
  EXPECT_TRUE(std::filesystem::is_empty(dir.path("work")));
}

TEST(BenchStart, Json) {
  const auto good =
      json_of(stoker({"bench", "start", "--records", "2K", "--runs", "2", "--batch-size", "4", "--json"}));
  EXPECT_EQ(good["schema"], "stoker.bench.start/1");
  EXPECT_EQ(good["records"], 2000);
  expect_spread(good["open_s"]);
  expect_spread(good["first_batch_s"]);
}

TEST(Bench, TablesForPeople) {
  const TempDir dir;
  const std::string pack = make_pack(dir);
  const std::vector<std::pair<std::string, std::vector<std::string>>> verbs{
      {"route", {"bench", "decode", pack, "--runs", "1"}},
      {"threads",
       {"bench", "load", pack, "--seconds", "10ms", "--rounds", "1", "--epochs", "0", "--cost-turns", "0"}},
      {"pack", {"bench", "pack", pack, "--runs", "1", "--work-dir", dir.path("work")}},
      {"until", {"bench", "start", "--records", "2K", "--runs", "1"}}};
  for (const auto& [first_word, arguments] : verbs) {
    const ProgramResult result = stoker(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.out.rfind(first_word + " ", 0), 0U) << result.out;
    EXPECT_EQ(result.out.find('{'), std::string::npos) << result.out;
  }
}

// Words about the run go to standard error, whether they are a bar's runs or a note before each part.
TEST(Bench, TalkIsNotOutput) {
  const TempDir dir;
  const ProgramResult load = stoker({"bench", "load", make_pack(dir), "--seconds", "10ms", "--rounds", "1",
                                     "--epochs", "0", "--cost-turns", "0", "--json"});
  EXPECT_EQ(load.status, 0) << load.err;
  EXPECT_EQ(load.err, "round 1 of 1\n");
  EXPECT_EQ(load.out.find('{'), 0U) << load.out;
  EXPECT_EQ(load.out.find('\n'), load.out.size() - 1);
}

}  // namespace
}  // namespace stoker::test
