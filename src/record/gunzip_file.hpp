// Gzipped files as files that can be read anywhere.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "stoker/store.hpp"

#include "base/mutex.hpp"
#include "record/nameless_file.hpp"

namespace stoker::record {

// Unpacks gzipped files into one nameless temporary file, which takes one descriptor however many they are.
// Threads: safe from many.
class GunzipArea {
 public:
  // In `index_dir`, else $XDG_CACHE_HOME/stoker/unpacked, else the system's folder for temporary files;
  // nothing is made there before a file is unpacked.
  explicit GunzipArea(const std::string& index_dir);

  // The unpacked bytes of `packed`, whose path they go by. They stay until the last of these files is gone.
  // Cost: the whole file is unpacked now, on this thread; 8 bytes of memory a MiB, disk space as the bytes
  // need. Errors: corrupt_data (a cut or damaged gzip: the offset is named), io, out_of_resources (no space:
  // the folder is named).
  std::unique_ptr<ReadableFile> unpack(const ReadableFile& packed) STOKER_EXCLUDES(mutex_);

 private:
  std::shared_ptr<NamelessFile> file() STOKER_EXCLUDES(mutex_);

  const std::string folder_;
  Mutex mutex_;
  std::shared_ptr<NamelessFile> file_ STOKER_GUARDED_BY(mutex_);
  std::atomic<std::uint64_t> next_piece_{0};
};

// The first `bytes` unpacked bytes, fewer where it ends. Errors: corrupt_data, io.
std::vector<std::byte> gunzip_head(const ReadableFile& packed, std::size_t bytes);

}  // namespace stoker::record
