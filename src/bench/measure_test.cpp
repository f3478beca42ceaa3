// The instruments: clocks, spreads, the unit's decoder, working folders.
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <vector>

#include "stoker/error.hpp"

#include "bench/bench_checks.hpp"
#include "bench/cpu_clock.hpp"
#include "bench/memory_reader.hpp"
#include "bench/spread.hpp"
#include "bench/turbo_route.hpp"
#include "bench/work_dir.hpp"
#include "jpeg/encoder.hpp"
#include "support/temp_dir.hpp"

namespace stoker::bench {
namespace {

TEST(SpreadOf, TellsThreeNumbers) {
  const Spread odd = spread_of({3, 1, 2});
  EXPECT_EQ(odd.min, 1);
  EXPECT_EQ(odd.median, 2);
  EXPECT_EQ(odd.max, 3);
  EXPECT_EQ(spread_of({4, 1, 2, 3}).median, 2.5);
  EXPECT_EQ(spread_of({7}).median, 7);
  EXPECT_EQ(spread_of({}).max, 0);
}

TEST(CpuClock, CountsWorkAndNotSleep) {
  const double start = thread_cpu_s(), process = process_cpu_s();
  volatile double value = 1;
  while (thread_cpu_s() - start < 0.01) value = value * 1.0000001;
  EXPECT_GE(process_cpu_s() - process, 0.009);  // the two clocks are read one after the other
  const double before = thread_cpu_s(), wall = wall_s();
  timespec pause{0, 50'000'000};
  nanosleep(&pause, nullptr);
  EXPECT_GE(wall_s() - wall, 0.05);
  EXPECT_LT(thread_cpu_s() - before, 0.02);
}

TEST(CpuClock, ResidentMemoryFollowsWhatIsTouched) {
  EXPECT_GT(resident_mib(), 1);
  EXPECT_GE(peak_resident_mib(), resident_mib());
  const bool may_reset = reset_peak_resident();
  const double before = peak_resident_mib();
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  {
    // Mapped by hand: under AddressSanitizer freed blocks stay resident for a while.
    void* const touched = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(touched, MAP_FAILED);
    std::memset(touched, 1, kBytes);
    munmap(touched, kBytes);
  }
  EXPECT_GT(peak_resident_mib(), before + 48);
  if (may_reset) {
    reset_peak_resident();
    EXPECT_LT(peak_resident_mib(), before + 32);
  }
}

TEST(BenchChecks, NameTheOption) {
  EXPECT_NO_THROW(check_option("bench", "runs", 1, 1, 5));
  try {
    check_option("bench", "runs", 6, 1, 5);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "bench runs: 6; allowed: 1..5");
  }
  std::atomic<bool> cancel{false};
  EXPECT_NO_THROW(check_cancel("bench", &cancel));
  EXPECT_NO_THROW(check_cancel("bench", nullptr));
  cancel = true;
  EXPECT_THROW(check_cancel("bench", &cancel), Error);
}

std::vector<std::byte> jpeg_of(int width, int height, int sampling) {
  const auto stride = static_cast<std::size_t>(width) * 3;
  std::vector<std::uint8_t> rgb(stride * static_cast<std::size_t>(height), 128);
  for (std::size_t i = 0; i < rgb.size(); i += 3) rgb[i] = 200;
  jpeg::Encoder encoder;
  const auto file =
      encoder.encode(rgb.data(), width, height, stride, {.luma_h = sampling, .luma_v = sampling});
  return {file->begin(), file->end()};
}

TEST(TurboDecoder, DecodesAndReusesItsMemory) {
  TurboDecoder decoder;
  for (const int width : {40, 17, 64}) {
    const auto pixels = decoder.decode(jpeg_of(width, 24, 2), 1'000'000);
    ASSERT_TRUE(pixels) << pixels.error().what();
    EXPECT_EQ(pixels->width, width);
    EXPECT_EQ(pixels->height, 24);
    EXPECT_NEAR(pixels->data[0], 200, 3);
    EXPECT_NEAR(pixels->data[1], 128, 3);
  }
}

TEST(TurboDecoder, RefusesWhatIsNoJpegAndGoesOn) {
  TurboDecoder decoder;
  const std::vector<std::byte> good = jpeg_of(16, 16, 1);
  std::vector<std::byte> cut(good.begin(), good.begin() + 30);
  for (const std::vector<std::byte>& bad :
       {std::vector<std::byte>{}, std::vector<std::byte>(100, std::byte{7}), cut}) {
    const auto pixels = decoder.decode(bad, 1'000'000);
    ASSERT_FALSE(pixels);
    EXPECT_EQ(pixels.error().code(), ErrorCode::corrupt_data);
    EXPECT_TRUE(decoder.decode(good, 1'000'000));
  }
}

TEST(TurboDecoder, RefusesMorePixelsThanAllowed) {
  TurboDecoder decoder;
  const auto pixels = decoder.decode(jpeg_of(64, 64, 1), 4095);
  ASSERT_FALSE(pixels);
  EXPECT_EQ(pixels.error().code(), ErrorCode::out_of_resources);
  EXPECT_TRUE(decoder.decode(jpeg_of(64, 64, 1), 4096));
}

TEST(MemoryReader, GivesTheSameImageUnderEveryIndex) {
  const std::vector<std::byte> image = make_tiny_jpeg(8);
  EXPECT_LT(image.size(), 400U);  // what makes a container of a million of them small
  const MemoryReader reader(image, 3);
  EXPECT_EQ(reader.size(), 3U);
  Sample sample;
  reader.read(2, sample);
  EXPECT_EQ(sample.key, "2");
  EXPECT_EQ(std::vector<std::byte>(sample.main().begin(), sample.main().end()), image);
  TurboDecoder decoder;
  ASSERT_TRUE(decoder.decode(sample.main(), 64));
}

TEST(WorkDir, IsRemovedWithAllInIt) {
  const test::TempDir parent;
  std::string inside;
  {
    const WorkDir work(parent.path("new"));
    inside = work.path("x");
    std::filesystem::create_directories(inside + "/y");
    EXPECT_TRUE(std::filesystem::exists(inside));
  }
  EXPECT_FALSE(std::filesystem::exists(inside));
  EXPECT_TRUE(std::filesystem::is_empty(parent.path("new")));
  const std::string file = parent.write("file", "");
  EXPECT_THROW(WorkDir{file}, Error);
}

}  // namespace
}  // namespace stoker::bench
