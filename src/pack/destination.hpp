// The files that a pack leaves beside each other, and what is refused before anything is opened.
#pragma once

#include <string>
#include <vector>

#include "stoker/pack.hpp"
#include "stoker/record.hpp"

namespace stoker::packing {

// Where a pack goes: NAME in a folder, and what stands beside its shards.
struct Destination {
  RecordFormat format = RecordFormat::recordio;
  std::string folder;      // "" or with a slash behind it
  std::string stem;        // NAME without the folder
  std::string ending;      // ".rec"
  std::string list;        // NAME.lst; empty: the source itself lies there, or the format keeps keys itself
  std::string skipped;     // NAME.skipped.tsv
  std::string duplicates;  // NAME.duplicates.tsv
  std::string manifest;    // NAME.dataset.json
  std::string work;        // NAME.packing, where unfinished work lies

  std::string path(const std::string& relative) const { return folder + relative; }
  // As people know it: NAME.rec.
  std::string name() const { return folder + stem + ending; }
};

// All files that belong to a shard at `shard`, in the order in which they may appear: the indexes of its
// records, itself, its seek index.
std::vector<std::string> files_of_shard(const std::string& shard, RecordFormat format);

// Errors: invalid_argument (an option out of its range, or that can have no effect, a destination that is the
// source, a folder where a file is to be written, a name that is not UTF-8), unsupported (an ending that is
// not written).
Destination check_options(const PackOptions& options);

// Of the destination alone.
Destination destination_of(const PackOptions& options);

}  // namespace stoker::packing
