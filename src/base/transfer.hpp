// Loops around calls that may move fewer bytes than asked for, or be interrupted.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>

namespace stoker {

// What was moved, and the errno that ended it early (0: none).
struct Transfer {
  std::size_t bytes = 0;
  int error_number = 0;
};

// The kernel moves at most 0x7ffff000 bytes a call; smaller pieces keep a call interruptible.
inline constexpr std::size_t kLargestTransfer = std::size_t{1} << 30;

// Calls `read(pointer, bytes, offset)` (as pread: count, 0 at the end, -1 and errno) until `out` is full or
// the object ends.
template <class Read>
Transfer read_full(Read&& read, std::span<std::byte> out, std::uint64_t offset) {
  Transfer done;
  while (done.bytes < out.size()) {
    const std::size_t wanted = std::min(out.size() - done.bytes, kLargestTransfer);
    const auto got = read(out.data() + done.bytes, wanted, offset + done.bytes);
    if (got > 0) {
      done.bytes += static_cast<std::size_t>(got);
    } else if (got == 0) {
      break;
    } else if (errno != EINTR) {
      done.error_number = errno;
      break;
    }
  }
  return done;
}

// Calls `write(pointer, bytes)` (as write: count, -1 and errno) until all is written. A device that takes 0
// bytes is full.
template <class Write>
Transfer write_full(Write&& write, std::span<const std::byte> bytes) {
  Transfer done;
  while (done.bytes < bytes.size()) {
    const std::size_t wanted = std::min(bytes.size() - done.bytes, kLargestTransfer);
    const auto got = write(bytes.data() + done.bytes, wanted);
    if (got > 0) {
      done.bytes += static_cast<std::size_t>(got);
    } else if (got == 0) {
      done.error_number = ENOSPC;
      break;
    } else if (errno != EINTR) {
      done.error_number = errno;
      break;
    }
  }
  return done;
}

}  // namespace stoker
