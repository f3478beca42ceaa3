// Finds the record offsets of a container: by its record index, its text index, or a walk over it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "stoker/store.hpp"

#include "record/container_format.hpp"

namespace stoker::record {

// Where the offsets came from.
enum class IndexOrigin { record_index, text_index, walk };

struct ContainerIndex {
  std::vector<std::uint64_t> offsets;  // of each record, and the container's end
  IndexOrigin origin = IndexOrigin::walk;
};

// The order is: the record index in `index_dir` (default: the user's cache) or beside the container,
// whichever fits; the text index, if it fits; a walk, whose result is then cached: beside where an index that
// no longer fits lies, else in `index_dir` or the user's cache. A cache that cannot be written is left: it
// only saves time. Errors: corrupt_data (damage, without an index that fits: the offset is named), io.
ContainerIndex find_container_index(const ContainerFormat& format, Store& store,
                                    const ReadableFile& container, const std::string& index_dir);

}  // namespace stoker::record
