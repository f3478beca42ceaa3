// A few samples of a source, really prepared: from them a pack's size and work are reckoned.
#pragma once

#include <cstdint>

#include "stoker/record.hpp"

#include "pack/destination.hpp"
#include "pack/tally.hpp"

namespace stoker::packing {

// What came of the probed samples, spread evenly over the source: the same for the same source and options.
struct SampleProbe {
  std::uint64_t samples = 0;    // probed
  PackReport report;            // of them
  std::uint64_t bytes_out = 0;  // of their records
  std::uint64_t overhead = 0;   // of these: framing, labels, padding
  std::uint64_t index_bytes = 0;
  double wall_s = 0;  // by one thread
  double cpu_s = 0;
};

// Of `picked` numbers spread evenly over [0, count) the i-th.
inline std::size_t evenly_spread(std::size_t i, std::size_t picked, std::size_t count) {
  return static_cast<std::size_t>((2 * std::uint64_t{i} + 1) * count / (2 * picked));
}

// Errors: as prepare_sample; with OnError::raise the first fault.
SampleProbe probe_samples(const PackOptions& options, const Destination& to, const RecordReader& source);

}  // namespace stoker::packing
