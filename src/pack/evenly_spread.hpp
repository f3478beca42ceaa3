// Which of many are looked at, where a few are to stand for all.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stoker::packing {

// Of `picked` numbers spread evenly over [0, count) the i-th.
inline std::size_t evenly_spread(std::size_t i, std::size_t picked, std::size_t count) {
  return static_cast<std::size_t>((2 * std::uint64_t{i} + 1) * count / (2 * picked));
}

}  // namespace stoker::packing
