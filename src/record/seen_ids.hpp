// Which ids of a list stood in it before.
#pragma once

#include <cstdint>
#include <vector>

namespace stoker::record {

// Memory: a bit for each id up to the largest, at most 128 MiB: of larger ids nothing is said.
class SeenIds {
 public:
  // Whether `id` was added before.
  bool add(std::uint64_t id) {
    if (id >= kLargest) return false;
    if (id >= seen_.size()) seen_.resize(id + 1);
    const bool again = seen_[id];
    seen_[id] = true;
    return again;
  }

 private:
  static constexpr std::uint64_t kLargest = std::uint64_t{1} << 30;
  std::vector<bool> seen_;
};

}  // namespace stoker::record
