#include "jpeg/baseline_frame.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "jpeg/fixtures.hpp"

namespace stoker::jpeg {
namespace {

using fixtures::Bytes;

Bytes photo(const fixtures::Options& options = {}) {
  return fixtures::encode(fixtures::picture(50, 37), 50, 37, options);
}

std::optional<NotMine> reason_of(const Bytes& file) {
  BaselineFrame frame;
  return read_baseline_frame(file, frame);
}

// The place of the first segment with this marker.
std::size_t find_marker(const Bytes& file, int marker) {
  for (std::size_t i = 0; i + 1 < file.size(); ++i) {
    if (file[i] == std::byte{0xff} && std::to_integer<int>(file[i + 1]) == marker) return i;
  }
  ADD_FAILURE() << "no such marker";
  return 0;
}

TEST(BaselineFrame, TellsSizesAndTables) {
  BaselineFrame frame;
  ASSERT_FALSE(read_baseline_frame(photo({.h = {2, 1, 1}, .v = {2, 1, 1}, .restart_interval = 3}), frame));
  EXPECT_EQ(frame.width, 50);
  EXPECT_EQ(frame.height, 37);
  EXPECT_EQ(frame.mcus_across, 4);
  EXPECT_EQ(frame.mcus_down, 3);
  EXPECT_EQ(frame.blocks_per_mcu, 6);
  EXPECT_EQ(frame.restart_interval, 3);
  EXPECT_EQ(frame.component[1].width, 25);
  EXPECT_EQ(frame.component[1].height, 19);
  EXPECT_EQ(frame.colour, Colour::ycbcr);
}

TEST(BaselineFrame, TakesAGrayPictureForOneBlockAnMcuWhateverItsFactorsAre) {
  BaselineFrame frame;
  ASSERT_FALSE(read_baseline_frame(photo({.components = 1, .h = {2}, .v = {2}}), frame));
  EXPECT_EQ(frame.blocks_per_mcu, 1);
  EXPECT_EQ(frame.mcus_across, 7);
  EXPECT_EQ(frame.colour, Colour::gray);
}

TEST(BaselineFrame, LeavesOtherProcesses) {
  EXPECT_EQ(reason_of(photo({.progressive = true})), NotMine::process);
  EXPECT_EQ(reason_of(photo({.arithmetic = true})), NotMine::process);
}

TEST(BaselineFrame, LeavesFourComponents) {
  EXPECT_EQ(reason_of(photo({.components = 4})), NotMine::components);
}

TEST(BaselineFrame, LeavesFilesWhoseTablesAreMissing) {
  Bytes file = photo();
  const std::size_t at = find_marker(file, 0xc4);
  const auto length =
      std::to_integer<std::size_t>(file[at + 2]) << 8 | std::to_integer<std::size_t>(file[at + 3]);
  file.erase(file.begin() + static_cast<std::ptrdiff_t>(at),
             file.begin() + static_cast<std::ptrdiff_t>(at + 2 + length));
  EXPECT_EQ(reason_of(file), NotMine::tables);
}

TEST(BaselineFrame, LeavesJunkBetweenSegments) {
  Bytes file = photo();
  file.insert(file.begin() + static_cast<std::ptrdiff_t>(find_marker(file, 0xdb)), std::byte{7});
  EXPECT_EQ(reason_of(file), NotMine::structure);
}

TEST(BaselineFrame, LeavesTwelveBits) {
  Bytes file = photo();
  file[find_marker(file, 0xc0) + 4] = std::byte{12};
  EXPECT_EQ(reason_of(file), NotMine::precision);
}

TEST(BaselineFrame, LeavesRatiosThatAreNotWhole) {
  Bytes file = photo({.h = {3, 1, 1}});
  file[find_marker(file, 0xc0) + 4 + 6 + 4] = std::byte{0x21};
  EXPECT_EQ(reason_of(file), NotMine::sampling);
}

TEST(BaselineFrame, LeavesAScanOfOneOfThreeComponents) {
  Bytes file = photo();
  file[find_marker(file, 0xda) + 4] = std::byte{1};
  EXPECT_EQ(reason_of(file), NotMine::scans);
}

TEST(BaselineFrame, EndsNowhereButInAReason) {
  const Bytes whole = photo({.restart_interval = 2});
  const std::size_t scan = find_marker(whole, 0xda);
  for (std::size_t bytes = 0; bytes < scan; ++bytes) {
    const Bytes exact(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(bytes));
    EXPECT_TRUE(reason_of(exact)) << bytes;
  }
  SampleRng rng(2, 0, 0, 0);
  for (int i = 0; i < 20000; ++i) {  // a sanitizer sees what a damaged header might do
    Bytes file = whole;
    for (std::uint64_t flips = 1 + rng.below(3); flips > 0; --flips) {
      file[rng.below(scan + 12)] ^= static_cast<std::byte>(1u << rng.below(8));
    }
    reason_of(file);
  }
}

}  // namespace
}  // namespace stoker::jpeg
