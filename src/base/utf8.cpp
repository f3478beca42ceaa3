#include "base/utf8.hpp"

namespace stoker {

std::size_t utf8_character_bytes(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const std::size_t bytes = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (text.size() < bytes) return 0;
  // Overlong forms, surrogates and what lies above U+10FFFF show in the second byte.
  const unsigned lowest = first == 0xe0 ? 0xa0u : first == 0xf0 ? 0x90u : 0x80u;
  const unsigned highest = first == 0xed ? 0x9fu : first == 0xf4 ? 0x8fu : 0xbfu;
  if (byte(1) < lowest || byte(1) > highest) return 0;
  for (std::size_t i = 2; i < bytes; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  return bytes;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t bytes = utf8_character_bytes(text);
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

}  // namespace stoker
