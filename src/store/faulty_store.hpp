// A store that fails on order: the double with which every room above tests what it does when storage
// misbehaves.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "stoker/error.hpp"
#include "stoker/store.hpp"

namespace stoker::store {

// A run of calls that misbehave: calls first, first + 1, … of their kind, counted from 1 over the whole
// store; 0: none.
struct FaultyCalls {
  std::uint64_t first = 0;
  std::uint64_t count = 1;
  ErrorCode code = ErrorCode::io;

  bool hit(std::uint64_t call) const { return first != 0 && call >= first && call - first < count; }
};

inline constexpr std::uint64_t kForever = std::numeric_limits<std::uint64_t>::max();

// What goes wrong. All off by default.
struct Faults {
  FaultyCalls opens;  // open_read throws
  FaultyCalls reads;  // read_at throws
  FaultyCalls
      short_reads;  // read_at gives half of what it was asked for, as if the object had been cut meanwhile
  std::chrono::nanoseconds read_delay{0};  // before every read_at
  FaultyCalls lists;                       // list and list_names throw
  FaultyCalls creates;                     // create throws
  FaultyCalls appends;                     // append throws, nothing of it written
  FaultyCalls torn_appends;                // append writes half, then throws
  FaultyCalls syncs;                       // sync throws
  FaultyCalls commits;                     // commit throws; nothing becomes visible
  FaultyCalls renames;                     // rename throws; nothing is moved
  std::uint64_t space_bytes =
      kForever;  // all appends together; the one that does not fit throws out_of_resources
};

// How often the store was called so far, by kind.
struct CallCounts {
  std::atomic<std::uint64_t> opens{0}, reads{0}, lists{0}, creates{0}, appends{0}, syncs{0}, commits{0},
      removes{0},
      renames{0};
  std::atomic<std::uint64_t> bytes_read{0}, bytes_appended{0};
};

namespace detail {
struct FaultState {
  Faults faults;
  CallCounts calls;
};
}  // namespace detail

// Wraps a store. Owns: files that it opened may outlive it. Threads: safe from many.
class FaultyStore final : public Store {
 public:
  explicit FaultyStore(std::shared_ptr<Store> below, Faults faults = {});

  std::unique_ptr<ReadableFile> open_read(const std::string& path) override;
  std::optional<ObjectInfo> info(const std::string& path) override;
  std::vector<ObjectInfo> list(const std::string& folder) override;
  std::vector<ObjectInfo> list_names(const std::string& folder) override;
  std::unique_ptr<WritableFile> create(const std::string& path) override;
  void remove(const std::string& path) override;
  void rename(const std::string& from, const std::string& to) override;

  const CallCounts& calls() const { return state_->calls; }

 private:
  std::shared_ptr<Store> below_;
  std::shared_ptr<detail::FaultState> state_;
};

}  // namespace stoker::store
