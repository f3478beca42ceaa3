#include "pack/verify_source.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "stoker/error.hpp"
#include "stoker/store.hpp"

#include "base/crc.hpp"
#include "jpeg/encoder.hpp"
#include "record/dataset_manifest.hpp"
#include "store/crc_of_file.hpp"
#include "support/temp_dir.hpp"

namespace stoker::packing {
namespace {

std::vector<std::byte> gray_jpeg(int side) {
  const std::vector<std::uint8_t> pixels(static_cast<std::size_t>(side) * static_cast<std::size_t>(side) * 3,
                                         128);
  jpeg::Encoder encoder;
  const auto bytes = encoder.encode(pixels.data(), side, side, static_cast<std::size_t>(side) * 3, {});
  return {bytes->begin(), bytes->end()};
}

class VerifySource : public testing::Test {
 protected:
  // Records 0..n-1, each with its bytes; returns where each begins.
  std::vector<std::uint64_t> write(const std::vector<std::vector<std::byte>>& contents) {
    const auto writer = open_record_writer(path_);
    std::vector<std::uint64_t> offsets;
    for (const auto& content : contents) {
      const float label = 0;
      offsets.push_back(writer->append("k", std::span(&label, 1), {"image", content}).offset);
    }
    writer->finish();
    return offsets;
  }
  VerifyReport verify(VerifyOptions options = {}) {
    options.source = path_;
    return verify_source(options, [this](std::uint64_t records) { told_ = records; }, never_);
  }

  test::TempDir dir_;
  std::string path_ = dir_.path("x.rec");
  std::atomic<bool> never_{false};
  std::uint64_t told_ = 0;
};

TEST_F(VerifySource, CountsGoodRecordsAndTellsProgress) {
  write(std::vector(300, gray_jpeg(8)));
  for (const bool decode : {false, true}) {
    const VerifyReport report = verify({.decode = decode, .threads = 3});
    EXPECT_EQ(report.records, 300U);
    EXPECT_EQ(report.ok, 300U);
    EXPECT_EQ(report.warned, 0U);
    EXPECT_TRUE(report.bad.empty());
    EXPECT_EQ(told_, 300U);
  }
}

TEST_F(VerifySource, DecodingTellsBadAndDoubtfulImagesApart) {
  auto cut = gray_jpeg(64);
  cut.resize(cut.size() - 40);  // libjpeg fills the rest and complains
  const auto offsets = write({gray_jpeg(8), {}, cut, gray_jpeg(8)});
  const VerifyReport report = verify({.decode = true});
  EXPECT_EQ(report.records, 4U);
  EXPECT_EQ(report.ok, 2U);
  EXPECT_EQ(report.warned, 1U);
  EXPECT_EQ(report.first_warning.rfind("2: ", 0), 0U) << report.first_warning;
  ASSERT_EQ(report.bad.size(), 1U);
  EXPECT_EQ(report.bad[0].key, "1");
  EXPECT_EQ(report.bad[0].offset, offsets[1]);
  EXPECT_EQ(verify().bad.size(), 0U) << "framing alone is whole";
}

TEST_F(VerifySource, MaxPixelsApply) {
  write({gray_jpeg(8), gray_jpeg(16)});
  EXPECT_EQ(verify({.decode = true, .max_pixels = 64}).bad.size(), 1U);
  EXPECT_EQ(verify({.decode = true, .max_pixels = 256}).bad.size(), 0U);
}

TEST_F(VerifySource, AManifestOfAnotherSizeIsBad) {
  write({gray_jpeg(8)});
  const auto store = open_store(path_);
  const auto file = store->open_read(path_);
  record::DatasetManifest manifest;
  manifest.records = 2;
  manifest.bytes = file->bytes();
  manifest.shards = {{.path = "x.rec", .records = 2, .bytes = file->bytes()}};
  std::vector<std::byte> all(file->bytes());
  file->read_at(0, all);
  manifest.shards[0].crc32c = crc32c(all);
  record::write_manifest(*store, record::manifest_path(path_), manifest);
  const VerifyReport report = verify();
  ASSERT_EQ(report.bad.size(), 1U);
  EXPECT_EQ(report.bad[0].reason, "'x.rec' holds 1 records, not 2");
}

TEST_F(VerifySource, AManifestOfAnotherFormatOrOfFewerClassesIsBad) {
  const auto store = open_store(path_);
  const auto describe = [&](const std::string& format, const std::vector<std::string>& classes) {
    const auto file = store->open_read(path_);
    record::DatasetManifest manifest{
        .format = format, .classes = classes, .records = 1, .bytes = file->bytes()};
    manifest.shards = {
        {.path = "x.rec", .records = 1, .bytes = file->bytes(), .crc32c = store::crc_of_file(*file)}};
    record::write_manifest(*store, record::manifest_path(path_), manifest);
  };
  const float label = 2;
  const auto writer = open_record_writer(path_);
  writer->append("k", std::span(&label, 1), {"image", gray_jpeg(8)});
  writer->finish();
  describe("recordio", {"a", "b", "c"});
  EXPECT_TRUE(verify().bad.empty());
  describe("", {});
  EXPECT_TRUE(verify().bad.empty());
  describe("tar", {});
  ASSERT_EQ(verify().bad.size(), 1U);
  EXPECT_EQ(verify().bad[0].reason, "'x.rec' is in the format recordio, not tar");
  describe("recordio", {"a", "b"});
  ASSERT_EQ(verify().bad.size(), 1U);
  EXPECT_NE(verify().bad[0].reason.find("label 2, and the names of 2 classes"), std::string::npos)
      << verify().bad[0].reason;
}

TEST_F(VerifySource, DamageIsNamedAndPassed) {
  const auto offsets = write({gray_jpeg(8), gray_jpeg(8), gray_jpeg(8)});
  std::filesystem::remove(path_ + ".index");
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(offsets[1]));
  file << "spoilt";
  file.close();
  const VerifyReport report = verify();
  EXPECT_EQ(report.records, 2U);
  ASSERT_FALSE(report.bad.empty());
  EXPECT_EQ(report.bad[0].offset, offsets[1]);
}

TEST_F(VerifySource, CancelStopsIt) {
  write(std::vector(10, gray_jpeg(8)));
  const std::atomic<bool> now{true};
  try {
    verify_source({.source = path_, .open = {}}, [](std::uint64_t) {}, now);
    FAIL() << "not cancelled";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::cancelled);
  }
}

TEST_F(VerifySource, ASourceThatIsNotThereIsAnError) { EXPECT_THROW(verify(), Error); }

}  // namespace
}  // namespace stoker::packing
