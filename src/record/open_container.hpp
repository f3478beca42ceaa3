// Opens files that hold records, and sets of them.
#pragma once

#include <memory>
#include <string>

#include "stoker/record.hpp"

#include "record/gunzip_file.hpp"
#include "record/source_paths.hpp"

namespace stoker::record {

// A file of known format: a container, unpacked if it is gzipped, or a list.
struct OpenedFile {
  RecordFormat format = RecordFormat::recordio;
  std::unique_ptr<ReadableFile> file;
};

// Errors: not_found, unsupported (another format: it is named), corrupt_data (a damaged gzip), io,
// out_of_resources (no space to unpack: the folder is named).
OpenedFile open_file(Store& store, const std::string& path, GunzipArea& area);

// The containers of a set as one reader, the shards each with its record and seek index. They are opened in
// parallel, and share a bounded number of descriptors.
// Errors: as open_file and find_container_index, of the first shard that has one; invalid_argument (shards of
// several formats, class maps that contradict each other).
std::unique_ptr<RecordReader> open_shard_set(const std::shared_ptr<Store>& store, const SourcePaths& paths,
                                             const OpenOptions& options);
std::unique_ptr<RecordScanner> scan_shard_set(const std::shared_ptr<Store>& store, const SourcePaths& paths,
                                              const OpenOptions& options);

// The same of an MDS set.
std::unique_ptr<RecordReader> open_mds_set(const std::shared_ptr<Store>& store, const std::string& index,
                                           const OpenOptions& options);
std::unique_ptr<RecordScanner> scan_mds_set(const std::shared_ptr<Store>& store, const std::string& index);

}  // namespace stoker::record
