// Patterns of names: {000000..000007}, {a,b}, * and ?.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace stoker::record {

// All names that a text with braces stands for, in the order that they are written in, the first brace
// slowest. {7..12} counts; where an end has leading zeros the numbers get as many digits as the longer end.
// {a,b} lists, and may hold braces. Other braces, and those that do not close, are letters. Errors:
// invalid_argument (a range that falls, more than `most` names).
Result<std::vector<std::string>> expand_braces(std::string_view text, std::size_t most);

// Whether a shell would look for names: * or ?.
inline bool has_wildcard(std::string_view text) { return text.find_first_of("*?") != std::string_view::npos; }
// `*` stands for any letters, `?` for one (a code point of UTF-8).
bool matches_wildcard(std::string_view name, std::string_view pattern);

}  // namespace stoker::record
