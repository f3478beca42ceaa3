#include "cli/bench_common.hpp"

#include <fmt/format.h>

#include "cli/text.hpp"

namespace stoker::cli {

Json spread_json(const bench::Spread& spread) {
  return {{"min", measured(spread.min)}, {"median", measured(spread.median)}, {"max", measured(spread.max)}};
}

std::string told(const bench::Spread& spread) {
  return fmt::format("{} ({}-{})", short_number(spread.median), short_number(spread.min),
                     short_number(spread.max));
}

}  // namespace stoker::cli
