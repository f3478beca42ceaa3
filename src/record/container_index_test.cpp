#include "record/container_index.hpp"

#include <filesystem>
#include <fstream>

#include "record/record_fixture.hpp"
#include "record/record_index.hpp"
#include "store/faulty_store.hpp"

namespace stoker::record {
namespace {

namespace fs = std::filesystem;

class ContainerIndexTest : public testing::Test {
 protected:
  // The user's own cache must not see these tests.
  void SetUp() override { ::setenv("XDG_CACHE_HOME", folder_.path("xdg").c_str(), 1); }
  void TearDown() override { ::unsetenv("XDG_CACHE_HOME"); }

  ContainerIndex find(const std::string& index_dir = "") {
    store_ = std::make_shared<store::FaultyStore>(open_store("."));
    return find_container_index(container_format(RecordFormat::recordio), *store_,
                                *store_->open_read(container()), index_dir);
  }
  std::string container() const { return folder_.path("data/x.rec"); }
  void write_container(int records) { folder_.write("data/x.rec", image_container(records)); }
  std::string text_index(int records) {
    std::string lines;
    std::uint64_t offset = 0;
    for (int i = 0; i < records; ++i) {
      lines += std::to_string(i) + "\t" + std::to_string(offset) + "\n";
      offset = image_container(i + 1).size();
    }
    return lines;
  }
  int files_in(const std::string& relative) {
    if (!fs::exists(folder_.path(relative))) return 0;
    return static_cast<int>(
        std::distance(fs::directory_iterator(folder_.path(relative)), fs::directory_iterator()));
  }

  test::TempDir folder_;
  std::shared_ptr<store::FaultyStore> store_;
};

TEST_F(ContainerIndexTest, WalksOnceThenReadsTheUsersCache) {
  write_container(20);
  const ContainerIndex walked = find();
  EXPECT_EQ(walked.origin, IndexOrigin::walk);
  EXPECT_EQ(walked.offsets.size(), 21u);
  EXPECT_EQ(files_in("xdg/stoker/records"), 1);
  EXPECT_EQ(files_in("data"), 1) << "the data's folder stays as it was";
  const ContainerIndex cached = find();
  EXPECT_EQ(cached.origin, IndexOrigin::record_index);
  EXPECT_EQ(cached.offsets, walked.offsets);
}

TEST_F(ContainerIndexTest, IndexDirTakesThePlaceOfTheCache) {
  write_container(20);
  find(folder_.path("indexes"));
  EXPECT_EQ(files_in("indexes"), 1);
  EXPECT_EQ(files_in("xdg"), 0);
  EXPECT_EQ(find(folder_.path("indexes")).origin, IndexOrigin::record_index);
}

TEST_F(ContainerIndexTest, RecordIndexGoesBeforeTextIndexBeforeWalk) {
  write_container(5);
  folder_.write("data/x.idx", text_index(5));
  EXPECT_EQ(find().origin, IndexOrigin::text_index);
  EXPECT_EQ(files_in("xdg"), 0) << "a text index is read so fast that nothing is cached";
  folder_.write("data/x.idx", "broken");
  EXPECT_EQ(find().origin, IndexOrigin::walk);
  folder_.write("data/x.idx", text_index(5));
  EXPECT_EQ(find().origin, IndexOrigin::record_index);
}

TEST_F(ContainerIndexTest, ChangedContainerIsWalkedAgain) {
  write_container(20);
  find();
  write_container(21);
  EXPECT_EQ(find().origin, IndexOrigin::walk);
  EXPECT_EQ(find().offsets.size(), 22u);
  // The same size and the same first and last bytes, but written later: the cache holds the time.
  const auto later = fs::last_write_time(container()) + std::chrono::seconds(5);
  fs::last_write_time(container(), later);
  EXPECT_EQ(find().origin, IndexOrigin::walk);
  EXPECT_EQ(find().origin, IndexOrigin::record_index);
  EXPECT_EQ(files_in("xdg/stoker/records"), 1);
}

TEST_F(ContainerIndexTest, IndexBesideSurvivesACopyAndIsMadeAgainThereWhenItNoLongerFits) {
  write_container(20);
  const auto store = open_store(".");
  const auto file = store->open_read(container());
  const ContainerIndex walked = find();
  write_record_index(*store, record_index_path(container()), RecordFormat::recordio, fingerprint_of(*file),
                     walked.offsets);
  fs::remove_all(folder_.path("xdg"));
  fs::last_write_time(container(), fs::last_write_time(container()) + std::chrono::seconds(5));
  EXPECT_EQ(find().origin, IndexOrigin::record_index);
  write_container(21);
  EXPECT_EQ(find().origin, IndexOrigin::walk);
  EXPECT_EQ(files_in("xdg"), 0) << "an index that lies beside is made again beside";
  EXPECT_EQ(find().origin, IndexOrigin::record_index);
  EXPECT_EQ(find().offsets.size(), 22u);
}

TEST_F(ContainerIndexTest, DamagedCacheIsMadeAgain) {
  write_container(20);
  find();
  const std::string cached = cached_index_path(user_index_folder(), container());
  for (const std::string& damaged : {std::string(), std::string("x"), std::string(200, '\0')}) {
    std::ofstream(cached, std::ios::binary) << damaged;
    EXPECT_EQ(find().origin, IndexOrigin::walk);
    EXPECT_EQ(find().origin, IndexOrigin::record_index);
  }
}

TEST_F(ContainerIndexTest, CacheThatCannotBeWrittenOnlyCostsTime) {
  write_container(20);
  folder_.write("xdg", "a file where the folder should be");
  EXPECT_EQ(find().offsets.size(), 21u);
  EXPECT_EQ(find().origin, IndexOrigin::walk);
  ::unsetenv("XDG_CACHE_HOME");
  const std::string home = std::getenv("HOME") ? std::getenv("HOME") : "";
  ::setenv("HOME", "", 1);
  EXPECT_EQ(find().origin, IndexOrigin::walk);
  ::setenv("HOME", home.c_str(), 1);
}

TEST_F(ContainerIndexTest, ReadsNothingOfTheContainersMiddleWithAnIndex) {
  std::string container_text;
  for (int i = 0; i < 20; ++i) container_text += part(0, std::string(100'000, 'x'));
  folder_.write("data/x.rec", container_text);
  find();
  EXPECT_EQ(find().origin, IndexOrigin::record_index);
  EXPECT_LE(store_->calls().bytes_read, 2 * kFingerprintRun);
}

TEST_F(ContainerIndexTest, DamageWithoutAnIndexIsNamed) {
  folder_.write("data/x.rec", image_container(2) + "damaged!" + image_container(1));
  const auto offset = std::to_string(image_container(2).size());
  EXPECT_TRUE(says(error_of([&] { find(); }), ErrorCode::corrupt_data,
                   {container(), "at offset " + offset, "instead of the magic", "stoker verify"}));
  EXPECT_EQ(files_in("xdg"), 0) << "an index of damage must not be kept";
}

TEST_F(ContainerIndexTest, TruncatedContainerWithItsOldIndexesIsNotReadByThem) {
  write_container(20);
  folder_.write("data/x.idx", text_index(20));
  find();
  fs::resize_file(container(), image_container(10).size());
  const ContainerIndex index = find();
  EXPECT_EQ(index.origin, IndexOrigin::walk);
  EXPECT_EQ(index.offsets.size(), 11u);
}

TEST_F(ContainerIndexTest, FailingReadsAreErrorsNotWrongIndexes) {
  write_container(20);
  const auto failing = std::make_shared<store::FaultyStore>(
      open_store("."),
      store::Faults{.reads = {.first = 1, .count = store::kForever, .code = ErrorCode::unavailable}});
  const auto file = failing->open_read(container());
  EXPECT_EQ(error_of([&] {
              find_container_index(container_format(RecordFormat::recordio), *failing, *file, "");
            }).code(),
            ErrorCode::unavailable);
}

}  // namespace
}  // namespace stoker::record
