// Random access to the records of a container.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stoker/record.hpp"

#include "record/container_format.hpp"

namespace stoker::record {

// Threads: every const member from many at once.
// Cost: one ranged read a record; nothing is allocated once the sample met its largest record.
class ContainerReader final : public RecordReader {
 public:
  // `offsets`: of each record, and the container's end.
  ContainerReader(const ContainerFormat& format, std::unique_ptr<ReadableFile> file,
                  std::vector<std::uint64_t> offsets, std::vector<std::string> classes);

  RecordFormat format() const override { return format_.format(); }
  std::size_t size() const override { return offsets_.size() - 1; }
  const std::vector<std::string>& classes() const override { return classes_; }
  RecordInfo info(std::size_t index) const override;
  void read(std::size_t index, Sample& sample) const override;
  std::string source_path() const override { return file_->path(); }
  // The container's first record is number `first` of a set. Before anything is read.
  void number_from(std::uint64_t first) { first_ordinal_ = first; }
  std::optional<SourceFingerprint> fingerprint() const override;

 private:
  void check(std::size_t index) const;
  std::uint64_t bytes_to_read(std::size_t index) const;
  [[noreturn]] void throw_damage(std::size_t index, const std::string& reason) const;

  const ContainerFormat& format_;
  std::unique_ptr<ReadableFile> file_;
  std::vector<std::uint64_t> offsets_;
  std::vector<std::string> classes_;
  std::uint64_t first_ordinal_ = 0;
};

}  // namespace stoker::record
