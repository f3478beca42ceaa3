// Some samples of another reader.
#pragma once

#include <memory>
#include <vector>

#include "stoker/record.hpp"

namespace stoker::record {

// Sample i is sample indices[i] of what it stands on. It has no place of its own: side files are the other's
// affair. Threads: every const member from many at once. Cost: 8 bytes a sample, 12 where labels are known.
class SelectedReader final : public RecordReader {
 public:
  // Errors: invalid_argument (an index beyond the last).
  SelectedReader(std::shared_ptr<const RecordReader> below, std::vector<std::uint64_t> indices);

  RecordFormat format() const override { return below_->format(); }
  std::size_t size() const override { return indices_.size(); }
  const std::vector<std::string>& classes() const override { return below_->classes(); }
  RecordInfo info(std::size_t index) const override { return below_->info(indices_[index]); }
  void read(std::size_t index, Sample& sample) const override { below_->read(indices_[index], sample); }
  std::span<const float> known_labels() const override { return labels_; }
  std::optional<std::uint64_t> known_id(std::size_t index) const override {
    return below_->known_id(indices_[index]);
  }
  SeekIndexInfo seek_index() const override { return below_->seek_index(); }
  void renew_seek_index() const override { below_->renew_seek_index(); }

 private:
  const std::shared_ptr<const RecordReader> below_;
  const std::vector<std::uint64_t> indices_;
  std::vector<float> labels_;
};

}  // namespace stoker::record
