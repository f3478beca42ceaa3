#include "cli/bench_common.hpp"

#include <cstdint>
#include <fmt/format.h>

namespace stoker::cli {

Json spread_json(const bench::Spread& spread) {
  return {{"min", measured(spread.min)}, {"median", measured(spread.median)}, {"max", measured(spread.max)}};
}

std::string told(const bench::Spread& spread) {
  return fmt::format("{} ({}-{})", short_number(spread.median), short_number(spread.min),
                     short_number(spread.max));
}

void print(const Table& table, Output& out) {
  for (const std::string& line : table.lines()) out.line(line);
}

void BenchTalk::operator()(int done, int total) {
  bar_.update(static_cast<std::uint64_t>(done), static_cast<std::uint64_t>(total));
}

}  // namespace stoker::cli
