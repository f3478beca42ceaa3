// Record indexes for those who index a source, before it is opened.
#pragma once

#include <string>

#include "stoker/record.hpp"

namespace stoker::record {

// Puts a record index beside each container of `source` that has no index of its records, where that can be
// written; nothing with `open.index_dir`, in which opening keeps them. What cannot be opened is told by those
// who open it. Cost: one walk over each such container. Errors (thrown): unavailable, out_of_resources.
void make_record_indexes(const std::string& source, const OpenOptions& open);

}  // namespace stoker::record
