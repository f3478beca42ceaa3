// Small MDS sets, written as MDSWriter writes them. Tests only. Source: docs/formats/mds.md.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "record/compress_fixture.hpp"
#include "record/record_fixture.hpp"

namespace stoker::record {

template <class Number>
std::string number_bytes(Number value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// A column as index.json has it; `size` 0: varies.
struct TestColumn {
  std::string name, encoding;
  unsigned size = 0;
};

using TestColumns = std::vector<TestColumn>;

class MdsFixture {
 public:
  explicit MdsFixture(TestColumns columns) : columns_(std::move(columns)) {}

  // A sample as it is stored, of the bytes of its columns.
  std::string sample(const std::vector<std::string>& values) const {
    std::string sizes, bytes;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (columns_[i].size == 0) sizes += number_bytes(static_cast<std::uint32_t>(values[i].size()));
      bytes += values[i];
    }
    return sizes + bytes;
  }
  static std::string shard(const std::vector<std::string>& samples) {
    const std::string config = "{\"version\": 2}";
    auto at = static_cast<std::uint32_t>(4 * (samples.size() + 2) + config.size());
    std::string bytes = number_bytes(static_cast<std::uint32_t>(samples.size())) + number_bytes(at);
    for (const std::string& sample : samples) {
      at += static_cast<std::uint32_t>(sample.size());
      bytes += number_bytes(at);
    }
    bytes += config;
    for (const std::string& sample : samples) bytes += sample;
    return bytes;
  }

  // Writes a shard into the folder and notes it in the index; `compression` "", "zstd:7", "gz" or another
  // word.
  void add(const test::TempDir& dir, const std::string& folder, const std::string& raw, std::size_t samples,
           const std::string& compression = "") {
    const std::string name = "shard." + std::to_string(index_.size()) + ".mds";
    nlohmann::json shard = {{"format", "mds"},
                            {"version", 2},
                            {"samples", samples},
                            {"compression", nullptr},
                            {"zip_data", nullptr},
                            {"size_limit", 65536},
                            {"hashes", {"sha1"}},
                            {"column_names", nlohmann::json::array()},
                            {"column_encodings", nlohmann::json::array()},
                            {"column_sizes", nlohmann::json::array()}};
    for (const TestColumn& column : columns_) {
      shard["column_names"].push_back(column.name);
      shard["column_encodings"].push_back(column.encoding);
      shard["column_sizes"].push_back(column.size ? nlohmann::json(column.size) : nlohmann::json(nullptr));
    }
    shard["raw_data"] = {{"basename", name}, {"bytes", raw.size()}, {"hashes", {{"sha1", "0"}}}};
    if (compression.empty()) {
      dir.write(folder + "/" + name, raw);
    } else {
      const bool is_gz = compression == "gz";
      const std::string packed = is_gz ? gzip_of(raw) : zstd_of(raw);
      const std::string packed_name = name + (is_gz ? ".gz" : ".zstd");
      shard["compression"] = compression;
      shard["zip_data"] = {{"basename", packed_name}, {"bytes", packed.size()}};
      dir.write(folder + "/" + packed_name, packed);
    }
    index_.push_back(std::move(shard));
    write_index(dir, folder);
  }
  void write_index(const test::TempDir& dir, const std::string& folder) const {
    dir.write(folder + "/index.json", text());
  }
  std::string text() const { return nlohmann::json{{"version", 2}, {"shards", index_}}.dump(); }
  nlohmann::json& shard_entry(std::size_t i) { return index_[i]; }

 private:
  TestColumns columns_;
  nlohmann::json index_ = nlohmann::json::array();
};

}  // namespace stoker::record
