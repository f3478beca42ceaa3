// A log of GPUs or a trace, of any bytes: refused, or snapshots in order of time, which are the same once
// they were written as Stoker's own trace and read again.
#include <cmath>
#include <string>

#include "fuzzer.hpp"
#include "watch/logs/readers.hpp"
#include "watch/trace_json.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  using namespace stoker;
  using namespace stoker::fuzz;
  const auto read =
      watch::read_trace_bytes(std::string(reinterpret_cast<const char*>(data), bytes), "fuzzed");
  if (!read) return 0;
  expect(!read->snapshots.empty(), "a trace holds a snapshot");
  double before = -INFINITY;
  for (const Snapshot& snapshot : read->snapshots) {
    expect(!(snapshot.time_s < before), "snapshots are in order of time");
    before = snapshot.time_s;
  }
  std::string text = watch::head_line(read->pid) + "\n";
  for (const Snapshot& snapshot : read->snapshots) text += watch::to_line(snapshot) + "\n";
  const auto again = watch::read_trace_bytes(text, "again");
  expect(again.has_value(), "what was written can be read");
  expect(again->snapshots.size() == read->snapshots.size(), "as many snapshots as were written");
  std::string twice = watch::head_line(again->pid) + "\n";
  for (const Snapshot& snapshot : again->snapshots) twice += watch::to_line(snapshot) + "\n";
  expect(twice == text, "what was read is written as it was");
  return 0;
}
