// Holds the seek index of a source against its images.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stoker/record.hpp"

namespace stoker::record {

// What is wrong with the index beside the source, and in options.index_dir if one is given; empty: nothing,
// or there is none. A source that does not open has no images to hold it against.
// Cost: every image with an entry is read. Errors: io.
std::vector<BadRecord> check_seek_index(const std::string& source, const OpenOptions& options,
                                        const std::shared_ptr<Store>& store);

}  // namespace stoker::record
