// The measurements of loading, packing and starting, on sets so small that only what they report can be
// judged.
#include <cmath>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stoker/error.hpp"
#include "stoker/recipe.hpp"

#include "bench/fixtures.hpp"
#include "bench/load_bench.hpp"
#include "bench/loader_cost.hpp"
#include "bench/pack_bench.hpp"
#include "bench/start_bench.hpp"
#include "support/temp_dir.hpp"

namespace stoker::bench {
namespace {

using ::testing::HasSubstr;

LoadBenchOptions load_options(const std::string& source) {
  LoadBenchOptions options;
  options.source = source;
  options.recipe = "random_resized_crop(32) flip normalize(imagenet)";
  options.batch_size = 8;
  options.seconds = 0.1;
  options.rounds = 2;
  return options;
}

TEST(LoadBench, ReportsARowForEachThreadNumber) {
  const test::TempDir dir;
  LoadBenchOptions options = load_options(make_set(dir, 2, 20));
  options.threads = {1, 3, 0};
  options.cost_turns = 1;
  std::vector<std::string> said;
  const LoadBenchReport report =
      run_load_bench(options, [&](const std::string& what) { said.push_back(what); });
  ASSERT_EQ(report.rows.size(), 3U);
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    const LoadRow& row = report.rows[i];
    EXPECT_EQ(row.threads, options.threads[i]);
    EXPECT_GT(row.images_per_s.min, 0);
    EXPECT_LE(row.images_per_s.min, row.images_per_s.max);
    EXPECT_GT(row.images_per_cpu_s, 0);
    EXPECT_GT(row.ratio_to_turbo_per_core.min, 0);
    EXPECT_GT(row.peak_rss_mib, 1);
    EXPECT_GE(row.tuned_threads, 1);
    // One batch's share is as many images' shares as a batch holds at most.
    EXPECT_LE(std::abs(row.overhead_us_per_image), std::abs(row.overhead_us_per_batch));
  }
  EXPECT_EQ(report.rows[0].speedup.max, 1);
  EXPECT_EQ(report.rows[1].tuned_threads, 3);
  EXPECT_EQ(report.samples, 32U);
  EXPECT_EQ(report.batch_size, 8);
  EXPECT_EQ(report.bad_samples, 0U);
  EXPECT_EQ(report.recipe, Recipe::parse(options.recipe).to_string());
  EXPECT_NEAR(report.batch_ring_mib, 4 * 8 * 32 * 32 * 3 * 4 / 1048576.0, 1e-9);
  ASSERT_TRUE(report.cost);
  EXPECT_GT(report.cost->plain_us_per_image, 1);
  ASSERT_TRUE(report.rss_slope_percent);
  EXPECT_EQ(report.epoch_rss_mib.size(), 3U);
  EXPECT_EQ(report.epoch_peak_rss_mib.size(), 3U);
  EXPECT_THAT(said,
              ::testing::ElementsAre(HasSubstr("1 of 2"), HasSubstr("2 of 2"), HasSubstr("own cost"),
                                     HasSubstr("warm-up epoch of 32 samples"), HasSubstr("epoch 1 of 3"),
                                     HasSubstr("epoch 2 of 3"), HasSubstr("epoch 3 of 3")));
}

TEST(LoadBench, CountsBadSamplesAndGoesOn) {
  const test::TempDir dir;
  LoadBenchOptions options = load_options(make_set(dir, 2, 20));
  dir.write("set/train/plain_disk/zz.jpg", "not a picture");
  options.batch_size = 64;  // all of it at once: however slow the machine is, the bad one is met
  options.threads = {1};
  options.epochs = 0;
  options.cost_turns = 0;
  const LoadBenchReport report = run_load_bench(options);
  EXPECT_GT(report.bad_samples, 0U);
  // What was not measured is not 0.
  EXPECT_FALSE(report.rss_slope_percent);
  EXPECT_FALSE(report.cost);
}

TEST(LoadBench, OptionsOutOfRangeAreNamed) {
  const auto message_of = [](auto&& change) {
    LoadBenchOptions options = load_options("nowhere");
    change(options);
    try {
      run_load_bench(options);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing was thrown");
  };
  EXPECT_THAT(message_of([](auto& o) { o.threads = {}; }), HasSubstr("threads"));
  EXPECT_THAT(message_of([](auto& o) { o.threads = {1, -1}; }), HasSubstr("threads: -1"));
  EXPECT_THAT(message_of([](auto& o) { o.batch_size = 0; }), HasSubstr("batch-size: 0"));
  EXPECT_THAT(message_of([](auto& o) { o.seconds = 0; }), HasSubstr("seconds: 0"));
  EXPECT_THAT(message_of([](auto& o) { o.recipe = "blur(3)"; }), HasSubstr("blur"));
  EXPECT_THAT(message_of([](auto&) {}), HasSubstr("nowhere"));
}

TEST(LoadBench, StopsWhenCancelled) {
  const test::TempDir dir;
  LoadBenchOptions options = load_options(make_set(dir, 2, 20));
  options.seconds = 600;
  std::atomic<bool> cancel{false};
  try {
    run_load_bench(options, [&](const std::string&) { cancel = true; }, &cancel);
    FAIL() << "it was not cancelled";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::cancelled);
  }
}

TEST(LoadBench, SecondsBoundTheCostToo) {
  const test::TempDir dir;
  LoadBenchOptions options = load_options(make_set(dir, 2, 20));
  options.threads = {1};
  options.epochs = 0;
  options.rounds = 1;
  options.cost_turns = 8;
  options.seconds = 0.01;  // 1.25 ms a slice: no machine loads 1,280 images in it
  const LoadBenchReport report = run_load_bench(options);
  ASSERT_TRUE(report.cost);
  EXPECT_EQ(report.cost->images, 512U);
}

TEST(LoaderCost, IsMeasuredBesideAPlainLoop) {
  const LoaderCost cost = measure_loader_cost(1, 1, /*slice_s=*/60, nullptr);
  EXPECT_GT(cost.plain_us_per_image, 1);
  EXPECT_EQ(cost.batch_sizes.size(), 2U);
  EXPECT_EQ(cost.images, 4096U);
  EXPECT_EQ(cost.us_per_image.min, cost.us_per_image.max);
  // The loader must not cost more than the work that it hands out, even on a busy machine.
  EXPECT_LT(cost.us_per_image.median, 10 * cost.plain_us_per_image);
}

TEST(LoaderCost, ASliceTakesWholeBatchesWithinItsTime) {
  EXPECT_EQ(images_of_slice(0.1, 50e-6), 896U);  // of 1,000 images in each of two epochs, 7 × 128
  EXPECT_EQ(images_of_slice(0.05, 25e-6), 896U);
  EXPECT_EQ(images_of_slice(1, 250e-6), 1920U);
}

TEST(LoaderCost, ASliceIsNeitherTooShortToTellNorLongerThanATurn) {
  EXPECT_EQ(images_of_slice(1e-9, 50e-6), 512U);
  EXPECT_EQ(images_of_slice(0, 50e-6), 512U);
  EXPECT_EQ(images_of_slice(86400, 50e-6), 4096U);
  EXPECT_EQ(images_of_slice(1, 1e-12), 4096U);
}

TEST(PackBench, ReportsEveryWayOfPacking) {
  const test::TempDir dir;
  PackBenchOptions options;
  options.source = make_set(dir, 2, 20);
  options.work_dir = dir.path("work");
  options.runs = 1;
  options.resize_short = 32;
  options.turbo_seconds = 0.01;
  const PackBenchReport report = run_pack_bench(options);
  EXPECT_EQ(report.images, 32U);
  EXPECT_EQ(report.skipped, 0U);
  ASSERT_EQ(report.rows.size(), 7U);
  EXPECT_EQ(report.rows[0].name, "pass_through");
  EXPECT_EQ(report.rows[1].name, "pass_through_index");
  EXPECT_EQ(report.rows[2].name, "index");
  EXPECT_EQ(report.rows[3].name, "resize_short_32");
  EXPECT_EQ(report.rows[4].name, "pass_through_tar");
  EXPECT_EQ(report.rows[5].name, "pass_through_tfrecord");
  EXPECT_EQ(report.rows[6].name, "copy_files");
  for (const PackRow& row : report.rows) {
    EXPECT_GT(row.images_per_cpu_s.min, 0) << row.name;
    EXPECT_GT(row.ratio_to_turbo.min, 0) << row.name;
    EXPECT_GT(row.images_per_s.min, 0) << row.name;
    EXPECT_GE(row.sync_s, 0) << row.name;
  }
  EXPECT_GE(report.rows[0].bytes_out_to_in, 1);  // framing only
  EXPECT_LT(report.rows[0].bytes_out_to_in, 1.1);
  EXPECT_GT(report.rows[1].bytes_out_to_in, report.rows[0].bytes_out_to_in);
  EXPECT_NEAR(report.rows[2].bytes_out_to_in, report.rows[1].bytes_out_to_in - report.rows[0].bytes_out_to_in,
              1e-9)
      << "the same index";
  EXPECT_LT(report.rows[3].bytes_out_to_in, 0.9);  // a quarter of the pixels
  EXPECT_TRUE(std::filesystem::is_empty(dir.path("work")));
}

TEST(PackBench, ASourceWithoutAnyPictureIsAnError) {
  const test::TempDir dir;
  dir.write("bad/a/x.jpg", "no");
  PackBenchOptions options;
  options.source = dir.path("bad");
  EXPECT_THROW(run_pack_bench(options), Error);
  options.quality = 101;
  EXPECT_THROW(run_pack_bench(options), Error);
}

TEST(StartBench, MakesItsContainerOnceAndMeasuresTheFirstBatch) {
  const test::TempDir dir;
  StartBenchOptions options;
  options.records = 5000;
  options.work_dir = dir.path("work");
  options.runs = 2;
  const StartBenchReport made = run_start_bench(options);
  EXPECT_EQ(made.records, 5000U);
  EXPECT_GT(made.make_s, 0);
  EXPECT_GT(made.container_bytes, 5000U * 100);
  EXPECT_GT(made.open_s.min, 0);
  EXPECT_GT(made.first_batch_s.min, made.open_s.min);
  const StartBenchReport again = run_start_bench(options);
  EXPECT_EQ(again.make_s, 0);
  EXPECT_EQ(again.container_bytes, made.container_bytes);
}

TEST(StartBench, OpensManyShards) {
  const test::TempDir dir;
  StartBenchOptions options;
  options.records = 500;
  options.shards = 7;
  options.work_dir = dir.path("work");
  options.runs = 1;
  const StartBenchReport made = run_start_bench(options);
  EXPECT_EQ(made.records, 500U);
  EXPECT_GT(made.container_bytes, 500U * 100);
  EXPECT_TRUE(std::filesystem::exists(dir.path("work/start-500-7/00006.rec.index")));
  EXPECT_GT(run_start_bench(options).open_s.min, 0);
}

TEST(StartBench, AContainerOfAnotherSizeIsNamed) {
  const test::TempDir dir;
  StartBenchOptions options;
  options.records = 10;
  options.work_dir = dir.path("work");
  options.runs = 1;
  run_start_bench(options);
  std::filesystem::rename(dir.path("work/start-10.rec"), dir.path("work/start-11.rec"));
  options.records = 11;
  try {
    run_start_bench(options);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("start-11.rec"));
  }
  options.records = 0;
  EXPECT_THROW(run_start_bench(options), Error);
}

}  // namespace
}  // namespace stoker::bench
