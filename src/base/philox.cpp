#include "base/philox.hpp"

namespace stoker {

std::array<std::uint32_t, 4> philox4x32_10(std::array<std::uint32_t, 4> counter,
                                           std::array<std::uint32_t, 2> key) {
  constexpr std::uint32_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{kMultiplier0} * counter[0];
    const std::uint64_t p1 = std::uint64_t{kMultiplier1} * counter[2];
    counter = {static_cast<std::uint32_t>(p1 >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(p1),
               static_cast<std::uint32_t>(p0 >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(p0)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return counter;
}

std::uint32_t SampleRng::next_u32() {
  if (used_ == 4) {
    block_ = philox4x32_10(counter_, key_);
    ++counter_[0];
    used_ = 0;
  }
  return block_[used_++];
}

std::uint64_t SampleRng::next_u64() {
  const std::uint64_t low = next_u32();
  return low | std::uint64_t{next_u32()} << 32;
}

double SampleRng::uniform() { return static_cast<double>(next_u64() >> 11) * 0x1.0p-53; }

// Source: Lemire, "Fast random integer generation in an interval", 2019: multiply-shift with rejection.
std::uint64_t SampleRng::below(std::uint64_t n) {
  __extension__ using Wide = unsigned __int128;
  Wide product = Wide{next_u64()} * n;
  if (static_cast<std::uint64_t>(product) < n) {
    const std::uint64_t threshold = (0 - n) % n;
    while (static_cast<std::uint64_t>(product) < threshold) product = Wide{next_u64()} * n;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

}  // namespace stoker
