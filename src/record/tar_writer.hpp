// Writes a tar of samples that webdataset and tar read, with its record index.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "stoker/record.hpp"

#include "record/container_file.hpp"

namespace stoker::record {

// Threads: one at a time. Cost: as ContainerFile, and some 50 bytes a record for the keys that are taken.
class TarWriter final : public RecordWriter {
 public:
  TarWriter(std::shared_ptr<Store> store, const std::string& path);

  // Errors: also invalid_argument (a field whose bytes do not fit its type, two fields of one name).
  RecordInfo add(const NewSample& sample) override;
  std::uint64_t records() const override { return out_.records(); }
  std::uint64_t bytes() const override { return out_.bytes(); }
  std::uint32_t crc32c() const override { return out_.crc32c(); }
  std::uint64_t main_offset() const override { return main_offset_; }
  // Adds the end of the archive: bytes() and crc32c() are those of the whole from here on.
  void prepare() override;
  SourceFingerprint fingerprint() const override { return out_.fingerprint(); }
  void finish() override;

 private:
  struct Member {
    std::string field;
    std::span<const std::byte> bytes;
    bool is_main = false;
  };

  void plan(const NewSample& sample);
  void plan_labels(std::span<const float> labels);
  void plan_main(const Field& main);
  void plan_example(const NewSample& sample, std::vector<const Field*> features);
  void plan_runs(const NewSample& sample, const Field& field);
  void add_member(std::string field, std::span<const std::byte> bytes, bool is_main = false);
  std::string unused_key(const NewSample& sample);
  void put_member(const std::string& key, const Member& member);
  Error refused(const NewSample& sample, std::string found, std::string allowed) const;

  ContainerFile out_;
  std::unordered_map<std::uint64_t, std::uint32_t> keys_;  // hash of each key → how often it was asked for
  std::vector<Member> members_;                            // of the sample in work
  std::string labels_;                                     // and the bytes of two of them
  std::string example_;
  std::vector<std::byte> header_;
  std::uint64_t main_offset_ = 0;
  bool ended_ = false;
};

}  // namespace stoker::record
