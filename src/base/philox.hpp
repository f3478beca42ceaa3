// The counter-based generator behind every random choice: a pure function, no state to save or to share.
#pragma once

#include <array>
#include <cstdint>

namespace stoker {

// Philox 4x32-10. Source: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
std::array<std::uint32_t, 4> philox4x32_10(std::array<std::uint32_t, 4> counter,
                                           std::array<std::uint32_t, 2> key);

// The draws of one step on one sample: a pure function of (seed, epoch, index, step), whoever asks and in
// whatever order.
class SampleRng {
 public:
  SampleRng(std::uint64_t seed, std::uint64_t epoch, std::uint64_t index, std::uint32_t step)
      : counter_{step << 16, static_cast<std::uint32_t>(epoch), static_cast<std::uint32_t>(index),
                 static_cast<std::uint32_t>(index >> 32)},
        key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)} {}

  std::uint32_t next_u32();
  std::uint64_t next_u64();
  // In [0, 1), 53 bits.
  double uniform();
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  // In [0, n), without bias; n > 0.
  std::uint64_t below(std::uint64_t n);

 private:
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> block_{};
  unsigned used_ = 4;
};

}  // namespace stoker
