// Text with units to numbers and back, and the nearest right name for a mistyped one.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"

namespace stoker {

// "64MiB", "3GB", "1048576", "256M" (M = 10^6, Mi = 2^20; a B behind is optional). Errors: invalid_argument.
Result<std::uint64_t> parse_count(std::string_view text);
// "200ms", "10s", "30m", "2h", "7d"; a bare number is seconds. Errors: invalid_argument.
Result<std::chrono::nanoseconds> parse_duration(std::string_view text);
// "0..15", "0.08..1". Errors: invalid_argument (also where low > high).
Result<std::pair<double, double>> parse_range(std::string_view text);
// The whole text as a number. Errors: invalid_argument.
Result<double> parse_number(std::string_view text);

std::string format_bytes(std::uint64_t bytes);  // "1.5 GiB"
std::string format_duration(double seconds);    // "1h 02m", "42 s"
// A number that reads back to the same double, without needless digits: "0.08", "1.3333333333333333".
std::string format_number(double value);

// The candidate with the fewest edits to `name`, or "" if none is near (more than half of its letters would
// change).
std::string nearest_name(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace stoker
