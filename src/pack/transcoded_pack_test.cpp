// A pack whose images are made baseline or upright: counts, seek points, and what a reader gets.
#include <gtest/gtest.h>

#include "stoker/pack.hpp"

#include "jpeg/fixtures.hpp"
#include "pack/markers.hpp"
#include "pack/test_images.hpp"

namespace stoker::packing {
namespace {

using namespace test_images;
using Counts = std::map<std::string, std::uint64_t>;

std::string progressive_file(int width, int height) {
  return as_text(
      jpeg::fixtures::encode(jpeg::fixtures::picture(width, height), width, height, {.progressive = true}));
}

std::string turned_file(const std::string& jpeg, int orientation) {
  std::vector<std::byte> turned;
  insert_orientation(as_bytes(jpeg), orientation, turned);
  return as_text(turned);
}

class TranscodedPack : public testing::Test {
 protected:
  void SetUp() override {
    const std::string whole = progressive_file(120, 90);
    write("a/baseline.jpg", jpeg_file(120, 90, 1));
    write("a/progressive.jpg", whole);
    write("a/cut.jpg", whole.substr(0, whole.size() - 50));
    write("b/lacking.jpg", whole.substr(0, whole.rfind("\xFF\xDA")) + "\xFF\xD9");
    write("b/turned.jpg", turned_file(jpeg_file(128, 96, 2), 8));
    write("b/turned_cut_blocks.jpg", turned_file(jpeg_file(120, 90, 2), 3));
    write("b/picture.png", png_file(40, 30, 1));
    options_.source = dir_.path("photos");
    options_.destination = dir_.path("set.rec");
  }
  void write(const std::string& key, const std::string& bytes) {
    dir_.write("photos/" + key, bytes);
    files_[key] = bytes;
  }
  // Key → bytes, in the order of the source: folders read by name, as the keys are.
  std::map<std::string, std::string> packed() const {
    std::map<std::string, std::string> bytes;
    auto key = files_.begin();
    for (const ReadBack& record : read_all(options_.destination)) bytes[(key++)->first] = record.bytes;
    return bytes;
  }

  const test::TempDir dir_;
  std::map<std::string, std::string> files_;
  PackOptions options_;
};

TEST_F(TranscodedPack, BaselineMakesWholeFilesReadableByCrops) {
  options_.baseline = true;
  const PackReport report = pack(options_);
  EXPECT_EQ(report.inputs, 7u);
  EXPECT_EQ(report.packed, 7u);
  EXPECT_EQ(report.changed, (Counts{{"baselined", 1}}));
  EXPECT_EQ(report.kept, (Counts{{"progressive, damaged", 1}, {"progressive, scans missing", 1}}));
  EXPECT_EQ(report.indexed, 4u) << "all but the two that were left, and the PNG";
  for (const auto& [key, bytes] : packed()) {
    if (key != "a/progressive.jpg") {
      EXPECT_EQ(bytes, files_.at(key)) << key;
      continue;
    }
    EXPECT_EQ(read_image_info(as_bytes(bytes)).process, "baseline");
    EXPECT_EQ(decode_image(as_bytes(bytes)).rgb, decode_image(as_bytes(files_.at(key))).rgb);
  }
  const PackReport planned = plan_pack(options_);
  EXPECT_EQ(planned.changed, report.changed);
  EXPECT_EQ(planned.kept, report.kept);
}

TEST_F(TranscodedPack, UprightLeavesNothingToTurn) {
  options_.upright = true;
  const PackReport report = pack(options_);
  EXPECT_EQ(report.packed, 7u);
  EXPECT_EQ(report.changed, (Counts{{"uprighted", 2}, {"reencoded", 1}}));
  EXPECT_EQ(report.kept, Counts{}) << "nothing was to become baseline";
  for (const auto& [key, bytes] : packed()) {
    EXPECT_EQ(read_image_info(as_bytes(bytes)).orientation, 1) << key;
    const bool is_turned = key.starts_with("b/turned");
    EXPECT_EQ(bytes == files_.at(key), !is_turned) << key;
  }
}

TEST_F(TranscodedPack, IsTheSameForAnyNumberOfThreads) {
  options_.baseline = options_.upright = true;
  options_.threads = 1;
  pack(options_);
  const std::string alone = test::read_file(options_.destination);
  options_.threads = 3;
  pack(options_);
  EXPECT_EQ(test::read_file(options_.destination), alone);
}

}  // namespace
}  // namespace stoker::packing
