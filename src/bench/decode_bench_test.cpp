#include "bench/decode_bench.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stoker/error.hpp"

#include "bench/decode_routes.hpp"
#include "bench/fixtures.hpp"
#include "support/temp_dir.hpp"

namespace stoker::bench {
namespace {

using ::testing::HasSubstr;

// Of small synthetic pictures, far above the published error of photos: only what is no error of rounding
// shows.
constexpr double kFastMeanBound = 8;

DecodeBenchOptions options_of(const std::string& source) {
  DecodeBenchOptions options;
  options.source = source;
  options.runs = 2;
  options.routes.output_size = 32;
  return options;
}

TEST(DecodeBench, HoldsEveryRouteAgainstItsBaselineAndFindsThemExact) {
  const test::TempDir dir;
  const DecodeBenchReport report = run_decode_bench(options_of(make_set(dir, 3, 5)));
  EXPECT_EQ(report.images, 12U);
  EXPECT_EQ(report.skipped, 0U);
  EXPECT_GT(report.mean_seek_bytes, 0);
  EXPECT_NEAR(report.mean_megapixels, kSetWidth * kSetHeight / 1e6, 1e-9);
  EXPECT_GT(report.mean_bytes, 500);
  const std::vector<std::pair<std::string, std::string>> expected{
      {"turbo_full", "turbo_full"},
      {"stoker_full", "turbo_full"},
      {"stoker_index", "turbo_full"},
      {"turbo_full_resize", "turbo_full"},
      {"stoker_rrc", "turbo_full_resize"},
      {"stoker_rrc_learn", "turbo_full_resize"},
      {"stoker_rrc_learn_full", "turbo_full_resize"},
      {"stoker_rrc_seek", "turbo_full_resize"},
      {"stoker_rrc_fast", "turbo_full_resize"},
      {"stoker_rrc_seek_fast", "turbo_full_resize"},
      {"turbo_eval_resize", "turbo_full"},
      {"stoker_eval", "turbo_eval_resize"},
      {"stoker_eval_seek", "turbo_eval_resize"},
      {"stoker_eval_fast", "turbo_eval_resize"}};
  ASSERT_EQ(report.rows.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const DecodeRow& row = report.rows[i];
    EXPECT_EQ(row.name, expected[i].first);
    EXPECT_EQ(row.baseline, expected[i].second) << row.name;
    if (row.name.ends_with("fast")) {
      ASSERT_TRUE(row.check.error) << row.name;
      EXPECT_LT(row.check.error->mean, kFastMeanBound) << row.name;
    } else {
      EXPECT_TRUE(row.check.exact) << row.name;
    }
    EXPECT_EQ(row.check.turbo_images, row.name.starts_with("turbo") ? 12U : 0U) << row.name;
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
  const char* about() const override { return ""; }
  const char* baseline() const override { return baseline_; }
  bool is_reference() const override { return reference_; }
  bool took_turbo() const override { return false; }
  void run(std::size_t, std::span<const std::byte>) override {}
  image::RgbView pixels(std::size_t, std::span<const std::byte>) override {
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
  const std::vector<RouteCheck> checks = check_routes(routes, std::vector<BenchSample>(2), nullptr);
  EXPECT_TRUE(checks[0].exact);
  EXPECT_TRUE(checks[1].exact);
  EXPECT_FALSE(checks[2].exact);
  ASSERT_TRUE(checks[2].error);
  EXPECT_EQ(checks[2].error->max, 1);
  EXPECT_FALSE(checks[3].exact);
  EXPECT_FALSE(checks[3].error);
  EXPECT_EQ(baseline_of(routes, 3), 0U);
  routes.push_back(std::make_unique<FixedRoute>("lost", "nothing", false, pixels, 2));
  EXPECT_THROW(baseline_of(routes, 4), Error);
}

TEST(DecodeRoutes, NamesChooseAmongThemAndBringTheirBaselines) {
  const std::vector<BenchSample> none;
  RouteOptions options;
  options.names = {"stoker_eval", "stoker_index"};
  std::vector<std::string> names;
  for (const auto& route : make_decode_routes(none, options)) names.emplace_back(route->name());
  EXPECT_THAT(names,
              ::testing::ElementsAre("turbo_full", "stoker_index", "turbo_eval_resize", "stoker_eval"));
  options.names = {"stoker_evil"};
  try {
    make_decode_routes(none, options);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("stoker_evil"));
    EXPECT_THAT(error.what(), HasSubstr("stoker_rrc_seek"));
  }
}

TEST(DecodeBench, SamplesAreMadeAnewInAnotherSampling) {
  const test::TempDir dir;
  const std::unique_ptr<RecordReader> records = open_records(make_set(dir, 3, 5));
  for (const auto& [form, sampling] :
       {std::pair(SampleForm::ycc420, "2x2 1x1 1x1"), std::pair(SampleForm::ycc444, "1x1 1x1 1x1")}) {
    const BenchSamples set = read_bench_samples(*records, 12, std::size_t{1} << 30, kDefaultMaxPixels, form);
    ASSERT_EQ(set.samples.size(), 12U);
    std::uint64_t bytes = 0;
    for (const BenchSample& sample : set.samples) {
      const ImageInfo info = read_image_info(sample.bytes);
      EXPECT_EQ(info.sampling, sampling);
      EXPECT_EQ(info.width, kSetWidth);
      EXPECT_FALSE(sample.key.empty());
      bytes += sample.bytes.size();
    }
    EXPECT_EQ(set.bytes, bytes);
  }
}

TEST(DecodeBench, ReadsFromTheSourceWithinTheTimingWhereAskedTo) {
  const test::TempDir dir;
  DecodeBenchOptions options = options_of(make_set(dir, 2, 5));
  options.routes.names = {"stoker_rrc_seek"};
  for (const SampleSource from : {SampleSource::cache, SampleSource::cold}) {
    options.from = from;
    const DecodeBenchReport report = run_decode_bench(options);
    EXPECT_EQ(report.from, from);
    EXPECT_EQ(report.images, 8U);
    ASSERT_EQ(report.rows.size(), 3U);
    for (const DecodeRow& row : report.rows) EXPECT_GT(row.images_per_s.min, 0) << row.name;
  }
  options.as = SampleForm::ycc420;
  EXPECT_THROW(run_decode_bench(options), Error) << "the source holds no such bytes";
}

TEST(DecodeFeed, BytesOfTheSourceAreThoseHeld) {
  const test::TempDir dir;
  const std::unique_ptr<RecordReader> records = open_records(make_set(dir, 2, 5));
  const BenchSamples set = read_bench_samples(*records, 4, std::size_t{1} << 30, kDefaultMaxPixels);
  for (const SampleSource from : {SampleSource::memory, SampleSource::cache, SampleSource::cold}) {
    DecodeFeed feed(from, *records, set.samples);
    feed.begin_turn(0, 4);
    for (std::size_t i = 0; i < 4; ++i) {
      const std::span<const std::byte> bytes = feed.bytes(i);
      EXPECT_TRUE(
          std::equal(bytes.begin(), bytes.end(), set.samples[i].bytes.begin(), set.samples[i].bytes.end()))
          << to_string(from) << " " << i;
    }
  }
  EXPECT_THROW(drop_pages(dir.path("none.rec")), Error);
}

}  // namespace
}  // namespace stoker::bench
