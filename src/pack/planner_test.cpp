#include <filesystem>
#include <gtest/gtest.h>

#include "stoker/error.hpp"
#include "stoker/pack.hpp"

#include "pack/test_images.hpp"

namespace stoker::packing {
namespace {

using namespace test_images;

TEST(Planner, ASmallSourceIsPredictedExactly) {
  const test::TempDir dir;
  write_photos(dir, 40);
  dir.write("photos/ant/000.jpg", "broken");
  PackOptions options{
      .source = dir.path("photos"), .destination = dir.path("out/set.rec"), .resize_short = 64};
  options.max_bad_share = 0.1;
  const PackReport plan = plan_pack(options);
  EXPECT_FALSE(std::filesystem::exists(dir.path("out"))) << "a plan writes nothing";
  const PackReport report = pack(options);
  EXPECT_EQ(plan.inputs, report.inputs);
  EXPECT_EQ(plan.packed, report.packed);
  EXPECT_EQ(plan.skipped_count, report.skipped_count);
  ASSERT_EQ(plan.skipped.size(), 1U);
  EXPECT_EQ(plan.skipped[0].key, "ant/000.jpg");
  EXPECT_EQ(plan.changed, report.changed);
  EXPECT_EQ(plan.bytes_in, report.bytes_in);
  EXPECT_EQ(plan.bytes_out, report.bytes_out);
  EXPECT_EQ(plan.classes, report.classes);
  ASSERT_EQ(plan.shards.size(), 1U);
  EXPECT_EQ(plan.shards[0].records, report.packed);
  EXPECT_GT(plan.images_per_s, 0);
  EXPECT_GT(plan.wall_s, 0);
  EXPECT_GT(plan.cpu_s, 0);
}

TEST(Planner, ALargerSourceIsPredictedFromASample) {
  const test::TempDir dir;
  write_photos(dir, 400);
  const PackOptions options{
      .source = dir.path("photos"), .destination = dir.path("out/set.rec"), .resize_short = 64};
  const PackReport plan = plan_pack(options);
  const PackReport report = pack(options);
  EXPECT_EQ(plan.inputs, 400U);
  EXPECT_EQ(plan.packed, 400U);
  // 64 of 400 evenly spread pictures: their mean size is within a tenth of all of them.
  EXPECT_NEAR(static_cast<double>(plan.bytes_out), static_cast<double>(report.bytes_out),
              0.1 * static_cast<double>(report.bytes_out));
  EXPECT_NEAR(static_cast<double>(plan.bytes_in), static_cast<double>(report.bytes_in),
              0.1 * static_cast<double>(report.bytes_in));
}

TEST(Planner, TooManyBadAreForetold) {
  const test::TempDir dir;
  write_photos(dir, 4);
  dir.write("photos/ant/000.jpg", "broken");
  EXPECT_TRUE(plan_pack({.source = dir.path("photos"), .destination = dir.path("x.rec")}).too_many_bad);
}

TEST(Planner, RefusesWhatPackRefuses) {
  const test::TempDir dir;
  write_photos(dir, 3);
  EXPECT_THROW(plan_pack({.source = dir.path("photos"), .destination = dir.path("x.zip")}), Error);
  EXPECT_THROW(plan_pack({.source = dir.path("nowhere"), .destination = dir.path("x.rec")}), Error);
}

TEST(Planner, ADestinationMayHaveNoFolder) {
  const test::TempDir dir;
  write_photos(dir, 6);
  EXPECT_EQ(plan_pack({.source = dir.path("photos"), .destination = "nowhere-yet.rec"}).packed, 6U);
  EXPECT_FALSE(std::filesystem::exists("nowhere-yet.rec"));
}

TEST(Planner, EachShardOfATarHasItsEnd) {
  const test::TempDir dir;
  write_photos(dir, 6);
  const PackOptions options{
      .source = dir.path("photos"), .destination = dir.path("out/set.tar"), .shards = 3};
  const PackReport plan = plan_pack(options), report = pack(options);
  constexpr double kBlocks = 10240;  // a tar is filled up to a multiple of it
  EXPECT_NEAR(static_cast<double>(plan.bytes_out), static_cast<double>(report.bytes_out), 3 * kBlocks);
  ASSERT_EQ(plan.shards.size(), 3U);
  for (const PackedShard& shard : plan.shards) EXPECT_GT(shard.bytes, kBlocks / 2);
}

TEST(Planner, WritesNothingWhereItCannot) {
  const test::TempDir dir;
  write_photos(dir, 6);
  for (const char* nowhere : {"/proc/no/set.rec", "/no/such/folder/set.rec"}) {
    const PackReport plan = plan_pack({.source = dir.path("photos"), .destination = nowhere});
    EXPECT_EQ(plan.packed, 6U) << nowhere;
    EXPECT_GT(plan.cpu_s, 0) << nowhere;
  }
}

TEST(Planner, FramingIsCountedLikeTheWriters) {
  const test::TempDir dir;
  write_photos(dir, 5);
  for (const char* list : {"0\t1\tant/100.jpg\n1\t2\tbee/101.jpg\n", "0\t1\t2\t3\tant/100.jpg\n"}) {
    PackOptions options{.source = dir.write("photos/some.lst", list)};
    for (const char* name : {"set.rec", "set.tar", "set.tfrecord"}) {
      options.destination = dir.path("out/" + std::string(name).substr(4) + "/" + name);
      EXPECT_EQ(plan_pack(options).bytes_out, pack(options).bytes_out) << name;
    }
  }
}

}  // namespace
}  // namespace stoker::packing
