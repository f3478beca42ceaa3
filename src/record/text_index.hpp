// The `.idx` beside a RecordIO file: one "key \t offset" a line.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stoker/store.hpp"

namespace stoker::record {

// x.rec → x.idx.
std::string text_index_path(const std::string& container);

// One line of an index; `offset` is none where the line does not hold one.
struct TextIndexLine {
  std::uint64_t number = 0;
  std::string_view key;  // empty: this kind of index has none
  std::optional<std::uint64_t> offset;
  std::optional<std::uint64_t> bytes;  // of the record; none: this kind of index does not tell
};

// Calls `visit` for every line that is not blank, until it returns false.
// Errors: io, corrupt_data (not text).
void read_text_index(const ReadableFile& index, const std::function<bool(const TextIndexLine&)>& visit);

// The offsets of the records of `container` by its text index, sorted, with the container's end behind them.
// None where the index does not fit the container: a broken line, offsets beyond its end, twice the same, or
// not on records (tried on some), the first record or the last not listed. Keys are ignored, as the original
// reader does. Errors: io.
std::optional<std::vector<std::uint64_t>> offsets_of_text_index(const ReadableFile& index,
                                                                const ReadableFile& container);

}  // namespace stoker::record
