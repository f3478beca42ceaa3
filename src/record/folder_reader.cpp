#include "record/folder_reader.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "stoker/error.hpp"

#include "record/file_sample.hpp"
#include "record/folder_walk.hpp"

namespace stoker::record {

FolderReader::FolderReader(std::shared_ptr<Store> store, std::string root, std::vector<std::string> classes)
    : store_(std::move(store)), root_(std::move(root)) {
  while (root_.size() > 1 && root_.ends_with('/')) root_.pop_back();
  classes_ = walk_class_folders(*store_, root_, std::move(classes), [this](FoundFolder&& folder) {
    folders_.push_back({std::move(folder.path), labels_.size()});
    for (const std::string& name : folder.names) {
      names_ += name;
      name_ends_.push_back(names_.size());
      labels_.push_back(folder.label);
    }
  });
  names_.shrink_to_fit();
  name_ends_.shrink_to_fit();
  labels_.shrink_to_fit();
}

void FolderReader::check(std::size_t index) const {
  if (index < size()) return;
  throw Error(ErrorCode::invalid_argument, {.operation = "read sample",
                                            .object = root_,
                                            .found = fmt::format("sample {}", index),
                                            .allowed = fmt::format("less than {}", size())});
}

std::string FolderReader::key(std::size_t index) const {
  check(index);
  const auto behind =
      std::upper_bound(folders_.begin(), folders_.end(), index,
                       [](std::size_t i, const Folder& folder) { return i < folder.first_sample; });
  const std::uint64_t begin = index == 0 ? 0 : name_ends_[index - 1];
  const std::string_view name = std::string_view(names_).substr(begin, name_ends_[index] - begin);
  return fmt::format("{}/{}", std::prev(behind)->path, name);
}

RecordInfo FolderReader::info(std::size_t index) const { return {.container = path(key(index))}; }

void FolderReader::read(std::size_t index, Sample& sample) const {
  const std::string relative = key(index);
  read_file_sample(*store_, path(relative), relative, std::span(labels_).subspan(index, 1), sample);
}

std::optional<SourceFingerprint> FolderReader::fingerprint() const {
  PathsCrc paths;
  std::size_t sample = 0;
  for (std::size_t f = 0; f < folders_.size(); ++f) {
    const std::size_t end = f + 1 < folders_.size() ? folders_[f + 1].first_sample : size();
    for (; sample < end; ++sample) {
      const std::uint64_t begin = sample == 0 ? 0 : name_ends_[sample - 1];
      paths.add({folders_[f].path, "/", std::string_view(names_).substr(begin, name_ends_[sample] - begin)});
    }
  }
  return SourceFingerprint{.files = true, .records = size(), .head_crc32c = paths.crc32c()};
}

}  // namespace stoker::record
