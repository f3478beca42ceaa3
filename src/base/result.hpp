// Failure that is data: a value inside the library, an exception at its doors.
#pragma once

#include <tl/expected.hpp>
#include <utility>

#include "stoker/error.hpp"

namespace stoker {

template <class T>
using Result = tl::expected<T, Error>;

// The failure side of a Result: `return fail(ErrorCode::corrupt_data, {.operation = "decode", …});`
inline tl::unexpected<Error> fail(ErrorCode code, ErrorParts parts) {
  return tl::unexpected<Error>(Error(code, std::move(parts)));
}

// The value, or the error thrown.
template <class T>
T value_or_throw(Result<T>&& result) {
  if (!result) throw std::move(result).error();
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

}  // namespace stoker
