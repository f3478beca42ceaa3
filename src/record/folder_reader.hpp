// A folder whose sub-folders are classes.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "stoker/record.hpp"

namespace stoker::record {

// The image files of a folder by the rules of torchvision's ImageFolder.
// Threads: every const member from many at once.
// Cost: about 35 bytes of memory a file; no file is looked at on opening.
// Source: torchvision, datasets/folder.py (find_classes, make_dataset).
class FolderReader final : public RecordReader {
 public:
  // `classes` and errors: as walk_class_folders.
  FolderReader(std::shared_ptr<Store> store, std::string root, std::vector<std::string> classes);

  RecordFormat format() const override { return RecordFormat::folder; }
  std::size_t size() const override { return labels_.size(); }
  const std::vector<std::string>& classes() const override { return classes_; }
  RecordInfo info(std::size_t index) const override;
  void read(std::size_t index, Sample& sample) const override;
  std::string source_path() const override { return root_; }
  std::optional<SourceFingerprint> fingerprint() const override;
  std::span<const float> known_labels() const override { return labels_; }

 private:
  // A folder with images: its path relative to the root, and its first sample.
  struct Folder {
    std::string path;
    std::size_t first_sample;
  };

  std::string key(std::size_t index) const;
  std::string path(const std::string& key) const { return root_ + '/' + key; }
  void check(std::size_t index) const;

  std::shared_ptr<Store> store_;
  std::string root_;
  std::vector<std::string> classes_;
  std::vector<Folder> folders_;           // by first_sample
  std::string names_;                     // file names, one behind another
  std::vector<std::uint64_t> name_ends_;  // of each sample, in names_
  std::vector<float> labels_;
};

}  // namespace stoker::record
