// What the texts of sources name.
#include "record/source_paths.hpp"

#include <filesystem>

#include "record/record_fixture.hpp"

namespace stoker::record {
namespace {

using Kind = SourcePaths::Kind;
using testing::ElementsAre;

class SourcePathsTest : public testing::Test {
 protected:
  SourcePaths find(const std::string& source) { return find_source_paths(*store_, folder_.path(source)); }
  std::vector<std::string> files(const std::string& source) { return relative(find(source)); }
  std::vector<std::string> relative(const SourcePaths& paths) {
    std::vector<std::string> all;
    for (const std::string& file : paths.files) all.push_back(file.substr(folder_.path().size() + 1));
    return all;
  }
  Error refusal(const std::string& source) {
    return error_of([&] { find(source); });
  }
  void touch(std::initializer_list<const char*> names) {
    for (const char* name : names) folder_.write(name, "x");
  }
  void describe(const std::string& path, std::vector<std::string> shards) {
    DatasetManifest manifest;
    for (std::string& shard : shards) manifest.shards.push_back({std::move(shard), 1, 2, 3});
    manifest.records = manifest.shards.size();
    manifest.bytes = 2 * manifest.shards.size();
    write_manifest(*store_, folder_.path(path), manifest);
  }

  test::TempDir folder_;
  const std::shared_ptr<Store> store_ = open_store(".");
};

TEST_F(SourcePathsTest, FilesAndFoldersThatExistAreTakenAsTheyAre) {
  touch({"x.rec", "{0..1}.rec", "photos/a/1.jpg", "notes*.txt"});
  EXPECT_EQ(find("x.rec").kind, Kind::file);
  EXPECT_THAT(files("{0..1}.rec"), ElementsAre("{0..1}.rec"));
  EXPECT_THAT(files("notes*.txt"), ElementsAre("notes*.txt"));
  EXPECT_EQ(find("photos").kind, Kind::folder);
  EXPECT_EQ(find("photos/").name, folder_.path("photos"));
  EXPECT_TRUE(says(refusal("absent.rec"), ErrorCode::not_found, {"absent.rec"}));
}

TEST_F(SourcePathsTest, BracesNameShardsInTheirOrder) {
  touch({"s/0008.tar", "s/0009.tar", "s/0010.tar"});
  EXPECT_THAT(files("s/{0008..0010}.tar"), ElementsAre("s/0008.tar", "s/0009.tar", "s/0010.tar"));
  EXPECT_THAT(files("s/{0010,0008}.tar"), ElementsAre("s/0010.tar", "s/0008.tar"));
  EXPECT_EQ(find("s/{0008..0010}.tar").kind, Kind::shards);
  EXPECT_EQ(find("s/{0008..0008}.tar").kind, Kind::file);
}

TEST_F(SourcePathsTest, MissingNumbersAreNamed) {
  touch({"s/0.tar", "s/3.tar"});
  EXPECT_TRUE(says(refusal("s/{0..9}.tar"), ErrorCode::not_found,
                   {"8 of the 10 files are missing", "s/1.tar", "s/2.tar", "s/4.tar", "…"}));
  EXPECT_TRUE(says(refusal("s/{0..999999999}.tar"), ErrorCode::invalid_argument, {"at most"}));
  EXPECT_TRUE(says(refusal("s/{0,0}.tar"), ErrorCode::invalid_argument, {"0.tar' twice"}));
  const std::string long_list = "s/{" + std::string(5000, 'x') + ",0}.tar";
  EXPECT_NE(refusal(long_list).code(), ErrorCode::internal);
}

TEST_F(SourcePathsTest, WildcardsFindFilesByCodePoint) {
  touch({"s/b.tar", "s/a.tar", "s/B.tar", "s/a.tar.index", "s/.hidden.tar", "s/x.rec", "t/1/z.tar",
         "t/2/y.tar"});
  EXPECT_THAT(files("s/*.tar"), ElementsAre("s/B.tar", "s/a.tar", "s/b.tar"));
  EXPECT_THAT(files("s/?.tar*"), ElementsAre("s/B.tar", "s/a.tar", "s/b.tar"));
  EXPECT_THAT(files("t/*/*.tar"), ElementsAre("t/1/z.tar", "t/2/y.tar"));
  EXPECT_THAT(files("t/{2,1}/*.tar"), ElementsAre("t/2/y.tar", "t/1/z.tar"));
  EXPECT_TRUE(
      says(refusal("s/*.tfrecord"), ErrorCode::not_found, {"matches no container file", "s/*.tfrecord"}));
  EXPECT_TRUE(says(refusal("t/*"), ErrorCode::not_found, {"matches folders alone"}));
}

TEST_F(SourcePathsTest, RelativeWildcardsAreLookedForInTheWorkingFolder) {
  touch({"a.rec", "b.rec"});
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  EXPECT_THAT(find_source_paths(*store_, "*.rec").files, ElementsAre("a.rec", "b.rec"));
  std::filesystem::current_path(before);
}

TEST_F(SourcePathsTest, FoldersOfContainersOfOneFormat) {
  touch({"tars/b.tar", "tars/a.tar", "tars/a.tar.index", "tars/a.lst", "tars/.x.tmp", "tars/notes.txt"});
  EXPECT_THAT(files("tars"), ElementsAre("tars/a.tar", "tars/b.tar"));
  EXPECT_EQ(find("tars").kind, Kind::shards);
  touch({"imagenet/train-00001-of-00002", "imagenet/train-00000-of-00002"});
  EXPECT_THAT(files("imagenet"),
              ElementsAre("imagenet/train-00000-of-00002", "imagenet/train-00001-of-00002"));
  touch({"one/x.rec", "one/x.idx"});
  EXPECT_EQ(find("one").kind, Kind::file);
}

TEST_F(SourcePathsTest, MixturesAreRefusedByName) {
  touch({"mixed/a.rec", "mixed/b.tar", "stranger/a.rec", "stranger/photo.jpg"});
  EXPECT_TRUE(says(refusal("mixed"), ErrorCode::invalid_argument,
                   {"a.rec (recordio) beside b.tar (tar)", "one format"}));
  EXPECT_TRUE(says(refusal("stranger"), ErrorCode::invalid_argument, {"'photo.jpg' beside a.rec"}));
  touch({"both/a.rec", "both/class/1.jpg", "photos/1.jpg"});
  EXPECT_EQ(find("both").kind, Kind::folder);    // class folders, as torchvision has them
  EXPECT_EQ(find("photos").kind, Kind::folder);  // its reader says what is wrong
}

TEST_F(SourcePathsTest, PackedSetsByTheirDescription) {
  touch({"p/x-00000.rec", "p/00/x-00001.rec", "p/x.lst"});
  describe("p/x.dataset.json", {"x-00000.rec", "00/x-00001.rec"});
  for (const char* source : {"p/x.dataset.json", "p/x.rec", "p"}) {
    EXPECT_THAT(files(source), ElementsAre("p/x-00000.rec", "p/00/x-00001.rec")) << source;
    ASSERT_TRUE(find(source).manifest) << source;
  }
  touch({"p/x.rec"});
  EXPECT_THAT(files("p/x.rec"), ElementsAre("p/x.rec"));  // what is there is meant
}

TEST_F(SourcePathsTest, PackedSetsThatAreAmbiguousOrBrokenAreErrors) {
  describe("two/a.dataset.json", {"a.rec"});
  describe("two/b.dataset.json", {"b.rec"});
  EXPECT_TRUE(says(refusal("two"), ErrorCode::invalid_argument, {"2 packed sets", "a.dataset.json"}));
  describe("out/x.dataset.json", {"../x.rec"});
  EXPECT_TRUE(says(refusal("out"), ErrorCode::corrupt_data, {"'../x.rec'", "below the folder"}));
  describe("none/x.dataset.json", {});
  EXPECT_TRUE(says(refusal("none"), ErrorCode::corrupt_data, {"no shards"}));
  // Class folders stay what they are, whatever was packed from them lies among them.
  touch({"photos/a/1.jpg", "photos/x.rec"});
  describe("photos/x.dataset.json", {"x.rec"});
  EXPECT_EQ(find("photos").kind, Kind::folder);
}

TEST_F(SourcePathsTest, IndexJsonTellsItsKind) {
  folder_.write("mds/index.json", R"({"shards": [], "version": 2})");
  EXPECT_EQ(find("mds").kind, Kind::mds);
  EXPECT_EQ(find("mds/index.json").kind, Kind::mds);
  EXPECT_EQ(find("mds").name, folder_.path("mds/index.json"));
  folder_.write("mds/train/index.json", "{}");
  EXPECT_EQ(find("mds").kind, Kind::mds);
  folder_.write("lit/index.json", R"({"chunks": [], "config": {}})");
  EXPECT_TRUE(says(refusal("lit"), ErrorCode::unsupported, {"LitData"}));
  folder_.write("photos/index.json", R"({"chunks": []})");
  touch({"photos/a/1.jpg"});
  EXPECT_EQ(find("photos").kind, Kind::folder);
}

}  // namespace
}  // namespace stoker::record
