// Which description belongs to which container.
#include "record/manifest_finder.hpp"

#include "record/record_fixture.hpp"

namespace stoker::record {
namespace {

class ManifestFinderTest : public testing::Test {
 protected:
  void describe(const std::string& path, std::vector<std::string> shards) {
    DatasetManifest manifest;
    for (std::string& shard : shards) manifest.shards.push_back({std::move(shard), 1, 2, 3});
    manifest.records = manifest.shards.size();
    manifest.bytes = 2 * manifest.shards.size();
    write_manifest(*store_, folder_.path(path), manifest);
  }
  std::string found(const std::string& container) {
    const auto manifest = finder_.find(folder_.path(container));
    return manifest ? manifest->path().substr(folder_.path().size() + 1) : "none";
  }

  test::TempDir folder_;
  const std::shared_ptr<Store> store_ = open_store(".");
  ManifestFinder finder_{*store_};
};

TEST_F(ManifestFinderTest, OwnDescriptionComesFirst) {
  describe("x.dataset.json", {"x-00001.rec"});
  describe("x-00001.dataset.json", {"x-00001.rec"});
  EXPECT_EQ(found("x.rec"), "x.dataset.json");
  EXPECT_EQ(found("x-00001.rec"), "x-00001.dataset.json");
}

TEST_F(ManifestFinderTest, ShardsFindTheirSetsDescriptionInTheFoldersAbove) {
  describe("x.dataset.json", {"x-00000.rec", "00/x-00001.rec", "00/01/x-00002.rec"});
  EXPECT_EQ(found("x-00000.rec"), "x.dataset.json");
  EXPECT_EQ(found("00/x-00001.rec"), "x.dataset.json");
  EXPECT_EQ(found("00/01/x-00002.rec"), "x.dataset.json");
  EXPECT_EQ(found("x-00007.rec"), "none");     // not one of its shards
  EXPECT_EQ(found("01/x-00001.rec"), "none");  // nor is this
  EXPECT_EQ(found("y-00000.rec"), "none");
}

TEST_F(ManifestFinderTest, CountsOfTensorFlowsNames) {
  describe("t.dataset.json", {"t.tfrecord-00000-of-00002", "t-00001-of-00002.tfrecord"});
  EXPECT_EQ(found("t.tfrecord-00000-of-00002"), "t.dataset.json");
  EXPECT_EQ(found("t-00001-of-00002.tfrecord"), "t.dataset.json");
}

TEST_F(ManifestFinderTest, KnowsItsShardsByPath) {
  describe("x.dataset.json", {"00/x-00001.rec"});
  const auto manifest = finder_.find(folder_.path("00/x-00001.rec"));
  ASSERT_TRUE(manifest);
  ASSERT_NE(manifest->shard_at(folder_.path("00/x-00001.rec")), nullptr);
  EXPECT_EQ(manifest->shard_at(folder_.path("00/x-00001.rec"))->bytes, 2u);
  EXPECT_EQ(manifest->shard_at(folder_.path("x-00001.rec")), nullptr);
}

TEST_F(ManifestFinderTest, BrokenDescriptionIsAnError) {
  folder_.write("x.dataset.json", "{");
  EXPECT_TRUE(says(error_of([&] { found("x.rec"); }), ErrorCode::corrupt_data, {"x.dataset.json"}));
}

}  // namespace
}  // namespace stoker::record
