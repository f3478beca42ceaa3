// What the fuzzers of this folder share: the entry that libFuzzer and replay.cpp call, and how one fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>

#include "base/philox.hpp"

// Returns 0, or -1 where the input is not worth keeping.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes);

namespace stoker::fuzz {

inline void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzzer: not so: %s\n", what);
  std::abort();
}

// An image file with the choices that are made about it.
struct ImageInput {
  SampleRng choices;
  std::span<const std::byte> file;
};

// The first eight bytes of an input seed the choices; the file is the rest.
inline constexpr std::size_t kChoiceBytes = 8;

inline std::optional<ImageInput> image_input(const std::uint8_t* data, std::size_t bytes) {
  if (bytes < kChoiceBytes) return std::nullopt;
  std::uint64_t seed = 0;
  std::memcpy(&seed, data, kChoiceBytes);
  return ImageInput{SampleRng(seed, 0, 0, 0),
                    std::as_bytes(std::span(data + kChoiceBytes, bytes - kChoiceBytes))};
}

}  // namespace stoker::fuzz
