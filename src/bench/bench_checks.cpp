#include "bench/bench_checks.hpp"

#include <fmt/format.h>

#include "stoker/error.hpp"

#include "base/units.hpp"

namespace stoker::bench {

void check_option(const char* operation, const char* option, double value, double low, double high) {
  if (value >= low && value <= high) return;
  throw Error(ErrorCode::invalid_argument,
              {.operation = operation,
               .object = option,
               .found = format_number(value),
               .allowed = fmt::format("{}..{}", format_number(low), format_number(high))});
}

void check_cancel(const char* operation, const std::atomic<bool>* cancel) {
  if (cancel && cancel->load(std::memory_order_relaxed)) {
    throw Error(ErrorCode::cancelled, {.operation = operation});
  }
}

}  // namespace stoker::bench
