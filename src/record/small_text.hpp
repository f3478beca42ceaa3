// Text files that are read whole.
#pragma once

#include <fmt/format.h>
#include <memory>
#include <span>
#include <string>

#include "stoker/error.hpp"
#include "stoker/store.hpp"

#include "base/units.hpp"

namespace stoker::record {

// The whole file. Errors: corrupt_data (more than `most_bytes`), not_found, io.
inline std::string read_small_text(Store& store, const std::string& path, std::uint64_t most_bytes) {
  const std::unique_ptr<ReadableFile> file = store.open_read(path);
  if (file->bytes() > most_bytes)
    throw Error(ErrorCode::corrupt_data, {.operation = "read",
                                          .object = path,
                                          .found = format_bytes(file->bytes()),
                                          .allowed = fmt::format("at most {}", format_bytes(most_bytes))});
  std::string text(file->bytes(), '\0');
  text.resize(file->read_at(0, std::as_writable_bytes(std::span(text))));
  return text;
}

}  // namespace stoker::record
