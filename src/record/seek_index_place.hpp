// Where the seek index of a source lies, and whether the one that lies there fits.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stoker/record.hpp"
#include "stoker/store.hpp"

#include "record/seek_index.hpp"

namespace stoker::record {

// A path that an index is looked for at. An index in a cache is dated: it belongs to the container as it was
// at that time; one beside its container is not, since copies of both keep fitting.
struct SeekIndexPlace {
  std::shared_ptr<Store> store;
  std::string path;
  bool dated = false;
  bool to_write = false;  // whether an index of ours may be put here
};

// Beside the source, then in the user's cache; with `index_dir`, there first, and nothing is written beside.
// `store`: the source's; `cache_store`: the cache's, default: as open_store gives it. Empty: the reader has
// no place.
std::vector<SeekIndexPlace> seek_index_places(const RecordReader& reader, const std::string& index_dir,
                                              const std::shared_ptr<Store>& store,
                                              const std::shared_ptr<Store>& cache_store = nullptr);

struct FoundSeekIndex {
  std::optional<SeekIndex> index;  // that fits
  SeekIndexState state = SeekIndexState::none;
  std::string path;    // of the index, or of the first that does not fit
  std::string reason;  // why that one does not
};

// The first index that fits the source as it is now.
// Errors: out_of_resources, unavailable (it is not known whether there is one).
FoundSeekIndex find_seek_index(const RecordReader& reader, Store& source_store,
                               const std::vector<SeekIndexPlace>& places);

// The header of an index for `place`. Errors: io, internal (a reader without a place).
SeekIndex::Header seek_index_header(const RecordReader& reader, Store& source_store,
                                    const SeekIndexPlace& place);

// DIR → DIR/.stoker.seek, x.rec → x.rec.seek.
std::string seek_index_path(const std::string& source, RecordFormat format);

}  // namespace stoker::record
