// Accounts for every input of a pack, in the order of the source.
#pragma once

#include <cstdint>

#include "stoker/pack.hpp"

#include "pack/packed_sample.hpp"

namespace stoker::packing {

// What tells one source from another: how many samples, how many bytes, and CRC-32C over each key, a zero
// byte and its size as 8 little-endian bytes.
struct Fingerprint {
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;
  std::uint32_t crc32c = 0;
};

// Threads: one at a time.
class Tally {
 public:
  explicit Tally(const PackOptions& options) : options_(options) {}

  // Counts one sample, and says whether it is to be packed.
  // Errors: with OnError::raise the sample's fault, naming its key.
  bool add(const PackedSample& sample);

  const PackReport& report() const { return report_; }
  PackReport& report() { return report_; }
  const Fingerprint& fingerprint() const { return fingerprint_; }
  bool too_many_bad() const;

 private:
  const PackOptions& options_;
  PackReport report_;
  Fingerprint fingerprint_;
};

}  // namespace stoker::packing
