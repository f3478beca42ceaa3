// Little-endian loads and stores at any alignment.
#pragma once

#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>

namespace stoker {

static_assert(std::endian::native == std::endian::little,
              "Stoker's formats are little-endian; a big-endian port swaps here");

template <class T>
T load_le(const std::byte* from) {
  static_assert(std::is_trivially_copyable_v<T>);
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
void store_le(std::byte* to, T value) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::memcpy(to, &value, sizeof value);
}

}  // namespace stoker
