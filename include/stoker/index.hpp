// The seek index of existing data: `build_seek_index` looks at every image once, and changes none.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "stoker/record.hpp"

namespace stoker {

struct IndexOptions {
  std::string source;
  OpenOptions open;  // open.index_dir: where the index goes; default: beside the source, else the user's cache
  // MCUs between points, 1..64; half of it (at least 1) where chroma is subsampled. 0: what suits each
  // picture, 8 for most.
  int interval = 0;
  int threads = 0;  // 0: the CPUs that may be used; the index is the same for any number
};

// records = indexed + all of not_indexable.
struct IndexReport {
  std::uint64_t records = 0;
  std::uint64_t indexed = 0;
  std::map<std::string, std::uint64_t> not_indexable;  // reason → images; they are decoded the plain way
  std::uint64_t bytes = 0;                             // of the images
  std::uint64_t index_bytes = 0;
  std::string index_path;         // of a source of many containers: of the first of its indexes
  std::uint64_t index_files = 0;  // one a container
  double images_per_s = 0;
  double wall_s = 0;
  double cpu_s = 0;
};

struct IndexProgress {
  std::uint64_t done = 0;
  std::uint64_t total = 0;
};

// Called from the calling thread, at most ten times a second.
using IndexProgressCallback = std::function<void(const IndexProgress&)>;

// Writes the seek index of a source, of each of its containers, and the record index where it has none that fits. Of an index that is
// there already, entries with more points than the new ones stay, and images whose points it has are not
// walked again. `cancel` set by another thread stops it cleanly (cancelled): what was found until then is
// published.
// Errors: invalid_argument, not_found, io, out_of_resources, cancelled; corrupt_data (a damaged container
// without an index). A record that cannot be read is no error: it is not indexable.
IndexReport build_seek_index(const IndexOptions& options, const IndexProgressCallback& progress = {},
                             const std::atomic<bool>* cancel = nullptr);

}  // namespace stoker
