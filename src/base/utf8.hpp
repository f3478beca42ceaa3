// UTF-8, byte by byte.
#pragma once

#include <cstddef>
#include <string_view>

namespace stoker {

// How many bytes the character takes that `text` begins with; 0 where none stands, or it is cut short.
// Source: RFC 3629, section 4.
std::size_t utf8_character_bytes(std::string_view text);

bool is_utf8(std::string_view text);

}  // namespace stoker
