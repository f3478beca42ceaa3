#include <filesystem>
#include <gtest/gtest.h>

#include "cli/stoker_program.hpp"

namespace stoker::test {
namespace {

using Keys = std::vector<std::string>;

TEST(Index, TellsWhatItIndexed) {
  const TempDir dir;
  const std::string rec = make_pack(dir);
  const auto json = json_of(stoker({"index", rec, "--json"}));
  EXPECT_EQ(keys_of(json), (Keys{"bytes", "cpu_s", "images_per_s", "index_bytes", "index_files", "indexed",
                                 "not_indexable", "path", "records", "schema", "wall_s"}));
  EXPECT_EQ(json["schema"], "stoker.index/1");
  EXPECT_EQ(json["records"], 8);
  EXPECT_EQ(json["indexed"], 8);
  EXPECT_TRUE(json["not_indexable"].is_object());
  EXPECT_EQ(json["path"], rec + ".seek");
  EXPECT_EQ(json["index_bytes"], std::filesystem::file_size(rec + ".seek"));
  EXPECT_EQ(json_of(stoker({"verify", rec, "--json"}))["ok"], 8);
}

TEST(Index, OfAFolderGoesWhereItIsTold) {
  const TempDir dir;
  const std::string photos = make_photos(dir) + "/train";
  std::filesystem::create_directory(dir.path("indexes"));
  const auto json =
      json_of(stoker({"index", photos, "--index-dir", dir.path("indexes"), "--interval", "16", "--json"}));
  EXPECT_EQ(json["indexed"], 8);
  EXPECT_FALSE(std::filesystem::exists(photos + "/.stoker.seek"));
  EXPECT_EQ(json["path"].get<std::string>().rfind(dir.path("indexes/train-"), 0), 0U);
}

TEST(Index, NamesWhatHasNoPoints) {
  const TempDir dir;
  dir.write("set/a/1.jpg", "no picture");
  const auto json = json_of(stoker({"index", dir.path("set"), "--json"}));
  EXPECT_EQ(json["indexed"], 0);
  EXPECT_EQ(json["not_indexable"]["no JPEG"], 1);
  EXPECT_NE(stoker({"index", dir.path("set")}).out.find("no JPEG: 1"), std::string::npos);
}

TEST(Index, ABrokenOneIsToldByVerify) {
  const TempDir dir;
  const std::string rec = make_pack(dir);
  stoker({"index", rec, "--quiet"});
  std::string index = read_file(rec + ".seek");
  index[70] = static_cast<char>(index[70] ^ 1);
  dir.write(std::filesystem::path(rec + ".seek").lexically_relative(dir.path()).string(), index);
  const auto json = json_of(stoker({"verify", rec, "--json"}), 3);
  ASSERT_EQ(json["bad"].size(), 1U);
  EXPECT_EQ(json["bad"][0]["container"], rec + ".seek");
}

TEST(Index, RefusesAnIntervalOfNothing) {
  const TempDir dir;
  EXPECT_EQ(stoker({"index", dir.path(), "--interval", "0"}).status, 2);
  EXPECT_EQ(stoker({"index", dir.path(), "--interval", "65"}).status, 2);
}

}  // namespace
}  // namespace stoker::test
