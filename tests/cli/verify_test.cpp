#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "cli/stoker_program.hpp"
#include "support/shared_data.hpp"

namespace stoker::test {
namespace {

using Keys = std::vector<std::string>;

void overwrite(const std::string& path, std::uint64_t offset, const std::string& bytes) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(offset));
  file << bytes;
  ASSERT_TRUE(file.flush().good());
}

TEST(Verify, AFreshPackIsGood) {
  const TempDir dir;
  const auto json = json_of(stoker({"verify", make_pack(dir), "--decode", "--json"}));
  EXPECT_EQ(keys_of(json), (Keys{"bad", "ok", "records", "schema", "warned"}));
  EXPECT_EQ(json["schema"], "stoker.verify/1");
  EXPECT_EQ(json["records"], 8);
  EXPECT_EQ(json["ok"], 8);
  EXPECT_EQ(json["warned"], 0);
  EXPECT_TRUE(json["bad"].empty());
}

TEST(Verify, EveryForeignContainerIsGood) {
  STOKER_NEEDS_DATA(root, "foreign-records");
  std::size_t containers = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const bool damaged = entry.path().parent_path().filename() == "rec-derived-errors";
    if (entry.path().extension() != ".rec" || damaged) continue;
    ++containers;
    const auto json = json_of(stoker({"verify", entry.path().string(), "--json"}));
    EXPECT_EQ(json["records"], json["ok"]) << entry.path();
  }
  EXPECT_EQ(containers, 11U);
}

struct Damaged {
  const char* name;
  std::uint64_t offset;
  std::uint64_t records;
};
class VerifyDamage : public testing::TestWithParam<Damaged> {};

TEST_P(VerifyDamage, IsNamedWithOffsetAndReason) {
  STOKER_NEEDS_DATA(path, std::string("foreign-records/rec-derived-errors/") + GetParam().name + ".rec");
  const auto json = json_of(stoker({"verify", path, "--json"}), 3);
  EXPECT_EQ(json["records"], GetParam().records);
  ASSERT_EQ(json["bad"].size(), 1U) << json;
  const auto& bad = json["bad"][0];
  EXPECT_EQ(keys_of(bad), (Keys{"container", "key", "offset", "reason"}));
  EXPECT_EQ(bad["container"], path);
  EXPECT_EQ(bad["offset"], GetParam().offset);
  EXPECT_TRUE(bad["key"].is_null());
  EXPECT_GT(bad["reason"].get<std::string>().size(), 10U);
  const ProgramResult text = stoker({"verify", path});
  EXPECT_EQ(text.status, 3);
  EXPECT_NE(text.out.find("at offset " + std::to_string(GetParam().offset) + ": "), std::string::npos)
      << text.out;
}

// 180600: where the table of the undamaged file has its tenth record.
INSTANTIATE_TEST_SUITE_P(Files, VerifyDamage,
                         testing::Values(Damaged{"bad_magic_first", 0, 9},
                                         Damaged{"truncated_in_header", 0, 0},
                                         Damaged{"truncated_in_last_payload", 180600, 9}),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(Verify, AnEmptyContainerIsValid) {
  STOKER_NEEDS_DATA(empty, "foreign-records/rec-derived-errors/empty.rec");
  const auto json = json_of(stoker({"verify", empty, "--json"}));
  EXPECT_EQ(json["records"], 0);
  EXPECT_TRUE(json["bad"].empty());
}

TEST(Verify, DecodeFindsWhatFramingCannot) {
  const TempDir dir;
  const std::string rec = make_pack(dir);
  const auto first = json_lines(stoker({"ls", rec, "--json"}).out).front();
  overwrite(rec, 8 + 24, std::string(64, '\0'));  // the JPEG's first bytes, behind framing and image header
  std::filesystem::remove(dir.path("train.dataset.json"));
  std::filesystem::remove(dir.path("train.rec.index"));
  std::filesystem::remove(rec + ".seek");
  EXPECT_EQ(json_of(stoker({"verify", rec, "--json"}))["ok"], 8) << "framing alone is whole";
  for (const char* threads : {"1", "3"}) {
    const auto json = json_of(stoker({"verify", rec, "--decode", "--json", "--threads", threads}), 3);
    EXPECT_EQ(json["records"], 8);
    EXPECT_EQ(json["ok"], 7);
    ASSERT_EQ(json["bad"].size(), 1U);
    EXPECT_EQ(json["bad"][0]["key"], first["key"]);
    EXPECT_EQ(json["bad"][0]["offset"], 0);
  }
}

TEST(Verify, TheManifestIsHeldAgainstTheData) {
  const TempDir dir;
  const std::string rec = make_pack(dir);
  overwrite(rec, 8 + 24 + 200, "x");  // inside the first JPEG: framing and offsets stay right
  std::filesystem::remove(dir.path("train.rec.index"));  // it would tell that the container changed
  const auto json = json_of(stoker({"verify", rec, "--json"}), 3);
  EXPECT_EQ(json["ok"], 8);
  ASSERT_EQ(json["bad"].size(), 2U) << json;
  EXPECT_EQ(json["bad"][0]["container"], dir.path("train.dataset.json"));
  EXPECT_EQ(json["bad"][1]["container"], rec + ".seek");
}

TEST(Verify, AManifestWithAnotherNumberOfRecordsIsBad) {
  const TempDir dir;
  const std::string rec = make_pack(dir);
  auto manifest = nlohmann::json::parse(read_file(dir.path("train.dataset.json")));
  manifest["shards"][0]["records"] = manifest["records"] = 9;
  dir.write("train.dataset.json", manifest.dump());
  const auto json = json_of(stoker({"verify", rec, "--json"}), 3);
  ASSERT_EQ(json["bad"].size(), 1U) << json;
  EXPECT_NE(json["bad"][0]["reason"].get<std::string>().find("8 records, not 9"), std::string::npos) << json;
}

TEST(Verify, AnIndexThatDisagreesIsBad) {
  const TempDir dir;
  const std::string rec = make_pack(dir);
  dir.write("train.idx", "0\t0\n1\t12\n");
  const auto json = json_of(stoker({"verify", rec, "--json"}), 3);
  ASSERT_GE(json["bad"].size(), 1U);
  EXPECT_EQ(json["bad"][0]["container"], dir.path("train.idx"));
  EXPECT_EQ(json["ok"], 8) << "the records themselves are whole";
}

TEST(Verify, ARawRecordIsNoImageUnlessItLooksLikeOne) {
  STOKER_NEEDS_DATA(magic, "foreign-records/rec-magic/magic.rec");
  EXPECT_EQ(json_of(stoker({"verify", magic, "--decode", "--json"}))["ok"], 16);
}

TEST(Verify, AnEmptyImageAndTextAreBadWhenDecoded) {
  STOKER_NEEDS_DATA(pack, "foreign-records/rec-py-pack/pack.rec");
  const auto json = json_of(stoker({"verify", pack, "--decode", "--json"}), 3);
  EXPECT_EQ(json["records"], 7);
  ASSERT_EQ(json["bad"].size(), 3U) << json;
  EXPECT_NE(json["bad"][0]["reason"].get<std::string>().find("no bytes"), std::string::npos) << json;
}

TEST(Verify, AFolderIsReadFileByFile) {
  const TempDir dir;
  const std::string root = make_photos(dir) + "/train";
  const auto first = std::filesystem::directory_iterator(root)->path();
  const std::string empty = dir.write("photos/train/" + first.filename().string() + "/zero.jpg", "");
  const auto json = json_of(stoker({"verify", root, "--decode", "--json"}), 3);
  EXPECT_EQ(json["records"], 9);
  ASSERT_EQ(json["bad"].size(), 1U);
  EXPECT_TRUE(std::filesystem::equivalent(json["bad"][0]["container"].get<std::string>(), empty));
}

}  // namespace
}  // namespace stoker::test
