// Values of options: text to numbers and names. Every failure says what is allowed, and the nearest right
// spelling where one is near. All throw UsageError, whose text begins with the value.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stoker/image.hpp"

#include "base/words.hpp"
#include "cli/usage_error.hpp"

namespace stoker::cli {

// What a number has to lie in, both ends included (low_open: above `low`).
struct Range {
  double low = std::numeric_limits<double>::lowest();
  double high = std::numeric_limits<double>::max();
  bool low_open = false;
};

// "1..100", "at least 1", "above 0", "a number".
std::string describe(const Range& range, bool whole);

std::int64_t parse_integer(std::string_view text, const Range& range);
std::uint64_t parse_unsigned(std::string_view text);  // seeds: all of 0..2^64-1
double parse_real(std::string_view text, const Range& range);
// "256M", "64MiB", within low..high.
std::uint64_t parse_size(std::string_view text, std::uint64_t low,
                         std::uint64_t high = std::numeric_limits<std::int64_t>::max());
// A count as people write it: "256M" for 256000000.
std::string spelled_count(std::uint64_t count);
double parse_seconds(std::string_view text);                // "10s", "200ms", "2m", above 0
double parse_price(std::string_view text);                  // per hour: "3.06/h"
int parse_threads(std::string_view text);                   // "auto" (0) or 1..1024
std::vector<int> parse_thread_list(std::string_view text);  // "1,2,auto"
Size parse_image_shape(std::string_view text);              // "3,HEIGHT,WIDTH"

// The name that `text` was probably meant to be: equal but for case, else begun by it, else one that holds
// it, else few edits away; "" if none.
std::string nearest_spelling(std::string_view text, std::span<const std::string_view> names);

// The place of `text` among `names`.
std::size_t parse_name(std::string_view text, std::span<const std::string_view> names);

}  // namespace stoker::cli
