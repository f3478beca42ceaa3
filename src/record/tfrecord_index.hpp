// The text index that DALI's tools put beside a TFRecord file: one "offset length" a line.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "stoker/store.hpp"

#include "record/text_index.hpp"

namespace stoker::record {

// x.tfrecord → x.tfrecord.idx: what is written.
std::string tfrecord_index_path(const std::string& container);
// The line of a record; `bytes` with its framing.
std::string tfrecord_index_line(std::uint64_t offset, std::uint64_t bytes);

// Calls `visit` for every line that is not blank, until it returns false.
// Errors: io, corrupt_data (not text).
void read_tfrecord_index(const ReadableFile& index, const std::function<bool(const TextIndexLine&)>& visit);

// The offsets of the records of `container`, with its end behind them, by x.tfrecord.idx or x.idx. None where
// there is none, or none that fits: lines that do not each begin where the one before ends, from the
// container's first byte to its last; or, of 16 lines tried, one that no record of its length stands behind.
// Errors: io, out_of_resources.
std::optional<std::vector<std::uint64_t>> offsets_of_tfrecord_index(Store& store,
                                                                    const ReadableFile& container);

}  // namespace stoker::record
