#include "jpeg/exif.hpp"

#include <array>
#include <gtest/gtest.h>
#include <vector>

#include "base/philox.hpp"

namespace stoker::jpeg {
namespace {

using Bytes = std::vector<std::byte>;

// A little-endian block with `entries` of (tag, type, count, value), each value in its low two bytes.
Bytes block(const std::vector<std::array<int, 4>>& entries) {
  Bytes bytes;
  const auto number = [&](unsigned value, int count) {
    for (int i = 0; i < count; ++i) bytes.push_back(static_cast<std::byte>(value >> (8 * i)));
  };
  bytes = {std::byte{'I'}, std::byte{'I'}, std::byte{42}, std::byte{0}};
  number(8, 4);
  number(static_cast<unsigned>(entries.size()), 2);
  for (const auto& [tag, type, count, value] : entries) {
    number(static_cast<unsigned>(tag), 2);
    number(static_cast<unsigned>(type), 2);
    number(static_cast<unsigned>(count), 4);
    number(static_cast<unsigned>(value), 4);
  }
  number(0, 4);
  return bytes;
}

TEST(Exif, FindsTheTagAmongOthers) {
  EXPECT_EQ(exif_orientation(block({{0x010f, 2, 4, 99}, {0x0112, 3, 1, 6}, {0x011a, 5, 1, 8}})), 6);
}

TEST(Exif, TakesAnythingButOneShortOfOneToEightAsUpright) {
  EXPECT_EQ(exif_orientation({}), 1);
  EXPECT_EQ(exif_orientation(block({})), 1);
  EXPECT_EQ(exif_orientation(block({{0x0112, 3, 1, 0}})), 1);
  EXPECT_EQ(exif_orientation(block({{0x0112, 3, 1, 9}})), 1);
  EXPECT_EQ(exif_orientation(block({{0x0112, 4, 1, 6}})), 1) << "a LONG";
  EXPECT_EQ(exif_orientation(block({{0x0112, 3, 2, 6}})), 1) << "two of them";
}

TEST(Exif, IsMadeUprightInPlace) {
  const Bytes turned = block({{0x010f, 2, 4, 99}, {0x0112, 3, 1, 6}, {0x011a, 5, 1, 8}});
  Bytes upright = turned;
  set_exif_upright(upright);
  EXPECT_EQ(upright, block({{0x010f, 2, 4, 99}, {0x0112, 3, 1, 1}, {0x011a, 5, 1, 8}}));
  Bytes odd = block({{0x0112, 3, 2, 6}});
  set_exif_upright(odd);
  EXPECT_EQ(odd, block({{0x0112, 3, 2, 6}})) << "told as upright already";
  set_exif_upright({});
  Bytes cut(turned.begin(), turned.begin() + 33);
  const Bytes same = cut;
  set_exif_upright(cut);
  EXPECT_EQ(cut, same);
}

TEST(Exif, ReadsNothingBeyondTheBlock) {
  const Bytes whole = block({{0x010f, 2, 4, 99}, {0x0112, 3, 1, 6}});
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(bytes));
    const int orientation = exif_orientation(cut);
    // The entry ends at byte 34; only the offset of the next directory lies behind it.
    EXPECT_EQ(orientation, bytes >= 34 ? 6 : 1) << bytes;
  }
}

TEST(Exif, SurvivesAnyBytes) {
  SampleRng rng(3, 0, 0, 0);
  const Bytes whole = block({{0x010f, 2, 4, 99}, {0x0112, 3, 1, 6}});
  for (int i = 0; i < 5'000; ++i) {
    Bytes damaged = whole;
    for (int changes = 0; changes < 4; ++changes)
      damaged[rng.below(damaged.size())] = static_cast<std::byte>(rng.below(256));
    const int orientation = exif_orientation(damaged);
    EXPECT_GE(orientation, 1);
    EXPECT_LE(orientation, 8);
  }
}

}  // namespace
}  // namespace stoker::jpeg
