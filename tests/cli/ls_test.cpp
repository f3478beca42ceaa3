#include <filesystem>
#include <gtest/gtest.h>
#include <sstream>

#include "cli/stoker_program.hpp"
#include "support/shared_data.hpp"

namespace stoker::test {
namespace {

std::vector<double> numbers(const std::string& text) {
  std::vector<double> values;
  std::istringstream stream(text);
  for (std::string cell; std::getline(stream, cell, ',');) values.push_back(std::stod(cell));
  return values;
}

// Holds one line of `ls --json` against the row that the original reader's table has for it.
void expect_equal(const nlohmann::json& line, const std::map<std::string, std::string>& row,
                  const std::string& container) {
  EXPECT_EQ(line["schema"], "stoker.ls/1");
  EXPECT_EQ(std::to_string(line["index"].get<std::uint64_t>()), row.at("n"));
  EXPECT_EQ(line["container"], container);
  EXPECT_EQ(std::to_string(line["offset"].get<std::uint64_t>()), row.at("offset"));
  const bool raw = row.count("record_crc32") > 0;
  EXPECT_EQ(line["crc32"], row.at(raw ? "record_crc32" : "payload_crc32"));
  EXPECT_EQ(line["fields"].size(), 1U);
  EXPECT_EQ(std::to_string(line["fields"].at(raw ? "data" : "image").get<std::uint64_t>()),
            row.at(raw ? "record_len" : "payload_len"));
  if (raw) {
    EXPECT_TRUE(line["labels"].empty());
    return;
  }
  EXPECT_EQ(line["key"], row.at("id"));
  const auto expected = numbers(row.at("labels"));
  ASSERT_EQ(line["labels"].size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(line["labels"][i].get<double>(), expected[i], 1e-5 * std::max(1.0, std::abs(expected[i])));
}

TEST(Ls, EqualsTheOriginalReadersOnEveryForeignContainer) {
  STOKER_NEEDS_DATA(root, "foreign-records");
  std::size_t containers = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    std::filesystem::path table = entry.path();
    table.replace_extension(".expected.tsv");
    if (entry.path().extension() != ".rec" || !std::filesystem::exists(table)) continue;
    ++containers;
    const TempDir cache;
    const ProgramResult result =
        stoker({"ls", entry.path().string(), "--json"}, {.environment = {{"XDG_CACHE_HOME", cache.path()}}});
    EXPECT_EQ(result.status, 0) << result.err;
    const auto lines = json_lines(result.out);
    const auto rows = read_tsv(table.string());
    ASSERT_EQ(lines.size(), rows.size()) << entry.path();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      SCOPED_TRACE(entry.path().string() + " record " + std::to_string(i));
      expect_equal(lines[i], rows[i], entry.path().string());
    }
  }
  EXPECT_EQ(containers, 11U);
}

TEST(Ls, AnEmptyContainerHasNoLines) {
  STOKER_NEEDS_DATA(empty, "foreign-records/rec-derived-errors/empty.rec");
  const ProgramResult result = stoker({"ls", empty, "--json"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out + result.err, "");
}

TEST(Ls, ShowsWhatCanBeReadAndTellsTheDamage) {
  STOKER_NEEDS_DATA(cut, "foreign-records/rec-derived-errors/truncated_in_last_payload.rec");
  const ProgramResult result = stoker({"ls", cut, "--json"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(json_lines(result.out).size(), 9U);
  EXPECT_EQ(result.err.rfind("stoker ls: " + cut + " at offset ", 0), 0U) << result.err;
}

TEST(Ls, IsTheSameForAnyThreads) {
  const TempDir dir;
  const std::string rec = make_pack(dir, 3, 20);
  const std::string one = stoker({"ls", rec, "--threads", "1"}).out;
  EXPECT_EQ(stoker({"ls", rec, "--threads", "7"}).out, one);
  EXPECT_EQ(stoker({"ls", rec}).out, one);
  EXPECT_EQ(std::count(one.begin(), one.end(), '\n'), 1 + 3 * 16);
}

TEST(Ls, AFolderListsItsFilesByKey) {
  const TempDir dir;
  const std::string root = make_photos(dir) + "/train";
  const auto lines = json_lines(stoker({"ls", root, "--json"}).out);
  ASSERT_EQ(lines.size(), 8U);
  std::vector<std::string> keys;
  for (const auto& line : lines) {
    keys.push_back(line["key"]);
    const std::filesystem::path file = std::filesystem::path(root) / keys.back();
    EXPECT_TRUE(std::filesystem::equivalent(line["container"].get<std::string>(), file));
    EXPECT_EQ(line["offset"], 0);
    EXPECT_EQ(line["fields"]["image"], std::filesystem::file_size(file));
    EXPECT_EQ(line["labels"].size(), 1U);
  }
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
  EXPECT_EQ(lines.front()["labels"][0], 0.0);
  EXPECT_EQ(lines.back()["labels"][0], 1.0);
}

TEST(Ls, ATextLineStaysOneLineWhateverTheNameHolds) {
  const TempDir dir;
  const std::string root = make_photos(dir) + "/train";
  const auto first = std::filesystem::directory_iterator(root)->path();
  dir.write("photos/train/" + first.filename().string() + "/new\nline.jpg", "no image");
  const ProgramResult result = stoker({"ls", root});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 1 + 9);
  EXPECT_NE(result.out.find("new\\x0aline.jpg"), std::string::npos);
}

TEST(Ls, ASourceThatIsNotThereFails) {
  const ProgramResult result = stoker({"ls", "/nowhere/at/all.rec", "--json"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_NE(result.err.find("/nowhere/at/all.rec"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace stoker::test
