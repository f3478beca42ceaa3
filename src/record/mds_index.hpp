// The index.json of an MDS set: its shards, and the columns of their samples.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stoker/record.hpp"
#include "stoker/store.hpp"

#include "base/result.hpp"
#include "record/decompress.hpp"

namespace stoker::record {

inline constexpr std::string_view kMdsIndexName = "index.json";

// How the bytes of a column are to be read.
enum class MdsKind { bytes, text, image, signed_int, unsigned_int, float_number };

struct MdsColumn {
  std::string name;
  MdsKind kind = MdsKind::bytes;
  std::uint32_t width = 0;  // bytes of a number; 0: as many as each sample says
  FieldRole role = FieldRole::content;
};

// The columns of a shard, in the order in which they are stored.
struct MdsColumns {
  std::vector<MdsColumn> columns;  // at least one
  std::size_t main = 0;            // which is the sample's main field
  std::optional<std::size_t> label, key;
  friend bool operator==(const MdsColumns& a, const MdsColumns& b);
};

struct MdsShardEntry {
  std::string raw;     // path within the set's folder
  std::string packed;  // likewise; empty: the shard is not compressed
  Compression compression = Compression::zstd;
  std::uint64_t raw_bytes = 0;
  std::optional<std::uint64_t> packed_bytes;
  std::uint64_t samples = 0;
  std::shared_ptr<const MdsColumns> columns;
};

struct MdsIndex {
  std::vector<MdsShardEntry> shards;
};

// Main is the first image column, else `image`, else the first of bytes, else the first of any size that
// varies; the label is an integer column and the key a text column of a usual name.
// Errors: corrupt_data; unsupported (another version, an encoding that is not read: pickled objects, which
// could run code, among them; a compression that is not read); all name `path`.
// Source: docs/formats/mds.md.
Result<MdsIndex> parse_mds_index(std::string_view json, const std::string& path);
// The same of a file. Errors (thrown): also not_found, io.
MdsIndex read_mds_index(Store& store, const std::string& path);

// Whether the index.json at `path` is one of an MDS set, by the words in it.
// Errors (thrown): unsupported (a LitData set; not if `may_be_another`), io.
bool is_mds_index(Store& store, const std::string& path, bool may_be_another);

}  // namespace stoker::record
