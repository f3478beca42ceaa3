// The stage counters that a loader publishes in a small memory-mapped file, so that any watcher can read
// them.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace stoker {

// The stages of the sample path in their order. Enumerators are file layout: append only.
enum class Stage : std::uint32_t { read, decode, transform, deliver, consume };
inline constexpr std::size_t kStageCount = 5;
std::string_view to_string(Stage stage);

// One stage's counters since the loader began. Units: nanoseconds, summed over threads. All grow only, but
// queue_depth.
struct StageCounters {
  std::atomic<std::uint64_t> items{0};
  std::atomic<std::uint64_t> busy_ns{0};
  std::atomic<std::uint64_t> blocked_on_input_ns{0};
  std::atomic<std::uint64_t> blocked_on_output_ns{0};
  std::atomic<std::uint64_t> queue_depth{0};  // items that wait in front of this stage now
  std::atomic<std::uint64_t> bytes{0};        // into this stage
  std::array<std::uint64_t, 2> reserved{};
};
static_assert(sizeof(StageCounters) == 64);

inline constexpr std::uint64_t kCountersMagic = 0x31544e43'4b4f5453;  // "STOKCNT1" in file order
inline constexpr std::uint32_t kCountersVersion = 1;

// The whole file: `$XDG_RUNTIME_DIR/stoker/PID.counters`, else `/dev/shm/stoker-UID/PID.counters`.
// A reader checks magic and version, then that process `pid` lives and began at `process_start_ticks`.
struct CountersFile {
  std::uint64_t magic = kCountersMagic;
  std::uint32_t version = kCountersVersion;
  std::uint32_t pid = 0;
  std::uint64_t process_start_ticks = 0;  // field 22 of /proc/PID/stat: tells a reused pid
  std::atomic<std::uint32_t> threads{0};  // decode workers at work now
  std::uint32_t stage_count = kStageCount;
  std::atomic<std::uint64_t> images{0};  // delivered, bad and padded slots apart
  std::atomic<std::uint64_t> batches{0};
  std::atomic<std::uint64_t> bad_samples{0};
  std::uint64_t reserved = 0;
  std::array<StageCounters, kStageCount> stages{};
};
static_assert(sizeof(CountersFile) == 64 + kStageCount * sizeof(StageCounters));

// Where this process's counters lie (the folder may not exist yet).
std::string counters_path(std::uint32_t pid);

}  // namespace stoker
