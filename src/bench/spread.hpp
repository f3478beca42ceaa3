// Several runs of one measurement, told by three numbers.
#pragma once

#include <vector>

namespace stoker::bench {

struct Spread {
  double min = 0;
  double median = 0;
  double max = 0;
};

// All zero for no values. The median of an even number is the mean of the middle two.
Spread spread_of(std::vector<double> values);

}  // namespace stoker::bench
