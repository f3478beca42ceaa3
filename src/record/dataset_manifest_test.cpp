#include "record/dataset_manifest.hpp"

#include <fmt/format.h>

#include "record/record_fixture.hpp"
#include "store/faulty_store.hpp"

namespace stoker::record {
namespace {

DatasetManifest sample_manifest() {
  DatasetManifest manifest;
  manifest.classes = {"daisy", "r\xC3\xB4ses \"x\""};
  manifest.records = ~std::uint64_t{0};  // 64 bits go through
  manifest.bytes = 1 << 20;
  manifest.skipped = 2;
  manifest.shards = {{"x.rec", ~std::uint64_t{0} - 3, 1 << 19, 0xffffffff}, {"y/x.rec", 3, 1 << 19, 0}};
  manifest.list = "x.lst";
  manifest.options = {{"quality", "90"}, {"encode", "keep"}};
  manifest.source = {12, 1 << 21, 7};
  return manifest;
}

Error error_in(std::string_view json) {
  const auto manifest = manifest_from_json(json, "data/x.dataset.json");
  return manifest ? Error(ErrorCode::internal, {.found = "it was taken"}) : manifest.error();
}

TEST(DatasetManifest, ReadsWhatItWrote) {
  const auto json = manifest_to_json(sample_manifest());
  ASSERT_TRUE(json);
  EXPECT_THAT(*json, testing::EndsWith("}\n"));
  const auto manifest = manifest_from_json(*json, "x");
  ASSERT_TRUE(manifest) << manifest.error().what();
  EXPECT_EQ(*manifest, sample_manifest());
}

TEST(DatasetManifest, UnknownKeysArePassedOverAndMissingOnesHaveDefaults) {
  const auto manifest = manifest_from_json(
      R"({"schema": "stoker.dataset/1", "later": {"a": [1]}, "options": {"quality": 90, "enlarge": false, "q": null}})",
      "x");
  ASSERT_TRUE(manifest) << manifest.error().what();
  EXPECT_TRUE(manifest->classes.empty());
  EXPECT_EQ(manifest->options.at("quality"), "90");
  EXPECT_EQ(manifest->options.at("enlarge"), "false");
  EXPECT_EQ(manifest->options.at("q"), "null");
}

TEST(DatasetManifest, DamageNamesTheFileAndThePlace) {
  const ErrorCode corrupt = ErrorCode::corrupt_data;
  const std::string begin = R"({"schema": "stoker.dataset/1", )";
  EXPECT_TRUE(says(error_in(""), corrupt, {"data/x.dataset.json", "no JSON", "pack the data set again"}));
  EXPECT_TRUE(says(error_in("[1]"), corrupt, {"no object"}));
  EXPECT_TRUE(says(error_in("{}"), corrupt, {"no schema"}));
  EXPECT_TRUE(says(error_in(R"({"schema": 1})"), corrupt, {"no schema"}));
  EXPECT_TRUE(
      says(error_in(R"({"schema": "stoker.dataset/2"})"), ErrorCode::unsupported, {"stoker.dataset/2"}));
  EXPECT_TRUE(says(error_in(begin + R"("classes": "a"})"), corrupt, {"'classes' is not an array"}));
  EXPECT_TRUE(says(error_in(begin + R"("classes": ["a", 1]})"), corrupt, {"'classes[1]' is not text"}));
  EXPECT_TRUE(says(error_in(begin + R"("classes": ["a", "a"]})"), corrupt, {"'a' twice"}));
  EXPECT_TRUE(says(error_in(begin + R"("records": -1})"), corrupt, {"'records' is not a whole number"}));
  EXPECT_TRUE(says(error_in(begin + R"("records": 1.5})"), corrupt, {"'records'"}));
  EXPECT_TRUE(
      says(error_in(begin + R"("shards": [{"crc32c": 4294967296}]})"), corrupt, {"'shards[0].crc32c'"}));
  EXPECT_TRUE(says(error_in(begin + R"("shards": [{}, 7]})"), corrupt, {"'shards[1]' is not an object"}));
  EXPECT_TRUE(says(error_in(begin + R"("options": {"a": [1]}})"), corrupt, {"'options.a'"}));
  EXPECT_TRUE(says(error_in(begin + R"("source": 7})"), corrupt, {"'source'"}));
  EXPECT_TRUE(says(error_in(begin + R"("source": {"bytes": "x"}})"), corrupt, {"'source.bytes'"}));
}

TEST(DatasetManifest, ContradictionsAreDamage) {
  const auto of = [](std::string_view rest) {
    return error_in(fmt::format(R"({{"schema": "stoker.dataset/1", {}}})", rest));
  };
  const std::string shards =
      R"("shards": [{"path": "a.rec", "records": 2, "bytes": 20}, {"path": "b.rec", "records": 3, "bytes": 30}])";
  EXPECT_TRUE(manifest_from_json(
      fmt::format(R"({{"schema": "stoker.dataset/1", "records": 5, "bytes": 50, {}}})", shards), "x"));
  const ErrorCode corrupt = ErrorCode::corrupt_data;
  EXPECT_TRUE(
      says(of(R"("records": 4, )" + shards), corrupt, {"'records' is not 5, the sum of its 2 shards"}));
  EXPECT_TRUE(says(of(R"("bytes": 51, )" + shards), corrupt, {"'bytes' is not 50"}));
  EXPECT_TRUE(says(of(R"("shards": [{"path": "a.rec"}, {"path": "a.rec"}])"), corrupt, {"'a.rec' twice"}));
  for (const char* path : {"/etc/passwd", "../a.rec", "a/../../b.rec", ".."})
    EXPECT_TRUE(says(of(fmt::format(R"("shards": [{{"path": "{}"}}])", path)), corrupt,
                     {"'shards[0].path' is not the path of a file below the folder"}))
        << path;
  EXPECT_TRUE(says(of(R"("list": "../x.lst")"), corrupt, {"'list'"}));
}

TEST(DatasetManifest, DeepNestingDoesNotExhaustTheStack) {
  EXPECT_EQ(error_in(std::string(1'000'000, '[')).code(), ErrorCode::corrupt_data);
  EXPECT_EQ(error_in(std::string(1'000'000, '[') + std::string(1'000'000, ']')).code(),
            ErrorCode::corrupt_data);
}

TEST(DatasetManifest, NamesThatAreNotUtf8AreRefusedNotChanged) {
  DatasetManifest manifest;
  manifest.classes = {"\xff"};
  const auto json = manifest_to_json(manifest);
  ASSERT_FALSE(json);
  EXPECT_TRUE(says(json.error(), ErrorCode::invalid_argument, {"UTF-8"}));
}

TEST(DatasetManifest, StandsBesideItsContainer) {
  EXPECT_EQ(manifest_path("a.b/x.rec"), "a.b/x.dataset.json");
  EXPECT_EQ(manifest_path("a.b/x"), "a.b/x.dataset.json");
  EXPECT_EQ(manifest_path("x.y.rec"), "x.y.dataset.json");
  const test::TempDir folder;
  const auto store = open_store(".");
  EXPECT_FALSE(read_manifest(*store, folder.path("x.rec")));
  write_manifest(*store, folder.path("x.dataset.json"), sample_manifest());
  EXPECT_EQ(read_manifest(*store, folder.path("x.rec")), sample_manifest());
  folder.write("x.dataset.json", "{");
  EXPECT_TRUE(says(error_of([&] { read_manifest(*store, folder.path("x.rec")); }), ErrorCode::corrupt_data,
                   {folder.path("x.dataset.json")}));
}

}  // namespace
}  // namespace stoker::record
