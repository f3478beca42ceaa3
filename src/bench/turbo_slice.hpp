// One stretch of the unit: plain libjpeg-turbo over samples of a source.
#pragma once

#include <atomic>
#include <cstdint>

#include "stoker/record.hpp"

namespace stoker::bench {

// Images per CPU second of plain libjpeg-turbo's full decode, one thread, over samples spread evenly over the
// source, in whole rounds of them where `seconds` allow. Reading is not timed, and no sample is kept in
// memory. Errors: invalid_argument (it decodes none of them).
double run_turbo_slice(const RecordReader& records, double seconds, std::uint64_t max_pixels,
                       const std::atomic<bool>* cancel);

}  // namespace stoker::bench
