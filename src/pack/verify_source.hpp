// Everything that can be said about a source by reading it whole: framing, indexes, manifest, list
// and, if wanted, pixels.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "stoker/image.hpp"
#include "stoker/record.hpp"

namespace stoker::packing {

struct VerifyOptions {
  std::string source;
  OpenOptions open;
  bool decode = false;  // every image, to its last row
  int threads = 0;      // decoders; 0: the CPUs that may be used
  std::uint64_t max_pixels = kDefaultMaxPixels;
};

// records = ok + warned + those of `bad` that are whole records; bad holds damage and disagreeing indexes
// besides.
struct VerifyReport {
  std::uint64_t records = 0;  // well framed
  std::uint64_t ok = 0;
  std::uint64_t warned = 0;    // decoded with a complaint of the decoder
  std::vector<BadRecord> bad;  // in the order of the source, then indexes, manifest and list
  std::string first_warning;   // key and words; empty: none
};

// Called from the calling thread with the number of records looked at.
using VerifyProgressCallback = std::function<void(std::uint64_t)>;

// Errors: not_found, io, unsupported, invalid_argument of the source, cancelled. What is bad is no error.
VerifyReport verify_source(const VerifyOptions& options, const VerifyProgressCallback& progress,
                           const std::atomic<bool>& cancel);

}  // namespace stoker::packing
