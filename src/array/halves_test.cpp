#include "array/halves.hpp"

#include <bit>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

#include "base/endian.hpp"
#include "base/float16.hpp"
#include "base/simd_targets.hpp"

namespace stoker::array {
namespace {

TEST(Halves, EveryOneIsFromF16sOnEveryTargetAtAnyAlignment) {
  constexpr std::size_t kCount = 0x10000;
  for (const std::size_t shift : {0U, 1U}) {
    std::vector<std::byte> halves(2 * kCount + shift);
    for (std::size_t i = 0; i < kCount; ++i) store_le(&halves[2 * i + shift], static_cast<std::uint16_t>(i));
    test::on_every_target([&] {
      std::vector<float> out(kCount);
      floats_from_halves(halves.data() + shift, out);
      for (std::size_t i = 0; i < kCount; ++i) {
        const float wanted = from_f16(static_cast<std::uint16_t>(i));
        ASSERT_EQ(std::bit_cast<std::uint32_t>(out[i]), std::bit_cast<std::uint32_t>(wanted)) << i;
      }
    });
  }
}

TEST(Halves, AnyCount) {
  for (std::size_t count = 0; count < 40; ++count) {
    std::vector<std::byte> halves(2 * count);
    for (std::size_t i = 0; i < count; ++i) store_le(&halves[2 * i], to_f16(static_cast<float>(i)));
    test::on_every_target([&] {
      std::vector<float> out(count + 1, -1);
      floats_from_halves(halves.data(), std::span(out).first(count));
      for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(out[i], static_cast<float>(i));
      EXPECT_EQ(out[count], -1);
    });
  }
}

}  // namespace
}  // namespace stoker::array
