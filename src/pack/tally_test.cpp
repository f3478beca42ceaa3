#include "pack/tally.hpp"

#include <gtest/gtest.h>

namespace stoker::packing {
namespace {

PackedSample good(const std::string& key, std::uint64_t bytes) {
  PackedSample sample;
  sample.key = key;
  sample.bytes_in = bytes;
  return sample;
}

PackedSample bad(const std::string& key) {
  PackedSample sample;
  sample.key = key;
  sample.fault = Error(ErrorCode::corrupt_data, {.operation = "decode", .found = "no JPEG"});
  return sample;
}

TEST(Tally, EveryInputIsAccountedFor) {
  const PackOptions options;
  Tally tally(options, {});
  EXPECT_TRUE(tally.add(good("a", 10)));
  EXPECT_FALSE(tally.add(bad("b")));
  PackedSample changed = good("c", 5);
  changed.changes.add(Change::resized);
  changed.changes.add(Change::reencoded);
  changed.warning = "premature end";
  changed.kept = "progressive, damaged";
  EXPECT_TRUE(tally.add(changed));
  const PackReport& report = tally.report();
  EXPECT_EQ(report.inputs, 3U);
  EXPECT_EQ(report.packed, 2U);
  EXPECT_EQ(report.skipped_count, 1U);
  EXPECT_EQ(report.bytes_in, 15U);
  EXPECT_EQ(report.changed, (std::map<std::string, std::uint64_t>{{"resized", 1}, {"reencoded", 1}}));
  EXPECT_EQ(report.kept, (std::map<std::string, std::uint64_t>{{"progressive, damaged", 1}}));
  ASSERT_EQ(report.skipped.size(), 1U);
  EXPECT_EQ(report.skipped[0].key, "b");
  EXPECT_EQ(report.skipped[0].reason, "decode: no JPEG");
  ASSERT_EQ(report.warned.size(), 1U);
  EXPECT_EQ(report.warned[0].key, "c");
}

TEST(Tally, RaiseNamesTheSample) {
  const PackOptions options{.on_error = OnError::raise};
  Tally tally(options, {});
  try {
    tally.add(bad("cats/7.jpg"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::corrupt_data);
    EXPECT_EQ(error.parts().object, "cats/7.jpg");
  }
}

struct ShareCase {
  double allowed;
  int good, bad;
  bool too_many;
};

class BadShare : public testing::TestWithParam<ShareCase> {};

TEST_P(BadShare, IsOfTheInputs) {
  const ShareCase c = GetParam();
  const PackOptions options{.max_bad_share = c.allowed};
  Tally tally(options, {});
  for (int i = 0; i < c.good; ++i) tally.add(good("g", 1));
  for (int i = 0; i < c.bad; ++i) tally.add(bad("b"));
  EXPECT_EQ(too_many_bad(tally.report(), options), c.too_many);
}

INSTANTIATE_TEST_SUITE_P(Shares, BadShare,
                         testing::Values(ShareCase{0, 5, 0, false}, ShareCase{0, 99, 1, true},
                                         ShareCase{0.01, 99, 1, false}, ShareCase{0.01, 98, 1, true},
                                         ShareCase{0.29, 71, 29, false}, ShareCase{0.29, 70, 30, true},
                                         ShareCase{1, 0, 9, false}));

TEST(Tally, TheFingerprintDependsOnKeysSizesAndOrder) {
  const PackOptions options;
  const auto fingerprint = [&](std::initializer_list<std::pair<const char*, int>> samples) {
    Tally tally(options, {});
    for (const auto& [key, bytes] : samples) tally.add(good(key, static_cast<std::uint64_t>(bytes)));
    return tally.summary().source;
  };
  const record::ManifestSource base = fingerprint({{"a", 1}, {"b", 2}});
  EXPECT_EQ(base.samples, 2U);
  EXPECT_EQ(base.bytes, 3U);
  EXPECT_EQ(base.crc32c, fingerprint({{"a", 1}, {"b", 2}}).crc32c);
  EXPECT_NE(base.crc32c, fingerprint({{"b", 2}, {"a", 1}}).crc32c);
  EXPECT_NE(base.crc32c, fingerprint({{"a", 2}, {"b", 1}}).crc32c);
  EXPECT_NE(base.crc32c, fingerprint({{"ab", 1}, {"", 2}}).crc32c);
}

}  // namespace
}  // namespace stoker::packing
