// Accounts for every input of a pack, in the order of the source.
#pragma once

#include <cstdint>

#include "stoker/pack.hpp"

#include "pack/packed_sample.hpp"
#include "record/dataset_manifest.hpp"

namespace stoker::packing {

// Threads: one at a time.
class Tally {
 public:
  explicit Tally(const PackOptions& options) : options_(options) {}

  // Counts one sample, and says whether it is to be packed.
  // Errors: with OnError::raise the sample's fault, naming its key.
  bool add(const PackedSample& sample);

  const PackReport& report() const { return report_; }
  PackReport& report() { return report_; }
  // CRC-32C is over each sample's key, a zero byte, its size as 8 little-endian bytes, and its labels as
  // float32.
  const record::ManifestSource& fingerprint() const { return fingerprint_; }
  bool too_many_bad() const;

 private:
  void count_points(const record::SeekEntry& entry);

  const PackOptions& options_;
  PackReport report_;
  record::ManifestSource fingerprint_;
};

}  // namespace stoker::packing
