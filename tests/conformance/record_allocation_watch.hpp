// Knows the largest single allocation of a test program.
#pragma once

#include <cstddef>

namespace stoker::test {

// In bytes, since the last reset.
std::size_t largest_allocation();
void reset_largest_allocation();

}  // namespace stoker::test
