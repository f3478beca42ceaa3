#include "pack/shard_summary.hpp"

#include <gtest/gtest.h>

#include "base/crc.hpp"
#include "pack/tally.hpp"

namespace stoker::packing {
namespace {

PackedSample sample(std::uint64_t i) {
  PackedSample made;
  made.key = std::string("k\xff") + std::to_string(i);  // keys may be any bytes
  made.bytes_in = i * 10;
  made.sample.labels = {static_cast<float>(i)};
  if (i % 3 == 2)
    made.fault = Error(ErrorCode::corrupt_data, {.operation = "decode", .found = "no \xfe JPEG"});
  return made;
}

ShardSummary summary_of(std::uint64_t first, std::uint64_t end) {
  const PackOptions options;
  Tally tally(options, {first, end});
  for (std::uint64_t i = first; i < end; ++i) tally.add(sample(i));
  tally.summary().report.shards = {{.path = {}, .records = end - first, .bytes = 100, .crc32c = 7}};
  tally.summary().report.bytes_out = 100;
  return std::move(tally.summary());
}

TEST(ShardSummary, ReadsBackToTheSame) {
  const ShardSummary before = summary_of(3, 9);
  const auto after = summary_from_bytes(to_bytes(before), "x");
  ASSERT_TRUE(after);
  EXPECT_EQ(to_bytes(*after), to_bytes(before));
  EXPECT_EQ(after->report.skipped_count, 2U);
  EXPECT_EQ(after->report.skipped[0].key,
            "k\xff"
            "5");
  EXPECT_EQ(after->range.first, 3U);
  EXPECT_EQ(after->source, before.source);
}

TEST(ShardSummary, NeighboursAddUpToTheWhole) {
  ShardSummary sum;
  add_summary(sum, summary_of(0, 4));
  add_summary(sum, summary_of(4, 4));
  add_summary(sum, summary_of(4, 11));
  const ShardSummary whole = summary_of(0, 11);
  EXPECT_EQ(sum.source, whole.source) << "the CRC of the source does not tell where it was cut";
  EXPECT_EQ(sum.report.inputs, 11U);
  EXPECT_EQ(sum.report.packed + sum.report.skipped_count, 11U);
  EXPECT_EQ(sum.report.shards.size(), 3U);
  EXPECT_EQ(sum.range.end, 11U);
}

TEST(ShardSummary, DamageIsNamed) {
  const std::string bytes = to_bytes(summary_of(0, 3));
  for (std::size_t size = 0; size < bytes.size(); size += 7) {
    const auto read = summary_from_bytes(std::string_view(bytes).substr(0, size), "folder/x.finished");
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code(), ErrorCode::corrupt_data);
    EXPECT_NE(std::string_view(read.error().what()).find("folder/x.finished"), std::string_view::npos);
  }
}

}  // namespace
}  // namespace stoker::packing
