// What stands beside a packed data set: its classes, shards and how it was made (NAME.dataset.json).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stoker/store.hpp"

#include "base/result.hpp"

namespace stoker::record {

inline constexpr std::string_view kManifestSchema = "stoker.dataset/1";
inline constexpr std::string_view kManifestEnding = ".dataset.json";

// One container of the set.
struct ManifestShard {
  std::string path;  // relative to the manifest's folder
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
  std::uint32_t crc32c = 0;  // of the whole container
  friend bool operator==(const ManifestShard&, const ManifestShard&) = default;
};

// What the set was packed from.
struct ManifestSource {
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;
  std::uint32_t crc32c = 0;  // a fingerprint of keys, labels and sizes
  friend bool operator==(const ManifestSource&, const ManifestSource&) = default;
};

struct DatasetManifest {
  std::string schema{kManifestSchema};
  std::string format;                // of the shards, as to_string(RecordFormat); empty: recordio
  std::vector<std::string> classes;  // names by label; empty: not known
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
  std::vector<ManifestShard> shards;
  std::string list;  // the .lst that was written with them, relative to the manifest's folder; empty: none
  std::uint64_t skipped = 0;
  std::map<std::string, std::string> options;  // of the packer; numbers and truth values as their JSON text
  ManifestSource source;
  friend bool operator==(const DatasetManifest&, const DatasetManifest&) = default;
};

// folder/x.rec → folder/x.dataset.json.
std::string manifest_path(const std::string& container);

// JSON text, indented, with a newline at its end. Errors: invalid_argument (text that is not UTF-8).
Result<std::string> manifest_to_json(const DatasetManifest& manifest);
// Unknown keys are passed over; a missing one has its default, but `schema` must be there and known.
// Errors: corrupt_data, unsupported (another schema); both name `path`.
Result<DatasetManifest> manifest_from_json(std::string_view json, const std::string& path);

// The manifest at `path`. Errors (thrown): as manifest_from_json, not_found, io.
DatasetManifest read_manifest_file(Store& store, const std::string& path);
// The manifest beside `container`, or none. Errors (thrown): as manifest_from_json, io.
std::optional<DatasetManifest> read_manifest(Store& store, const std::string& container);
// Writes a manifest, up to the commit, which is the caller's.
// Errors (thrown): as manifest_to_json, io, out_of_resources.
std::unique_ptr<WritableFile> prepare_manifest(Store& store, const std::string& path,
                                               const DatasetManifest& manifest);
// The same and the commit.
void write_manifest(Store& store, const std::string& path, const DatasetManifest& manifest);

}  // namespace stoker::record
