#include "jpeg/unstuff.hpp"

#include <gtest/gtest.h>
#include <memory>

#include "base/philox.hpp"
#include "base/simd_targets.hpp"

namespace stoker::jpeg {
namespace {

using Bytes = std::vector<std::uint8_t>;

// Runs one of the two over a copy that ends where memory ends, so that a sanitizer sees each read behind it.
template <class Unstuff>
std::tuple<Bytes, std::size_t, std::vector<std::uint32_t>> run(const Bytes& source, const Unstuff& function) {
  const auto exact = std::make_unique<std::uint8_t[]>(source.size());
  std::copy(source.begin(), source.end(), exact.get());
  Bytes target(source.size() + kUnstuffSlack);
  std::vector<std::uint32_t> dropped;
  const Unstuffed done =
      function(exact.get(), exact.get() + source.size(), target.data(), &dropped, target.data());
  target.resize(static_cast<std::size_t>(done.target - target.data()));
  return {target, static_cast<std::size_t>(done.source - exact.get()), dropped};
}

TEST(Unstuff, DropsTheZeroBehindEachFf) {
  const auto [bytes, stop, dropped] = run({1, 0xff, 0, 2, 0xff, 0, 0xff, 0, 3}, unstuff_scalar);
  EXPECT_EQ(bytes, (Bytes{1, 0xff, 2, 0xff, 0xff, 3}));
  EXPECT_EQ(stop, 9u);
  EXPECT_EQ(dropped, (std::vector<std::uint32_t>{2, 4, 5}));
}

TEST(Unstuff, StopsAtAMarker) {
  const auto [bytes, stop, dropped] = run({1, 2, 0xff, 0xd9, 4}, unstuff_scalar);
  EXPECT_EQ(bytes, (Bytes{1, 2}));
  EXPECT_EQ(stop, 2u);
  EXPECT_TRUE(dropped.empty());
}

TEST(Unstuff, KeepsAnFfThatIsTheLastByte) {
  EXPECT_EQ(std::get<0>(run({7, 0xff}, unstuff_scalar)), (Bytes{7, 0xff}));
}

TEST(Unstuff, IsTheSameWithSimd) {
  test::on_every_target([] {
    SampleRng rng(3, 0, 0, 0);
    for (int i = 0; i < 2000; ++i) {
      Bytes source(rng.below(300));
      const std::uint32_t share = 2 + static_cast<std::uint32_t>(rng.below(60));
      for (std::uint8_t& byte : source) {
        const std::uint32_t draw = rng.next_u32() % share;
        byte = draw == 0 ? 0xff : static_cast<std::uint8_t>(rng.next_u32() % 255);
      }
      for (std::size_t k = 1; k < source.size(); ++k) {
        if (source[k - 1] == 0xff && rng.below(30) != 0) source[k] = 0;
      }
      ASSERT_EQ(run(source, unstuff), run(source, unstuff_scalar));
    }
  });
}

}  // namespace
}  // namespace stoker::jpeg
