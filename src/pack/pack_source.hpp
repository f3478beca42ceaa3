// The source of a pack, opened so that memory does not grow with its number of samples.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "stoker/pack.hpp"
#include "stoker/record.hpp"

namespace stoker::packing {

// folder or list: each sample of `source` is a file of its own; none: a container, a set of them, or what
// open_records refuses. Errors: as open_records.
std::optional<RecordFormat> own_files_format(const PackOptions& options);

// The source as open_records gives it. Its own seek index is looked at only where its points would be of use
// and their images are compared. Errors: as open_records, and of class names.
std::unique_ptr<RecordReader> open_pack_source(const PackOptions& options);

// A source of files of their own by the listing at `listing` of `store`, which is made if it is not there.
// `with_sizes`: as ListingOptions. Errors: as open_pack_source.
struct ListedSource {
  std::unique_ptr<RecordReader> reader;
  std::vector<std::string> other_files;  // as ListingSource
  std::uint64_t repeated_ids = 0;
};
ListedSource open_listed_source(const PackOptions& options, RecordFormat format,
                                const std::shared_ptr<Store>& store, const std::string& listing,
                                bool with_sizes);

// The folder below which the keys of a folder or list are paths, as open_records takes it; empty for a
// container.
std::string root_of_keys(const PackOptions& options, RecordFormat format);

}  // namespace stoker::packing
