// Most mutations of a JPEG go to its coded data, which a whole file's mutations would seldom reach: half of a
// small file is header, and little of that can change without the file being refused.
#include <cstring>

#include "fuzzer.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t bytes, std::size_t most_bytes);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t bytes, std::size_t most_bytes,
                                               unsigned seed) {
  using stoker::fuzz::kChoiceBytes;
  constexpr std::uint8_t kScan[] = {0xff, 0xda};
  constexpr std::size_t kLongestScanHeader = 14;
  stoker::SampleRng rng(seed, 0, 0, 0);
  const auto kind = rng.below(8);
  if (bytes <= kChoiceBytes || kind == 0) return LLVMFuzzerMutate(data, bytes, most_bytes);
  if (kind == 1) {
    LLVMFuzzerMutate(data, kChoiceBytes, kChoiceBytes);
    return bytes;
  }
  const auto* scan = static_cast<const std::uint8_t*>(memmem(data, bytes, kScan, sizeof kScan));
  if (scan == nullptr) return LLVMFuzzerMutate(data, bytes, most_bytes);
  const auto begin = static_cast<std::size_t>(scan - data) + kLongestScanHeader;
  if (begin >= bytes) return LLVMFuzzerMutate(data, bytes, most_bytes);
  // The end marker stays, more often than not.
  const std::size_t kept = kind < 6 && bytes - begin > 2 ? 2 : 0;
  std::uint8_t end[2] = {};
  std::memcpy(end, data + bytes - kept, kept);
  const std::size_t mutated = LLVMFuzzerMutate(data + begin, bytes - begin - kept, most_bytes - begin - kept);
  std::memcpy(data + begin + mutated, end, kept);
  return begin + mutated + kept;
}
