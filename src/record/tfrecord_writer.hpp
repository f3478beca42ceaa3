// Writes a TFRecord container of Examples, with its indexes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stoker/record.hpp"

#include "record/container_file.hpp"
#include "record/example_encoder.hpp"
#include "record/example_features.hpp"

namespace stoker::record {

// Threads: one at a time. Holds all fields of a sample; one that is a raw record elsewhere (no labels, the
// one field "data") is one here. Cost: as ContainerFile, and a CRC of the data; large fields are not copied.
class TFRecordWriter final : public RecordWriter {
 public:
  TFRecordWriter(std::shared_ptr<Store> store, const std::string& path);

  RecordInfo add(const NewSample& sample) override;
  std::uint64_t records() const override { return out_.records(); }
  std::uint64_t bytes() const override { return out_.bytes(); }
  std::uint32_t crc32c() const override { return out_.crc32c(); }
  std::uint64_t main_offset() const override { return main_offset_; }
  void prepare() override { out_.prepare(); }
  SourceFingerprint fingerprint() const override { return out_.fingerprint(); }
  void finish() override { out_.finish(); }

 private:
  void encode(const NewSample& sample);
  void check_names(const NewSample& sample);
  [[noreturn]] void refuse(const NewSample& sample, std::string found, std::string allowed) const;

  ContainerFile out_;
  ExampleFeatures features_;
  ExampleEncoder encoder_;
  std::vector<std::string_view> names_;
  std::uint64_t main_in_features_ = 0;  // of the Example in work: where its main value begins
  std::uint64_t main_offset_ = 0;
};

}  // namespace stoker::record
