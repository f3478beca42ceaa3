// Memory for pixels that grows, is kept up to a bound, and is not cleared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "base/result.hpp"

namespace stoker {

// Threads: one at a time.
class PixelBuffer {
 public:
  // At least `bytes` of memory, its contents anything; valid until the next call. Errors: out_of_resources.
  Result<std::uint8_t*> reserve(std::size_t bytes) {
    const bool outsize = capacity_ > kKeptBytes && bytes <= kKeptBytes;
    if (bytes > capacity_ || outsize) {
      bytes_.reset();
      capacity_ = 0;
      bytes_.reset(new (std::nothrow) std::uint8_t[bytes]);
      if (!bytes_) {
        return fail(
            ErrorCode::out_of_resources,
            {.operation = "decode", .found = "no memory for " + std::to_string(bytes) + " bytes of pixels"});
      }
      capacity_ = bytes;
    }
    return bytes_.get();
  }

  std::size_t capacity() const { return capacity_; }

  // Enough for 830×830 pixels. The memory of a larger picture goes with the next smaller one: a rare huge
  // photo must not stay resident in every worker that met one.
  static constexpr std::size_t kKeptBytes = 2 << 20;

 private:
  std::unique_ptr<std::uint8_t[]> bytes_;
  std::size_t capacity_ = 0;
};

}  // namespace stoker
