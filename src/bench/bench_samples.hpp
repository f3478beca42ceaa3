// The samples that a measurement works on: spread evenly over the source, vetted, so that every route does
// the same work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "stoker/image.hpp"
#include "stoker/record.hpp"

#include "bench/transcode.hpp"

namespace stoker::bench {

struct BenchSample {
  std::size_t index = 0;  // in the source
  Size size;
  std::vector<std::byte> bytes;
  std::string key;
  std::vector<std::byte> seek_points;  // see add_seek_points; empty: none
};

struct BenchSamples {
  std::vector<BenchSample> samples;
  std::uint64_t skipped = 0;
  std::string first_skipped;  // key and reason
  std::uint64_t bytes = 0;
  std::uint64_t pixels = 0;
};

// Reads at most `limit` samples into memory, and stops before they take more than `memory_limit_bytes`; then
// gives them another form. A sample that cannot be read, or that plain libjpeg-turbo or Stoker's decoder
// refuses, is counted and left out. Errors: invalid_argument (no sample is left).
BenchSamples read_bench_samples(const RecordReader& records, std::size_t limit,
                                std::size_t memory_limit_bytes, std::uint64_t max_pixels,
                                SampleForm form = SampleForm::keep);

// Gives each sample the seek points that make_seek_points() finds. Returns their bytes, packed.
std::uint64_t add_seek_points(std::vector<BenchSample>& samples);

}  // namespace stoker::bench
