// A few samples of a source, really prepared: from them a pack's size and work are reckoned.
#pragma once

#include <cstdint>
#include <string>

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
  std::uint64_t closing = 0;    // what stands once in a shard, behind its records
  std::uint64_t index_bytes = 0;
  double wall_s = 0;  // by one thread: reading, changing, writing
  double cpu_s = 0;   // the same, and making it durable
  double sync_wall_s = 0;
};

// Writes the samples as a pack does, into a file without a name in `scratch`: an existing folder of the
// destination's file system; empty: writing is not reckoned.
// Errors: as prepare_sample; with OnError::raise the first fault.
SampleProbe probe_samples(const PackOptions& options, const Destination& to, const RecordReader& source,
                          const std::string& scratch);

}  // namespace stoker::packing
