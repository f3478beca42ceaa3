// Order statistics of unordered values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace stoker {

// The value below which `share` of the values lie; 0 for none.
inline double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto at =
      values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// The middle value, the upper of two; 0 for none.
inline double upper_median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace stoker
