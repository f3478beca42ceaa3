#include "record/folder_reader.hpp"

#include <filesystem>

#include "record/record_fixture.hpp"
#include "store/faulty_store.hpp"

namespace stoker::record {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

class Folder : public testing::Test {
 protected:
  void add(std::initializer_list<const char*> files) {
    for (const char* file : files) folder_.write(std::string("set/") + file, std::string("bytes of ") + file);
  }
  FolderReader open(std::vector<std::string> classes = {}) {
    store_ = std::make_shared<store::FaultyStore>(open_store("."));
    return FolderReader(store_, root(), std::move(classes));
  }
  std::string root() const { return folder_.path("set"); }

  static std::vector<std::string> keys(const FolderReader& reader) {
    std::vector<std::string> all;
    Sample sample;
    for (std::size_t i = 0; i < reader.size(); ++i) {
      reader.read(i, sample);
      EXPECT_EQ(text_of(sample.main()), "bytes of " + sample.key);
      EXPECT_THAT(sample.labels, ElementsAre(reader.known_labels()[i]));
      EXPECT_EQ(sample.fields[0].name, "image");
      all.push_back(sample.key);
    }
    return all;
  }

  test::TempDir folder_;
  std::shared_ptr<store::FaultyStore> store_;
};

TEST_F(Folder, ClassesAndFilesAreSortedByCodePoint) {
  add({"a9/1.jpg", "a10/1.jpg", "B/b.jpg", "B/a.jpg", "B/C.jpg", "\xC3\xA9/1.jpg", "z/1.jpg"});
  const FolderReader reader = open();
  EXPECT_THAT(reader.classes(), ElementsAre("B", "a10", "a9", "z", "\xC3\xA9"));
  EXPECT_THAT(keys(reader), ElementsAre("B/C.jpg", "B/a.jpg", "B/b.jpg", "a10/1.jpg", "a9/1.jpg", "z/1.jpg",
                                        "\xC3\xA9/1.jpg"));
  EXPECT_THAT(reader.known_labels(), ElementsAre(0, 0, 0, 1, 2, 3, 4));
}

TEST_F(Folder, NestedFoldersCountToTheirClassInTheOrderOfTheirPaths) {
  // Sorted as text, "c/a-b" comes between "c/a" and "c/a/x": '-' stands before '/'.
  add({"c/z.jpg", "c/a/2.jpg", "c/a/x/1.jpg", "c/a-b/3.jpg", "c/b/4.jpg", "c/empty/readme.txt"});
  const FolderReader reader = open();
  EXPECT_THAT(reader.classes(), ElementsAre("c"));
  EXPECT_THAT(keys(reader), ElementsAre("c/z.jpg", "c/a/2.jpg", "c/a-b/3.jpg", "c/a/x/1.jpg", "c/b/4.jpg"));
}

TEST_F(Folder, AClassWithoutImagesHasItsArrays) {
  add({"a/1.npy", "a/deep/2.NPY", "a/notes.txt", "b/1.npy", "b/2.jpg", "b/deep/3.npy"});
  const FolderReader reader = open();
  Sample sample;
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < reader.size(); ++i) {
    reader.read(i, sample);
    keys.push_back(sample.key + " " + sample.fields[0].name);
  }
  EXPECT_THAT(keys, ElementsAre("a/1.npy npy", "a/deep/2.NPY npy", "b/2.jpg image"));
  EXPECT_THAT(reader.known_labels(), ElementsAre(0, 0, 1));
}

TEST_F(Folder, TakesTheEndingsOfImageFolder) {
  add({"c/1.JPG", "c/2.Jpeg", "c/3.png", "c/4.ppm", "c/5.bmp", "c/6.pgm", "c/7.tif", "c/8.TIFF", "c/9.webp",
       "c/a.gif", "c/b.txt", "c/cjpg", "c/.jpg", "c/d.jpg.bak", "not-in-a-class.jpg"});
  const FolderReader reader = open();
  EXPECT_THAT(keys(reader), ElementsAre("c/.jpg", "c/1.JPG", "c/2.Jpeg", "c/3.png", "c/4.ppm", "c/5.bmp",
                                        "c/6.pgm", "c/7.tif", "c/8.TIFF", "c/9.webp"));
}

TEST_F(Folder, EmptyClassFolderIsAnError) {
  add({"a/1.jpg", "b/readme.txt"});
  EXPECT_TRUE(
      says(error_of([&] { open(); }), ErrorCode::invalid_argument, {root() + "/b", "no image", "--classes"}));
}

TEST_F(Folder, HiddenFoldersAreNoClasses) {
  add({"a/1.jpg", ".ipynb_checkpoints/1-checkpoint.jpg", ".git/config"});
  EXPECT_THAT(open().classes(), ElementsAre("a"));
  EXPECT_THAT(keys(open({"a"})), ElementsAre("a/1.jpg")) << "nor are they missing in a class map";
}

TEST_F(Folder, FolderWithoutClassesIsAnError) {
  add({"1.jpg"});
  EXPECT_TRUE(says(error_of([&] { open(); }), ErrorCode::invalid_argument, {root(), "no sub-folders"}));
}

TEST_F(Folder, GivenClassMapFixesTheLabels) {
  add({"roses/1.jpg", "daisy/1.jpg"});
  fs::create_directories(folder_.path("set/tulips"));
  const FolderReader reader = open({"tulips", "roses", "lilies", "daisy"});
  EXPECT_THAT(reader.classes(), ElementsAre("tulips", "roses", "lilies", "daisy"));
  EXPECT_THAT(keys(reader), ElementsAre("daisy/1.jpg", "roses/1.jpg"));
  EXPECT_THAT(reader.known_labels(), ElementsAre(3, 1));
}

TEST_F(Folder, FolderThatIsNotInTheClassMapIsAnErrorThatNamesTheNearest) {
  add({"rose/1.jpg", "daisy/1.jpg"});
  EXPECT_TRUE(says(error_of([&] { open({"tulips", "roses", "daisy"}); }), ErrorCode::invalid_argument,
                   {"'rose'", "did you mean 'roses'?"}));
  EXPECT_TRUE(says(error_of([&] { open({"tulips"}); }), ErrorCode::invalid_argument, {"class file"}));
}

TEST_F(Folder, LinksAreFollowed) {
  add({"a/1.jpg"});
  folder_.write("elsewhere/2.jpg", "bytes of b/2.jpg");
  fs::create_directory_symlink(folder_.path("elsewhere"), folder_.path("set/b"));
  fs::create_symlink(folder_.path("elsewhere/2.jpg"), folder_.path("set/a/3.jpg"));
  const FolderReader reader = open();
  EXPECT_THAT(reader.classes(), ElementsAre("a", "b"));
  EXPECT_EQ(reader.size(), 3u);
}

TEST_F(Folder, LinksThatGoRoundDoNotHang) {
  add({"a/1.jpg", "a/sub/2.jpg", "b/1.jpg"});
  fs::create_directory_symlink(folder_.path("set/a"), folder_.path("set/a/sub/up"));
  fs::create_directory_symlink(folder_.path("set/a/sub"), folder_.path("set/a/sub/self"));
  fs::create_directory_symlink(folder_.path("set/b"), folder_.path("set/b/b1"));
  fs::create_directory_symlink(folder_.path("set/b"), folder_.path("set/b/b2"));
  EXPECT_EQ(keys(open()).size(), 3u);
}

TEST_F(Folder, BrokenLinkAndVanishedFileAreBadSamplesNotBadSets) {
  add({"a/1.jpg", "a/2.jpg"});
  fs::create_symlink(folder_.path("nowhere"), folder_.path("set/a/3.jpg"));
  const FolderReader reader = open();
  ASSERT_EQ(reader.size(), 3u);
  fs::remove(folder_.path("set/a/1.jpg"));
  Sample sample;
  EXPECT_TRUE(says(error_of([&] { reader.read(0, sample); }), ErrorCode::not_found, {root() + "/a/1.jpg"}));
  EXPECT_EQ(error_of([&] { reader.read(2, sample); }).code(), ErrorCode::not_found);
  reader.read(1, sample);
  EXPECT_EQ(sample.key, "a/2.jpg");
}

TEST_F(Folder, EmptyFileIsASampleOfNoBytes) {
  folder_.write("set/a/1.jpg", "");
  const FolderReader reader = open();
  Sample sample;
  reader.read(0, sample);
  EXPECT_TRUE(sample.main().empty());
}

TEST_F(Folder, OpensNoFile) {
  add({"a/1.jpg", "b/2.jpg"});
  const FolderReader reader = open();
  EXPECT_EQ(store_->calls().opens, 0u);
  const RecordInfo info = reader.info(1);
  EXPECT_EQ(info.container, root() + "/b/2.jpg");
  EXPECT_EQ(info.offset, 0u);
}

TEST_F(Folder, IndexBeyondTheEndIsInvalid) {
  add({"a/1.jpg"});
  const FolderReader reader = open();
  Sample sample;
  EXPECT_EQ(error_of([&] { reader.read(1, sample); }).code(), ErrorCode::invalid_argument);
  EXPECT_EQ(error_of([&] { reader.info(1); }).code(), ErrorCode::invalid_argument);
}

TEST_F(Folder, FileOfMoreThanTwoGibibytesIsRefusedBeforeMemoryIsTaken) {
  add({"a/1.jpg"});
  const FolderReader reader = open();
  fs::resize_file(folder_.path("set/a/1.jpg"), std::uintmax_t{1} << 40);  // sparse
  Sample sample;
  EXPECT_TRUE(says(error_of([&] { reader.read(0, sample); }), ErrorCode::out_of_resources, {"TiB", "2 GiB"}));
  EXPECT_TRUE(sample.buffer.empty());
}

TEST_F(Folder, ShortReadIsDamage) {
  add({"a/1.jpg"});
  const auto store =
      std::make_shared<store::FaultyStore>(open_store("."), store::Faults{.short_reads = {.first = 1}});
  const FolderReader reader(store, root() + "///", {});
  Sample sample;
  EXPECT_TRUE(says(error_of([&] { reader.read(0, sample); }), ErrorCode::corrupt_data,
                   {"ended after", "changes it"}));
  reader.read(0, sample);
  EXPECT_EQ(text_of(sample.main()), "bytes of a/1.jpg");
}

TEST_F(Folder, FailedListingIsAnError) {
  add({"a/1.jpg"});
  const auto store =
      std::make_shared<store::FaultyStore>(open_store("."), store::Faults{.lists = {.first = 2}});
  EXPECT_EQ(error_of([&] { FolderReader(store, root(), {}); }).code(), ErrorCode::io);
}

}  // namespace
}  // namespace stoker::record
