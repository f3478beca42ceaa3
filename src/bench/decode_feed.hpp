// Where a decode measurement takes its bytes from, and by which clock it is then timed.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stoker/record.hpp"

#include "bench/bench_samples.hpp"

namespace stoker::bench {

enum class SampleSource {
  memory,  // held before the clock starts; CPU time of the thread
  cache,   // read from the source within the timing, its pages warm; wall time
  cold,    // likewise, its pages dropped before each turn; wall time
};
std::string_view to_string(SampleSource source);

// Threads: one at a time. What it is given must outlive it.
class DecodeFeed {
 public:
  DecodeFeed(SampleSource source, const RecordReader& records, const std::vector<BenchSample>& samples)
      : source_(source), records_(records), samples_(samples) {}

  // Call before the clock starts for samples [begin, end). Errors: io.
  void begin_turn(std::size_t begin, std::size_t end) const;
  // The bytes of sample `i`, valid until the next call. Errors: as RecordReader::read.
  std::span<const std::byte> bytes(std::size_t i);
  // Units: seconds, by the clock of the source.
  double now_s() const;

 private:
  SampleSource source_;
  const RecordReader& records_;
  const std::vector<BenchSample>& samples_;
  Sample sample_;
};

// Asks the system to forget what it holds of a file. Errors: io.
void drop_pages(const std::string& path);

// Bytes that this process had fetched from storage so far; none where the system does not count them.
std::optional<double> storage_bytes();

}  // namespace stoker::bench
