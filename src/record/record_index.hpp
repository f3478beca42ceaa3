// The binary record index: where each record of a container begins, with the container's fingerprint.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stoker/record.hpp"
#include "stoker/store.hpp"

#include "base/result.hpp"

namespace stoker::record {

// What must be equal for an index to belong to a container. Source: docs/formats/record-index.md.
struct Fingerprint {
  std::uint64_t container_bytes = 0;
  std::uint32_t head_crc32c = 0;  // of its first 64 KiB
  std::uint32_t tail_crc32c = 0;  // of its last 64 KiB
  std::optional<std::int64_t>
      modified_ns;  // kept in caches only: copying a container beside its index must not break it
  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

inline constexpr std::size_t kFingerprintRun = 64 * 1024;

// Errors: io.
Fingerprint fingerprint_of(const ReadableFile& container);

// Offsets of all records, rising, and the container's end behind them.
struct RecordIndex {
  RecordFormat format = RecordFormat::recordio;  // of the container
  Fingerprint fingerprint;
  std::vector<std::uint64_t> offsets;
};

// Reads and checks an index file: magic, version, size, CRC, offsets in order and inside the container it
// names. Errors: corrupt_data, unsupported (a later version); throws io.
Result<RecordIndex> read_record_index(const ReadableFile& file);

// Writes an index, whole or not at all. Errors: io, out_of_resources.
void write_record_index(Store& store, const std::string& path, RecordFormat format,
                        const Fingerprint& fingerprint, std::span<const std::uint64_t> offsets);
// The same, up to the commit, which is the caller's.
std::unique_ptr<WritableFile> prepare_record_index(Store& store, const std::string& path, RecordFormat format,
                                                   const Fingerprint& fingerprint,
                                                   std::span<const std::uint64_t> offsets);

// x.rec → x.rec.index.
std::string record_index_path(const std::string& container);

// The path of an index (or of what `ending` stands for) in a cache folder: the container's name and a hash of
// its absolute path.
std::string cached_index_path(const std::string& folder, const std::string& container,
                              std::string_view ending = ".index");

// $XDG_CACHE_HOME/stoker/KIND, else $HOME/.cache/stoker/KIND, else "".
std::string user_index_folder(std::string_view kind = "records");

}  // namespace stoker::record
