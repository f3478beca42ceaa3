// What the text of a SOURCE names.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stoker/store.hpp"

#include "record/manifest_finder.hpp"

namespace stoker::record {

struct SourcePaths {
  enum class Kind {
    folder,  // of class folders
    file,    // one container, or a list
    shards,  // containers whose records follow each other
    mds      // the folder of an MDS index.json
  };
  Kind kind = Kind::folder;
  std::string name;                // folder: its path; mds: the path of index.json; else what was given
  std::vector<std::string> files;  // file: one; shards: two or more, in order
  std::shared_ptr<const PlacedManifest> manifest;  // of a packed set that the source names; else null
};

// A path that exists is taken as it is: a file, or a folder of one of these kinds, asked in this order: an
// MDS set; a packed set (it holds one NAME.dataset.json); class folders; container files of one format,
// sorted by code point, with files beside them that are known to be none. Else NAME.rec (.tar, .tfrecord)
// stands for the packed set NAME.dataset.json, and braces and wildcards for the files they name. Cost: a look
// at each file that braces name, a listing of each folder that wildcards are looked for in. Errors (thrown):
// not_found (nothing there; numbers of a range that are missing: the first are named; a pattern that matches
// nothing), invalid_argument (a folder with files of several formats or of none that is known, with several
// packed sets; a name twice), unsupported (a LitData set), corrupt_data (a broken description), io.
SourcePaths find_source_paths(Store& store, const std::string& source);

}  // namespace stoker::record
