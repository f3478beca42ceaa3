#include "pack/destination.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <limits>

#include "stoker/error.hpp"

#include "support/temp_dir.hpp"

namespace stoker::packing {
namespace {

PackOptions valid() { return {.source = "photos", .destination = "out/set.rec"}; }

// The error's code, or none; its text must name `word`.
std::string refusal(const PackOptions& options, std::string_view word) {
  try {
    check_options(options);
    return "none";
  } catch (const Error& error) {
    EXPECT_NE(std::string_view(error.what()).find(word), std::string_view::npos) << error.what();
    return std::string(to_string(error.code()));
  }
}

TEST(Destination, NamesStandBesideTheShard) {
  const Destination to = check_options(valid());
  EXPECT_EQ(to.name(), "out/set.rec");
  EXPECT_EQ(to.list, "out/set.lst");
  EXPECT_EQ(to.skipped, "out/set.skipped.tsv");
  EXPECT_EQ(to.work, "out/set.packing");
  EXPECT_EQ(to.manifest, "out/set.dataset.json");
}

TEST(Destination, OtherEndingsAreRefusedByName) {
  for (const char* name : {"set.zip", "set.tgz", "", ".rec", "out/.tar", "out/", "set.REC", "a.b"}) {
    PackOptions options = valid();
    options.destination = name;
    EXPECT_EQ(refusal(options, "NAME.rec"), "unsupported") << name;
  }
}

TEST(Destination, TheFormatIsSaidByTheEndingOrGiven) {
  PackOptions options = valid();
  options.destination = "out/set.tar";
  EXPECT_EQ(check_options(options).format, RecordFormat::tar);
  EXPECT_EQ(check_options(options).list, "") << "keys stand in the tar";
  options.format = RecordFormat::tfrecord;
  EXPECT_EQ(refusal(options, "--format tfrecord"), "unsupported");
  options.destination = "out/v1.2";
  EXPECT_EQ(check_options(options).name(), "out/v1.2.tfrecord");
  options.format.reset();
  options.destination = "out/set";
  EXPECT_EQ(check_options(options).name(), "out/set.rec");
}

TEST(Destination, ShardsAndPartsAreChecked) {
  PackOptions options = valid();
  options.shards = 3;
  options.shard_bytes = 100;
  EXPECT_EQ(refusal(options, "shard-size"), "invalid_argument");
  options.shard_bytes = 0;
  options.part = {3, 3};
  EXPECT_EQ(refusal(options, "part: 3/3"), "invalid_argument");
  options.part = {0, 3};
  options.shards = 0;
  EXPECT_EQ(refusal(options, "--shards"), "invalid_argument");
}

TEST(Destination, TwoRulesOfPixelsThatExcludeEachOtherAreNamed) {
  PackOptions options = valid();
  options.max_side = 65'536;
  EXPECT_EQ(refusal(options, "max-side: 65536"), "invalid_argument");
  options.max_side = 500;
  EXPECT_EQ(refusal(options, ""), "none");
  options.resize_short = 256;
  EXPECT_EQ(refusal(options, "given with resize-short"), "invalid_argument");
  options = valid();
  options.baseline = true;
  options.encode = Encode::png;
  EXPECT_EQ(refusal(options, "baseline"), "invalid_argument");
}

TEST(Destination, OptionsOutOfRangeAreNamed) {
  PackOptions options = valid();
  options.quality = 0;
  EXPECT_EQ(refusal(options, "quality: 0; allowed: 1..100"), "invalid_argument");
  options = valid();
  options.quality = 101;
  EXPECT_EQ(refusal(options, "101"), "invalid_argument");
  options = valid();
  options.resize_short = -1;
  EXPECT_EQ(refusal(options, "resize-short"), "invalid_argument");
  options = valid();
  options.max_bad_share = 1.5;
  EXPECT_EQ(refusal(options, "max-bad-share"), "invalid_argument");
  options.max_bad_share = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal(options, "max-bad-share"), "invalid_argument");
  options = valid();
  options.threads = -2;
  EXPECT_EQ(refusal(options, "threads"), "invalid_argument");
  options = valid();
  options.max_pixels = 0;
  EXPECT_EQ(refusal(options, "max-pixels"), "invalid_argument");
  options = valid();
  options.source = "";
  EXPECT_EQ(refusal(options, "source"), "invalid_argument");
}

TEST(Destination, OptionsWithoutAnEffectAreNamed) {
  PackOptions options = valid();
  options.enlarge = true;
  EXPECT_EQ(refusal(options, "resize-short"), "invalid_argument");
  options = valid();
  options.encode = Encode::png;
  options.quality = 90;
  EXPECT_EQ(refusal(options, "quality"), "invalid_argument");
  options.quality.reset();
  options.subsampling = Subsampling::s420;
  EXPECT_EQ(refusal(options, "subsampling"), "invalid_argument");
}

TEST(Destination, TheSourceIsNeverOverwritten) {
  const test::TempDir dir;
  PackOptions options = valid();
  options.source = dir.write("set.rec", "");
  options.destination = dir.path("sub/../set.rec");
  EXPECT_EQ(refusal(options, "is the source"), "invalid_argument");
  options.destination = "file://" + dir.path("set.rec");
  EXPECT_EQ(refusal(options, "is the source"), "invalid_argument");
  std::filesystem::create_symlink(dir.path("set.rec"), dir.path("link.rec"));
  options.destination = dir.path("link.rec");
  EXPECT_EQ(refusal(options, "is the source"), "invalid_argument");
}

TEST(Destination, AFolderUnderAnyOfItsNamesIsNamed) {
  const test::TempDir dir;
  PackOptions options = valid();
  options.destination = dir.path("set.rec");
  for (const char* name :
       {"set.rec", "set.idx", "set.rec.index", "set.lst", "set.skipped.tsv", "set.dataset.json"}) {
    std::filesystem::create_directory(dir.path(name));
    EXPECT_EQ(refusal(options, dir.path(name) + " is a folder"), "invalid_argument") << name;
    std::filesystem::remove(dir.path(name));
  }
  EXPECT_EQ(check_options(options).name(), dir.path("set.rec"));
}

TEST(Destination, ANameThatIsNotUtf8IsToldPrintably) {
  PackOptions options = valid();
  options.destination = "out/caf\xe9.rec";
  EXPECT_EQ(refusal(options, "out/caf\\xe9.rec"), "invalid_argument");
}

TEST(Destination, ASourceListOfTheSameNameIsLeftAlone) {
  const test::TempDir dir;
  PackOptions options = valid();
  options.source = dir.write("set.lst", "0\t1\ta.jpg\n");
  options.destination = dir.path("set.rec");
  EXPECT_EQ(check_options(options).list, "");
  options.destination = dir.path("other.rec");
  EXPECT_EQ(check_options(options).list, dir.path("other.lst"));
}

}  // namespace
}  // namespace stoker::packing
