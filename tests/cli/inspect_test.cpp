#include <cmath>
#include <cstdio>
#include <filesystem>
#include <gtest/gtest.h>

#include "cli/stoker_program.hpp"
#include "support/shared_data.hpp"

namespace stoker::test {
namespace {

using Row = std::map<std::string, std::string>;

TEST(Inspect, OneObjectAnImageInTheOrderGiven) {
  const TempDir dir;
  const std::string root = make_photos(dir) + "/train";
  std::vector<std::string> arguments{"inspect", "--json"};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.is_regular_file()) arguments.push_back(entry.path().string());
  }
  const ProgramResult result = stoker(arguments);
  EXPECT_EQ(result.status, 0);
  const auto lines = json_lines(result.out);
  ASSERT_EQ(lines.size(), 8U);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto& line = lines[i];
    EXPECT_EQ(keys_of(line), (std::vector<std::string>{
                                 "components", "height", "kind", "mean_rgb", "orientation", "path", "process",
                                 "reason", "restart_interval", "sampling", "schema", "status", "width"}));
    EXPECT_EQ(line["schema"], "stoker.inspect/1");
    EXPECT_EQ(line["path"], arguments[i + 2]);
    EXPECT_EQ(line["kind"], "jpeg");
    EXPECT_EQ(line["width"], 80);
    EXPECT_EQ(line["height"], 60);
    EXPECT_EQ(line["components"], 3);
    EXPECT_EQ(line["orientation"], 1);
    EXPECT_EQ(line["status"], "ok");
    EXPECT_TRUE(line["reason"].is_null());
    ASSERT_EQ(line["mean_rgb"].size(), 3U);
  }
  arguments.insert(arguments.end(), {"--threads", "5"});
  EXPECT_EQ(stoker(arguments).out, result.out);
}

void expect_means(const nlohmann::json& line, const std::string& told) {
  double r = 0;
  double g = 0;
  double b = 0;
  if (std::sscanf(told.c_str(), "%lf,%lf,%lf", &r, &g, &b) != 3) return;
  ASSERT_TRUE(line["mean_rgb"].is_array()) << line;
  // The manifest's means are libjpeg-turbo's accurate decode; half a level leaves room for another version's
  // rounding.
  EXPECT_NEAR(line["mean_rgb"][0].get<double>(), r, 0.5);
  EXPECT_NEAR(line["mean_rgb"][1].get<double>(), g, 0.5);
  EXPECT_NEAR(line["mean_rgb"][2].get<double>(), b, 0.5);
}

void expect_header(const nlohmann::json& line, const Row& row) {
  const std::string& size = row.at("stored_WxH");
  if (size != "-") {
    EXPECT_EQ(std::to_string(line["width"].get<int>()) + "x" + std::to_string(line["height"].get<int>()),
              size);
  }
  if (row.at("components") != "-") {
    EXPECT_EQ(std::to_string(line["components"].get<int>()), row.at("components"));
  }
  if (row.at("kind") != "jpeg") {
    EXPECT_TRUE(line["process"].is_null());
    EXPECT_TRUE(line["restart_interval"].is_null());
    return;
  }
  if (row.at("sampling") != "-") {
    EXPECT_EQ(line["sampling"], row.at("sampling"));
  }
  // This one gives 4 and 8 by turns, scan by scan: the first counts here, the manifest has the other.
  const bool by_turns = row.at("file") == "progressive-restart-non-interleaved.jpg";
  const std::string interval = by_turns ? "4" : row.at("restart_interval");
  EXPECT_EQ(std::to_string(line["restart_interval"].get<int>()), interval == "-" ? "0" : interval);
  const std::string orientation = row.at("exif_orientation");
  const bool upright = orientation == "-" || orientation.size() != 1 || orientation == "0";
  EXPECT_EQ(std::to_string(line["orientation"].get<int>()), upright ? "1" : orientation);
}

TEST(Inspect, EveryOddImageIsAnsweredAsTheManifestSays) {
  STOKER_NEEDS_DATA(root, "odd-images");
  const auto rows = read_tsv(root + "/MANIFEST.tsv");
  std::vector<std::string> arguments{"inspect", "--json"};
  for (const Row& row : rows) arguments.push_back(root + "/" + row.at("file"));
  const ProgramResult result = stoker(arguments);
  EXPECT_EQ(result.status, 0) << result.err;
  const auto lines = json_lines(result.out);
  ASSERT_EQ(lines.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& line = lines[i];
    SCOPED_TRACE(rows[i].at("file") + ": " + line.dump());
    const std::string expected = rows[i].at("expected").substr(0, rows[i].at("expected").find(';'));
    const std::string status = line["status"];
    if (expected == "decode") {
      EXPECT_EQ(status, "ok");
      expect_header(line, rows[i]);
      expect_means(line, rows[i].at("mean_rgb_islow"));
    } else if (expected == "decode-warn") {
      EXPECT_TRUE(status == "warn" || status == "reject");
      if (status == "warn") expect_means(line, rows[i].at("mean_rgb_islow"));
      EXPECT_FALSE(line["reason"].is_null());
    } else if (expected == "reject") {
      EXPECT_TRUE(status == "reject" || status == "unsupported");
      EXPECT_TRUE(line["mean_rgb"].is_null());
      EXPECT_FALSE(line["reason"].is_null());
    }
  }
  if (!sanitized()) {
    EXPECT_LT(result.peak_rss_bytes, std::uint64_t{1536} << 20);
  }
}

TEST(Inspect, NoOddImageTakesLongOrMuch) {
  STOKER_NEEDS_DATA(root, "odd-images");
  for (const char* name :
       {"size-65535x65535.jpg", "size-193x31423-613-bytes.jpg", "truncated-2544x3300-755-bytes.jpg",
        "fuzz-must-reject-b4103d.jpg", "corrupt-camera-3648x2736.jpg", "png-corrupt-sigsegv.png"}) {
    const ProgramResult result = stoker({"inspect", root + "/" + name}, {.limit = std::chrono::seconds(20)});
    EXPECT_EQ(result.status, 0) << name << result.err;
    if (sanitized()) continue;
    EXPECT_LT(result.seconds, 2.0) << name;
    EXPECT_LT(result.peak_rss_bytes, std::uint64_t{512} << 20) << name;
  }
}

TEST(Inspect, UnknownIsNull) {
  const TempDir dir;
  const std::string text = dir.write("words.jpg", "this is no image at all");
  const auto json = json_of(stoker({"inspect", text, "--json"}));
  EXPECT_EQ(json["status"], "reject");
  for (const char* key : {"kind", "process", "width", "height", "components", "sampling", "restart_interval",
                          "orientation", "mean_rgb"})
    EXPECT_TRUE(json[key].is_null()) << key;
  EXPECT_FALSE(json["reason"].is_null());
}

TEST(Inspect, AFileThatCannotBeReadFailsAndTheOthersAreTold) {
  const TempDir dir;
  const std::string words = dir.write("words.jpg", "no image");
  const ProgramResult result = stoker({"inspect", dir.path("gone.jpg"), words, dir.path(), "--json"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(json_lines(result.out).size(), 1U);
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 2) << result.err;
  EXPECT_NE(result.err.find("gone.jpg"), std::string::npos);
}

TEST(Inspect, MaxPixelsRefuses) {
  const TempDir dir;
  const std::string root = make_photos(dir) + "/train";
  std::string first;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.is_regular_file()) first = entry.path().string();
  }
  EXPECT_EQ(json_of(stoker({"inspect", first, "--json", "--max-pixels", "4800"}))["status"], "ok");
  const auto refused = json_of(stoker({"inspect", first, "--json", "--max-pixels", "4799"}));
  EXPECT_EQ(refused["status"], "reject");
  EXPECT_EQ(refused["width"], 80) << "its header is known all the same";
}

}  // namespace
}  // namespace stoker::test
