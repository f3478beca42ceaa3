// Sets of containers: as one source, with their indexes and descriptions.
#include "record/shard_set_reader.hpp"

#include <filesystem>

#include "record/compress_fixture.hpp"
#include "record/dataset_manifest.hpp"
#include "record/seek_fixture.hpp"

namespace stoker::record {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ShardSet : public testing::Test {
 protected:
  // The user's own cache must not see these tests.
  void SetUp() override {
    ::setenv("XDG_CACHE_HOME", folder_.path("xdg").c_str(), 1);
    folder_.write("s/x-0.rec", seek_container(4));
    folder_.write("s/x-1.rec", "");
    folder_.write("s/x-2.rec", seek_container(3));
  }
  void TearDown() override { ::unsetenv("XDG_CACHE_HOME"); }

  std::string source() const { return folder_.path("s/x-{0..2}.rec"); }
  std::unique_ptr<RecordReader> open(OpenOptions options = {}) const {
    return open_records(source(), options);
  }

  // Points for all records of the set.
  static SeekIndexPublished publish(const std::shared_ptr<RecordReader>& reader,
                                    const std::string& index_dir = "") {
    SeekIndexWriter writer(reader, index_dir);
    Sample sample;
    for (std::size_t i = reader->size(); i-- > 0;) {
      reader->read(i, sample);
      SeekEntry entry = describe_image(*reader, i, sample);
      entry.points = is_indexable(i) ? 20 : 0;
      writer.add(i, entry, bytes_of(is_indexable(i) ? packed_of(i, 20) : ""));
    }
    EXPECT_EQ(writer.added(), reader->size());
    return writer.publish();
  }

  test::TempDir folder_;
};

TEST_F(ShardSet, RecordsFollowEachOther) {
  const auto reader = open();
  EXPECT_EQ(reader->format(), RecordFormat::recordio);
  ASSERT_EQ(reader->size(), 7u);
  ASSERT_EQ(reader->shards().size(), 3u);
  EXPECT_EQ(reader->shards()[1]->size(), 0u);
  EXPECT_EQ(reader->source_path(), "");
  const auto all = payloads(*reader);
  EXPECT_THAT(all[3], HasSubstr("image 3"));
  EXPECT_THAT(all[4], HasSubstr("image 0"));
  EXPECT_EQ(reader->info(4).container, folder_.path("s/x-2.rec"));
  EXPECT_EQ(reader->info(4).offset, 0u);
  EXPECT_TRUE(
      says(error_of([&] { reader->info(7); }), ErrorCode::invalid_argument, {"3 shards", "less than 7"}));
}

TEST_F(ShardSet, ScanGoesThroughAllShards) {
  const auto lines = story(*scan_records(source()));
  ASSERT_EQ(lines.size(), 7u);
  EXPECT_THAT(lines[4], HasSubstr("record 0 'image 0"));
}

TEST_F(ShardSet, RawRecordsAreNumberedThroughTheSet) {
  for (const char* name : {"raw/0.rec", "raw/1.rec"}) folder_.write(name, part(0, "abc") + part(0, "def"));
  const auto reader = open_records(folder_.path("raw"));
  Sample sample;
  reader->read(3, sample);
  EXPECT_EQ(sample.key, "3");
  const auto scanner = scan_records(folder_.path("raw"));
  RecordInfo info;
  BadRecord bad;
  for (int i = 0; i < 4; ++i) ASSERT_EQ(scanner->next(sample, info, bad), RecordScanner::Step::record);
  EXPECT_EQ(sample.key, "3");
}

TEST_F(ShardSet, DamageOfOneShardIsToldAndTheOthersAreScanned) {
  std::string text = seek_container(4);
  text[0] = 'X';
  folder_.write("s/x-0.rec", text);
  const auto lines = story(*scan_records(source()));
  ASSERT_EQ(lines.size(), 7u);
  EXPECT_THAT(lines[0], HasSubstr("damage 0"));
  EXPECT_TRUE(says(error_of([&] { open(); }), ErrorCode::corrupt_data, {"x-0.rec at offset 0"}));
}

TEST_F(ShardSet, ShardsOfOtherKindsAreRefusedByName) {
  folder_.write("s/x-1.rec", "\xff\xd8\xff\xe0");
  EXPECT_TRUE(says(error_of([&] { open(); }), ErrorCode::unsupported, {"x-1.rec", "a single image"}));
  folder_.write("s/x-1.rec", "0\t1\ta.jpg\n");
  EXPECT_TRUE(says(error_of([&] { open_records(folder_.path("s/{x-0.rec,l.lst}")); }), ErrorCode::not_found,
                   {"l.lst"}));
  folder_.write("s/l.lst", "0\t1\ta.jpg\n");
  EXPECT_TRUE(says(error_of([&] { open_records(folder_.path("s/{x-0.rec,l.lst}")); }),
                   ErrorCode::invalid_argument, {"l.lst", "a list"}));
}

TEST_F(ShardSet, GzippedShardsShareATemporaryFile) {
  for (int i = 0; i < 3; ++i)
    folder_.write("gz/" + std::to_string(i) + ".rec.gz", gzip_of(seek_container(3)));
  const auto reader = open_records(folder_.path("gz"));
  EXPECT_EQ(reader->size(), 9u);
  EXPECT_THAT(payloads(*reader)[8], HasSubstr("image 2"));
}

TEST_F(ShardSet, FingerprintDependsOnEveryShardAndTheirOrder) {
  const auto print = open()->fingerprint();
  ASSERT_TRUE(print);
  EXPECT_EQ(print->records, 7u);
  EXPECT_FALSE(print->files);
  EXPECT_EQ(print, open()->fingerprint());
  EXPECT_NE(print, open_records(folder_.path("s/x-{2,1,0}.rec"))->fingerprint());
  folder_.write("s/x-2.rec", seek_container(2) + part(0, image_header(0, 1, 9) + "another"));
  EXPECT_NE(print, open()->fingerprint());
}

TEST_F(ShardSet, ClassesComeFromTheDescriptionOfTheSet) {
  DatasetManifest manifest;
  manifest.classes = {"a", "b"};
  manifest.shards = {{"x-0.rec", 4, 1, 1}, {"x-2.rec", 3, 1, 1}};
  manifest.records = 7;
  manifest.bytes = 2;
  write_manifest(*open_store("."), folder_.path("s/x.dataset.json"), manifest);
  EXPECT_THAT(open()->classes(), ElementsAre("a", "b"));
  EXPECT_THAT(open_records(folder_.path("s/x.rec"))->classes(), ElementsAre("a", "b"));
  EXPECT_THAT(open_records(folder_.path("s"))->classes(), ElementsAre("a", "b"));
  EXPECT_EQ(open_records(folder_.path("s/x.rec"))->size(), 7u);
  manifest.classes = {"b", "a"};
  write_manifest(*open_store("."), folder_.path("s/x-2.dataset.json"), manifest);
  EXPECT_TRUE(says(error_of([&] { open(); }), ErrorCode::invalid_argument,
                   {"label 0 is 'a' in", "x.dataset.json", "'b' in", "x-2.dataset.json"}));
}

TEST_F(ShardSet, SeekIndexesLieBesideTheirShards) {
  const SeekIndexPublished published = publish(open());
  EXPECT_EQ(published.files, 2u);  // the shard without records has none
  EXPECT_EQ(published.path, folder_.path("s/x-0.rec.seek"));
  EXPECT_EQ(published.indexed, 6u);
  EXPECT_EQ(published.not_indexable, 1u);
  EXPECT_TRUE(fs::exists(folder_.path("s/x-2.rec.seek")));
  const auto reader = open();
  Sample sample;
  for (std::size_t i = 0; i < reader->size(); ++i) {
    reader->read(i, sample);
    EXPECT_EQ(text_of(sample.seek_points), is_indexable(i) ? packed_of(i, 20) : "") << i;
  }
  EXPECT_EQ(reader->seek_index().state, SeekIndexState::used);
  EXPECT_EQ(reader->seek_index().indexed, 6u);
  EXPECT_EQ(reader->seek_index().not_indexable, 1u);
  EXPECT_THAT(check_indexes(source()), IsEmpty());
  // Each is the index of its shard alone, too.
  EXPECT_EQ(open_records(folder_.path("s/x-2.rec"))->seek_index().state, SeekIndexState::used);
  EXPECT_EQ(open({.seek_index = SeekIndexUse::off})->seek_index().state, SeekIndexState::none);
}

TEST_F(ShardSet, IndexesMayLieInAFolderOfTheirOwn) {
  const std::string indexes = folder_.path("indexes");
  publish(open({.index_dir = indexes}), indexes);
  EXPECT_FALSE(fs::exists(folder_.path("s/x-0.rec.seek")));
  EXPECT_EQ(open({.index_dir = indexes})->seek_index().indexed, 6u);
  EXPECT_EQ(open({.index_dir = indexes})->index_dir(), indexes);
}

TEST_F(ShardSet, IndexesOfTwoRunsAreOne) {
  const std::shared_ptr<RecordReader> reader = open();
  publish(reader);
  SeekIndexWriter later(reader, "");
  Sample sample;
  reader->read(5, sample);
  SeekEntry entry = describe_image(*reader, 5, sample);
  entry.points = 40;
  later.add(5, entry, bytes_of(packed_of(5, 40)));
  const SeekIndexPublished published = later.publish();
  EXPECT_EQ(published.files, 2u);
  EXPECT_EQ(published.indexed, 6u);
  EXPECT_EQ(published.kept, 6u);
  reader->renew_seek_index();
  reader->read(5, sample);
  EXPECT_EQ(text_of(sample.seek_points), packed_of(5, 40));
}

TEST_F(ShardSet, WrongIndexesAndDescriptionsAreTold) {
  publish(open());
  folder_.write("s/x-0.rec", seek_container(5));
  folder_.write("s/x-2.rec.index", "damaged");
  DatasetManifest manifest;
  manifest.shards = {{"x-0.rec", 4, 1, 1}};
  manifest.records = 4;
  manifest.bytes = 1;
  write_manifest(*open_store("."), folder_.path("s/x.dataset.json"), manifest);
  std::vector<std::string> reasons;
  for (const BadRecord& bad : check_indexes(source()))
    reasons.push_back(bad.container.substr(folder_.path().size()) + ": " + bad.reason);
  EXPECT_THAT(reasons, testing::UnorderedElementsAre(HasSubstr("s/x.dataset.json: 'x-0.rec' has"),
                                                     HasSubstr("s/x-0.rec.seek: it is of 4 records"),
                                                     HasSubstr("s/x-2.rec.index: ")));
}

}  // namespace
}  // namespace stoker::record
