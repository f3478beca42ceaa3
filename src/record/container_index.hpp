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

// Where the result of a walk goes.
enum class KeepIndex {
  in_cache,  // beside only where an index that no longer fits lies: whoever only reads changes no folder of
             // data
  beside     // where that can be written
};

// The order is: the record index in `index_dir` (default: the user's cache) or beside the container,
// whichever fits; the text index, if it fits; a walk, whose result is then kept. A place that cannot be
// written is left: it only saves time. With `index_dir` everything is kept there.
// Errors: corrupt_data (damage, without an index that fits: the offset is named), io.
ContainerIndex find_container_index(const ContainerFormat& format, Store& store,
                                    const ReadableFile& container, const std::string& index_dir,
                                    KeepIndex keep = KeepIndex::in_cache);

}  // namespace stoker::record
