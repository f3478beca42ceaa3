#include "bench/decode_bench.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stoker/error.hpp"

#include "bench/decode_routes.hpp"
#include "bench/fixtures.hpp"
#include "support/temp_dir.hpp"

namespace stoker::bench {
namespace {

using ::testing::HasSubstr;

DecodeBenchOptions options_of(const std::string& source) {
  DecodeBenchOptions options;
  options.source = source;
  options.runs = 2;
  options.output_size = 32;
  return options;
}

TEST(DecodeBench, HoldsEveryRouteAgainstItsBaselineAndFindsThemExact) {
  const test::TempDir dir;
  const DecodeBenchReport report = run_decode_bench(options_of(make_set(dir, 3, 5)));
  EXPECT_EQ(report.images, 12U);
  EXPECT_EQ(report.skipped, 0U);
  EXPECT_NEAR(report.mean_megapixels, kSetWidth * kSetHeight / 1e6, 1e-9);
  EXPECT_GT(report.mean_bytes, 500);
  ASSERT_EQ(report.rows.size(), 6U);
  const std::vector<std::pair<std::string, std::string>> expected{
      {"turbo_full", "turbo_full"},        {"stoker_full", "turbo_full"},
      {"turbo_full_resize", "turbo_full"}, {"stoker_rrc", "turbo_full_resize"},
      {"turbo_eval_resize", "turbo_full"}, {"stoker_eval", "turbo_eval_resize"}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const DecodeRow& row = report.rows[i];
    EXPECT_EQ(row.name, expected[i].first);
    EXPECT_EQ(row.baseline, expected[i].second) << row.name;
    EXPECT_TRUE(row.exact) << row.name;
    EXPECT_GT(row.images_per_s.min, 0) << row.name;
    EXPECT_LE(row.images_per_s.min, row.images_per_s.median) << row.name;
    EXPECT_LE(row.images_per_s.median, row.images_per_s.max) << row.name;
    EXPECT_GT(row.ratio_to_turbo.min, 0) << row.name;
  }
  // A route is its own baseline at exactly one time its own rate.
  EXPECT_EQ(report.rows[0].ratio_to_turbo.min, 1);
  EXPECT_EQ(report.rows[0].ratio_to_turbo_full.max, 1);
}

TEST(DecodeBench, LeavesOutWhatOneSideCannotDecodeAndNamesIt) {
  const test::TempDir dir;
  const std::string source = make_set(dir, 3, 5);
  dir.write("set/train/checked_cross/aa.jpg", "not a picture");
  dir.write("set/train/plain_disk/zz.jpg", "");
  const DecodeBenchReport report = run_decode_bench(options_of(source));
  EXPECT_EQ(report.images, 12U);
  EXPECT_EQ(report.skipped, 2U);
  EXPECT_THAT(report.first_skipped, HasSubstr("checked_cross/aa.jpg"));
}

TEST(DecodeBench, TakesAtMostItsLimitSpreadOverTheSource) {
  const test::TempDir dir;
  DecodeBenchOptions options = options_of(make_set(dir, 3, 5));
  options.limit = 3;
  EXPECT_EQ(run_decode_bench(options).images, 3U);
  const std::unique_ptr<RecordReader> records = open_records(options.source);
  const BenchSamples spread = read_bench_samples(*records, 3, std::size_t{1} << 30, kDefaultMaxPixels);
  ASSERT_EQ(spread.samples.size(), 3U);
  EXPECT_EQ(spread.samples[0].index, 0U);
  EXPECT_EQ(spread.samples[1].index, 4U);
  EXPECT_EQ(spread.samples[2].index, 8U);
  // A limit on memory, too: the first sample is always taken.
  EXPECT_EQ(read_bench_samples(*records, 12, 1, kDefaultMaxPixels).samples.size(), 1U);
}

TEST(DecodeBench, ASourceWithoutAnyPictureIsAnError) {
  const test::TempDir dir;
  dir.write("bad/a/x.jpg", "no");
  try {
    run_decode_bench(options_of(dir.path("bad")));
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_THAT(error.what(), HasSubstr("a/x.jpg"));
  }
}

TEST(DecodeBench, OptionsOutOfRangeAreNamed) {
  DecodeBenchOptions options = options_of("nowhere");
  options.runs = 0;
  try {
    run_decode_bench(options);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "bench decode runs: 0; allowed: 1..1000");
  }
}

TEST(DecodeBench, TellsItsProgressAndStopsWhenCancelled) {
  const test::TempDir dir;
  const DecodeBenchOptions options = options_of(make_set(dir, 3, 5));
  std::vector<int> done;
  std::atomic<bool> cancel{false};
  try {
    run_decode_bench(
        options,
        [&](int runs, int of) {
          EXPECT_EQ(of, 3);
          done.push_back(runs);
          cancel = runs == 2;
        },
        &cancel);
    FAIL() << "it was not cancelled";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::cancelled);
  }
  EXPECT_THAT(done, ::testing::ElementsAre(1, 2));
}

// A route whose pixels are given.
class FixedRoute : public DecodeRoute {
 public:
  FixedRoute(const char* name, const char* baseline, bool reference, std::vector<std::uint8_t> pixels,
             int width)
      : name_(name), baseline_(baseline), reference_(reference), pixels_(std::move(pixels)), width_(width) {}
  const char* name() const override { return name_; }
  const char* baseline() const override { return baseline_; }
  bool is_reference() const override { return reference_; }
  image::RgbView run(std::size_t) override {
    const int height = static_cast<int>(pixels_.size()) / 3 / width_;
    return {pixels_.data(), width_, height, static_cast<std::size_t>(width_) * 3};
  }

 private:
  const char* name_;
  const char* baseline_;
  bool reference_;
  std::vector<std::uint8_t> pixels_;
  int width_;
};

TEST(DecodeRoutes, OnePixelOrAnotherShapeIsNotExact) {
  const std::vector<std::uint8_t> pixels(4 * 3, 10);
  std::vector<std::uint8_t> last_differs = pixels;
  last_differs.back() = 11;
  DecodeRoutes routes;
  routes.push_back(std::make_unique<FixedRoute>("base", "base", true, pixels, 2));
  routes.push_back(std::make_unique<FixedRoute>("same", "base", false, pixels, 2));
  routes.push_back(std::make_unique<FixedRoute>("other", "base", false, last_differs, 2));
  routes.push_back(std::make_unique<FixedRoute>("wide", "base", false, pixels, 4));
  EXPECT_THAT(measure_exactness(routes, 2, nullptr), ::testing::ElementsAre(true, true, false, false));
  EXPECT_EQ(baseline_of(routes, 3), 0U);
  routes.push_back(std::make_unique<FixedRoute>("lost", "nothing", false, pixels, 2));
  EXPECT_THROW(baseline_of(routes, 4), Error);
}

}  // namespace
}  // namespace stoker::bench
