// Bytes behind a path or URL: ranged reads, listing, and writes that are whole or absent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stoker {

// What a listing or a look tells about one object.
struct ObjectInfo {
  std::string path;
  std::uint64_t bytes = 0;
  bool is_folder = false;
  std::optional<std::int64_t> modified_ns;  // since the Unix epoch; none where the store does not know
  std::uint64_t folder_identity =
      0;  // equal for two paths that lead to one folder (links); 0: a file, or not known
};

// An object opened for reading. Threads: any number may read at once.
class ReadableFile {
 public:
  virtual ~ReadableFile() = default;

  // Reads from `offset` until `out` is full or the object ends; the count is short only at its end.
  // Errors: io, unavailable.
  virtual std::size_t read_at(std::uint64_t offset, std::span<std::byte> out) const = 0;
  virtual std::uint64_t bytes() const = 0;
  virtual const std::string& path() const = 0;
  // Says that a range will be read soon. A hint: it never fails and never waits.
  virtual void prefetch(std::uint64_t offset, std::uint64_t bytes) const;
};

// An object being written under a temporary name. Threads: one at a time.
// Nothing appears under the final name before commit(); dropping an uncommitted file removes what was
// written.
class WritableFile {
 public:
  virtual ~WritableFile() = default;

  // Errors: io, out_of_resources (no space left).
  virtual void append(std::span<const std::byte> bytes) = 0;
  virtual std::uint64_t bytes_written() const = 0;
  // Makes the bytes durable without showing them; commit() then only renames. Errors: io, out_of_resources.
  virtual void sync() = 0;
  // Makes the bytes durable, then visible under the final name, replacing what was there. Call once.
  virtual void commit() = 0;
};

// A place where objects live. Threads: safe from many.
class Store {
 public:
  virtual ~Store() = default;

  // Errors: not_found, io (permission), out_of_resources (too many open files), invalid_argument (not a
  // regular file).
  virtual std::unique_ptr<ReadableFile> open_read(const std::string& path) = 0;
  // What is at `path` (links followed), or none. Errors: io.
  virtual std::optional<ObjectInfo> info(const std::string& path) = 0;
  // The direct children of a folder, sorted by name as bytes. Errors: not_found, io.
  virtual std::vector<ObjectInfo> list(const std::string& folder) = 0;
  // The same without sizes and times where those would cost a look at each object (0 and none): for large
  // folders.
  virtual std::vector<ObjectInfo> list_names(const std::string& folder) { return list(folder); }
  // Creates missing parent folders. Errors: io, out_of_resources.
  virtual std::unique_ptr<WritableFile> create(const std::string& path) = 0;
  // Removing what is not there is no error. Errors: io.
  virtual void remove(const std::string& path) = 0;
  // Moves an object within the store, replacing what is at `to`: whole and durable, or not at all. Creates
  // missing parent folders. Errors: not_found, io; unsupported (a store that cannot).
  virtual void rename(const std::string& from, const std::string& to);
};

// The store that serves `url`: a plain path or file://… (others as they come).
// Errors: unsupported (an unknown scheme, with the known ones named).
std::shared_ptr<Store> open_store(std::string_view url);

}  // namespace stoker
