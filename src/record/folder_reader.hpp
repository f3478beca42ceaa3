// A folder whose sub-folders are classes.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "stoker/record.hpp"

namespace stoker::record {

// Of a folder that is no class: notebooks and file managers leave such behind (.ipynb_checkpoints).
inline bool is_hidden_name(std::string_view name) { return name.starts_with('.'); }

// The image files of a folder by the rules of torchvision's ImageFolder.
// Threads: every const member from many at once.
// Cost: about 35 bytes of memory a file; no file is looked at on opening.
// Source: torchvision, datasets/folder.py (find_classes, make_dataset).
class FolderReader final : public RecordReader {
 public:
  // `classes` fixes the class map; empty: the sub-folders in code-point order.
  // Errors: invalid_argument (no sub-folders, one without images, one that is not among `classes`), io.
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
  class Walk;

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

// Whether ImageFolder takes a file of this name for an image.
bool has_image_ending(std::string_view name);

}  // namespace stoker::record
