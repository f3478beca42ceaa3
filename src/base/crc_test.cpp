#include "base/crc.hpp"

#include <gtest/gtest.h>
#include <string_view>
#include <vector>

namespace stoker {
namespace {

std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

// Source: RFC 3720 appendix B.4 (zeros), and the check value "123456789" of both polynomials.
TEST(Crc, EqualsPublishedCheckValues) {
  EXPECT_EQ(crc32c(bytes("123456789")), 0xE3069283u);
  EXPECT_EQ(crc32_zlib(bytes("123456789")), 0xCBF43926u);
  const std::vector<std::byte> zeros(32);
  EXPECT_EQ(crc32c(zeros), 0x8A9136AAu);
  EXPECT_EQ(crc32c({}), 0u);
}

TEST(Crc, FastEqualsReferenceAtEveryLengthAndSplit) {
  std::vector<std::byte> data(20'000);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(i * 131 ^ i >> 8);
  const std::span<const std::byte> all(data);
  for (std::size_t length = 0; length < 70; ++length)
    EXPECT_EQ(crc32c(all.subspan(3, length)), crc32c_reference(all.subspan(3, length))) << length;
  for (const std::size_t length : {6143, 6144, 6145, 12'288, 19'999})
    EXPECT_EQ(crc32c(all.first(length)), crc32c_reference(all.first(length))) << length;
  EXPECT_EQ(crc32c(all.subspan(7'000), crc32c(all.first(7'000))), crc32c(all));
}

TEST(Crc, TwoRunsCombineToTheirWhole) {
  std::vector<std::byte> data(70'000);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(i * 7 ^ i >> 5);
  const std::span<const std::byte> all(data);
  for (const std::size_t split : {0, 1, 7, 4'096, 65'536, 69'999, 70'000})
    EXPECT_EQ(crc32c_combine(crc32c(all.first(split)), crc32c(all.subspan(split)), all.size() - split),
              crc32c(all))
        << split;
}

}  // namespace
}  // namespace stoker
