// The seek index that a pack leaves beside its shard.
#include <bit>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stoker/error.hpp"
#include "stoker/index.hpp"

#include "jpeg/seek_points.hpp"
#include "pack/packer.hpp"
#include "pack/test_images.hpp"
#include "record/recordio_format.hpp"
#include "store/faulty_store.hpp"

namespace stoker::packing {
namespace {

using namespace test_images;
namespace fs = std::filesystem;

class PackIndex : public testing::Test {
 protected:
  void SetUp() override { ::setenv("XDG_CACHE_HOME", dir_.path("xdg").c_str(), 1); }
  void TearDown() override { ::unsetenv("XDG_CACHE_HOME"); }

  std::string index() const { return test::read_file(options_.destination + ".seek"); }

  // Reads all with every image compared; how many came with the points of the whole file.
  std::uint64_t read_with_points(const std::string& shard) const {
    const auto reader = open_records(shard, {.check_bytes = CheckBytes::always});
    EXPECT_EQ(reader->seek_index().state, SeekIndexState::used) << reader->seek_index().reason;
    std::uint64_t with_points = 0;
    Sample sample;
    for (std::size_t i = 0; i < reader->size(); ++i) {
      reader->read(i, sample);
      jpeg::SeekPoints points;
      if (sample.seek_points.empty()) continue;
      EXPECT_TRUE(jpeg::unpack_seek_points(sample.seek_points, points));
      with_points += points.complete;
    }
    const SeekIndexInfo info = reader->seek_index();
    EXPECT_EQ(info.dropped_damaged + info.dropped_stale + info.dropped_changed, 0U);
    EXPECT_THAT(check_indexes(shard), testing::IsEmpty());
    return with_points;
  }

  test::TempDir dir_;
  PackOptions options_{.source = dir_.path("photos"), .destination = dir_.path("out/set.rec")};
};

TEST_F(PackIndex, FitsEveryImageThatPassedThrough) {
  write_photos(dir_, 23);
  const PackReport report = pack(options_);
  EXPECT_EQ(report.indexed, 23U);
  EXPECT_THAT(report.not_indexable, testing::IsEmpty());
  EXPECT_EQ(report.index_bytes, index().size());
  EXPECT_EQ(report.bytes_out, fs::file_size(options_.destination)) << "the shard alone";
  EXPECT_EQ(read_with_points(options_.destination), 23U);
}

TEST_F(PackIndex, FitsImagesThatWereWrittenAnew) {
  write_photos(dir_, 12);
  options_.resize_short = 48;
  options_.quality = 80;
  EXPECT_EQ(pack(options_).indexed, 12U);
  EXPECT_EQ(read_with_points(options_.destination), 12U);
}

TEST_F(PackIndex, IsTheOneThatAWalkOverTheShardMakes) {
  write_photos(dir_, 15);
  dir_.write("photos/ant/000.jpg", "broken");
  options_.max_bad_share = 0.5;
  EXPECT_EQ(pack(options_).skipped_count, 1U);
  const std::string packed = index();
  fs::remove(options_.destination + ".seek");
  build_seek_index({.source = options_.destination});
  EXPECT_EQ(index(), packed);
}

TEST_F(PackIndex, TellsWhyImagesHaveNoPoints) {
  write_photos(dir_, 6);
  dir_.write("photos/cat/800.png", png_file(90, 80, 1));
  const std::string whole = jpeg_file(200, 160, 3);
  dir_.write("photos/cat/900.jpg", whole.substr(0, whole.size() / 2));
  const PackReport report = pack(options_);
  EXPECT_EQ(report.packed, 8U);
  EXPECT_EQ(report.indexed, 6U);
  EXPECT_EQ(report.not_indexable.at("no JPEG"), 1U);
  EXPECT_EQ(report.not_indexable.size(), 2U);
  EXPECT_EQ(read_with_points(options_.destination), 6U);
  EXPECT_EQ(open_records(options_.destination)->seek_index().not_indexable, 2U);
}

// The container's magic within an image, and as a label: RecordIO cuts such records into parts.
TEST_F(PackIndex, FitsImagesOfRecordsInParts) {
  std::string file = jpeg_file(120, 100, 4);
  const std::string magic = "\x0a\x23\xd7\xce";
  file.insert(2,
              std::string("\xff\xfe\0\x0e", 4) + "ab" + magic + "cdef" + "gh");  // a comment: FF FE 00 0E …
  ASSERT_EQ(file.find(magic) % 4, 0U);
  const auto magic_label = std::bit_cast<float>(record::kMagic);
  options_.source = dir_.path("source.rec");
  {
    const auto writer = open_record_writer(options_.source);
    const float labels[] = {1, magic_label, 2};
    writer->append("0", std::span(labels).first(1), Field{"image", as_bytes(file)});
    writer->append("1", labels, Field{"image", as_bytes(file)});
    writer->append("2", std::span(labels).subspan(1, 1), Field{"image", as_bytes(jpeg_file(90, 70, 2))});
    writer->append("", {}, Field{"data", as_bytes(file)});
    writer->finish();
  }
  EXPECT_EQ(pack(options_).indexed, 4U);
  EXPECT_EQ(test::read_file(options_.destination), test::read_file(options_.source));
  EXPECT_EQ(read_with_points(options_.destination), 4U);
}

TEST_F(PackIndex, IsTheSameWhateverTheSourceKnew) {
  write_photos(dir_, 9);
  pack(options_);
  const std::string plain = index();
  build_seek_index({.source = options_.source});
  pack(options_);
  EXPECT_EQ(index(), plain) << "points taken over";
  fs::remove(dir_.path("photos/.stoker.seek"));
  build_seek_index({.source = options_.source, .interval = 2});
  pack(options_);
  EXPECT_EQ(index(), plain) << "points of another interval";
}

TEST_F(PackIndex, IsLeftOnRequestAndTheOldOneGoes) {
  write_photos(dir_, 9);
  pack(options_);
  options_.seek_index = false;
  const PackReport report = pack(options_);
  EXPECT_EQ(report.indexed, 0U);
  EXPECT_EQ(report.index_bytes, 0U);
  EXPECT_THAT(report.not_indexable, testing::IsEmpty());
  EXPECT_FALSE(fs::exists(options_.destination + ".seek"));
}

TEST_F(PackIndex, OfASmallSetIsPredictedToTheByte) {
  write_photos(dir_, 20);
  dir_.write("photos/cat/800.png", png_file(90, 80, 1));
  const PackReport plan = plan_pack(options_), report = pack(options_);
  EXPECT_EQ(plan.index_bytes, report.index_bytes);
  EXPECT_EQ(plan.indexed, report.indexed);
  EXPECT_EQ(plan.not_indexable, report.not_indexable);
  options_.seek_index = false;
  EXPECT_EQ(plan_pack(options_).index_bytes, 0U);
}

TEST_F(PackIndex, AnOldOneNeverLiesBesideANewShard) {
  write_photos(dir_, 12);
  pack(options_);
  const std::string old_shard = test::read_file(options_.destination), old_index = index();
  options_.resize_short = 40;
  for (std::uint64_t commit = 1; commit <= 6; ++commit) {
    const auto faulty = std::make_shared<store::FaultyStore>(open_store(options_.destination),
                                                             store::Faults{.commits = {.first = commit}});
    EXPECT_THROW(run_pack(options_, faulty, {}, nullptr), Error) << commit;
    if (!fs::exists(options_.destination + ".seek")) continue;
    EXPECT_EQ(test::read_file(options_.destination) == old_shard, index() == old_index) << commit;
  }
  pack(options_);
  EXPECT_EQ(read_with_points(options_.destination), 12U);
}

TEST_F(PackIndex, ItsNameIsNotTakenFromAFolderOrTheSource) {
  write_photos(dir_, 3);
  fs::create_directories(dir_.path("out/set.rec.seek"));
  EXPECT_THROW(pack(options_), Error);
  EXPECT_TRUE(fs::is_directory(dir_.path("out/set.rec.seek")));
}

}  // namespace
}  // namespace stoker::packing
