#include "record/shard_name.hpp"

#include "record/record_fixture.hpp"

namespace stoker::record {
namespace {

TEST(ShardName, NumbersAreTakenOff) {
  EXPECT_EQ(without_shard_count("x.tfrecord-00003-of-00010"), "x.tfrecord");
  EXPECT_EQ(without_shard_count("x-00003"), "x-00003");
  EXPECT_EQ(without_shard_count("x-of-3"), "x-of-3");
  EXPECT_EQ(without_shard_number("x-00003"), "x");
  EXPECT_EQ(without_shard_number("x-00003-of-00010"), "x");
  EXPECT_EQ(without_shard_number("a-b"), "a-b");
  EXPECT_EQ(without_shard_number("12"), "12");
  EXPECT_EQ(without_shard_number(""), "");
}

TEST(ShardName, FormatsByName) {
  EXPECT_EQ(format_of_shard_name("a/x.rec"), RecordFormat::recordio);
  EXPECT_EQ(format_of_shard_name("x.tgz"), RecordFormat::tar);
  EXPECT_EQ(format_of_shard_name("x.tar.gz"), RecordFormat::tar);
  EXPECT_EQ(format_of_shard_name("x.tfrecord.gz"), RecordFormat::tfrecord);
  EXPECT_EQ(format_of_shard_name("x.tfrecord-00000-of-00002"), RecordFormat::tfrecord);
  EXPECT_EQ(format_of_shard_name("train-00000-of-01024"), RecordFormat::tfrecord);
  EXPECT_FALSE(format_of_shard_name("x.jpg"));
  EXPECT_FALSE(format_of_shard_name("x.gz"));
}

TEST(ShardName, SideFiles) {
  for (const char* name : {"x.idx", "x.rec.index", "x.rec.seek", "x.lst", "x.dataset.json", "x.skipped.tsv"})
    EXPECT_TRUE(is_side_file(name)) << name;
  for (const char* name : {"x.rec", "index", "x.jpg", "x.tar.gz"}) EXPECT_FALSE(is_side_file(name)) << name;
}

TEST(ShardName, DescribedPathsStayBelowTheirFolder) {
  EXPECT_EQ(path_within("set/", "00/x.rec"), "set/00/x.rec");
  EXPECT_EQ(path_within("", "x..rec"), "x..rec");
  for (const char* path : {"", "/etc/passwd", "../x.rec", "a/../../x.rec", "a/.."})
    EXPECT_FALSE(path_within("set/", path)) << path;
}

}  // namespace
}  // namespace stoker::record
