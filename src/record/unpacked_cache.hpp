// Compressed files in memory, unpacked: those that were used last.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "stoker/error.hpp"
#include "stoker/store.hpp"

#include "base/mutex.hpp"
#include "record/decompress.hpp"

namespace stoker::record {

// A file that is to be unpacked whole.
struct PackedFile {
  std::string path;
  Compression compression = Compression::zstd;
  std::uint64_t unpacked_bytes = 0;  // as its description says
};

// Threads: safe from many; a file that several want at once is unpacked by one of them.
// Cost: up to `most_bytes` of memory, or one file if that is larger; files that are read just now come on
// top.
class UnpackedCache {
 public:
  UnpackedCache(std::shared_ptr<Store> store, std::uint64_t most_bytes)
      : store_(std::move(store)), most_bytes_(most_bytes) {}

  // The unpacked bytes. Memory grows with what comes out, never by what the description says.
  // Errors: corrupt_data (damaged, or more or fewer bytes than described: remembered while the file is among
  // those used last), not_found, io, out_of_resources.
  std::shared_ptr<const ReadableFile> get(const PackedFile& file) STOKER_EXCLUDES(mutex_);
  std::uint64_t bytes() const STOKER_EXCLUDES(mutex_);

 private:
  struct Entry {
    std::string path;
    Mutex unpacking;  // held by who unpacks; guards the two below
    std::shared_ptr<const ReadableFile> file;
    std::optional<Error> failure;
    std::uint64_t bytes = 0;  // counted in bytes_; guarded by the cache's mutex
  };
  using Entries = std::list<std::shared_ptr<Entry>>;

  std::shared_ptr<Entry> entry_of(const std::string& path) STOKER_EXCLUDES(mutex_);
  void count(const Entry& entry, std::uint64_t bytes) STOKER_EXCLUDES(mutex_);

  const std::shared_ptr<Store> store_;
  const std::uint64_t most_bytes_;
  mutable Mutex mutex_;
  Entries entries_ STOKER_GUARDED_BY(mutex_);  // the one used last is in front
  std::unordered_map<std::string, Entries::iterator> places_ STOKER_GUARDED_BY(mutex_);
  std::uint64_t bytes_ STOKER_GUARDED_BY(mutex_) = 0;
};

}  // namespace stoker::record
