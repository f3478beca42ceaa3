// The files that a pack leaves beside each other, and what is refused before anything is opened.
#pragma once

#include <string>

#include "stoker/pack.hpp"
#include "stoker/record.hpp"

namespace stoker::packing {

// NAME.rec and what stands beside it.
struct Destination {
  std::string shard;     // NAME.rec
  std::string list;      // NAME.lst; empty: the source itself lies there and is left alone
  std::string seek;      // NAME.rec.seek; stands there only if it was asked for
  std::string skipped;   // NAME.skipped.tsv
  std::string manifest;  // NAME.dataset.json
};

// Errors: invalid_argument (an option out of its range, or that can have no effect, a destination that is the
// source, a folder where a file is to be written, a name that is not UTF-8), unsupported (an ending that is
// not written).
Destination check_options(const PackOptions& options);

}  // namespace stoker::packing
