#include "record/folder_reader.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "stoker/error.hpp"

#include "base/units.hpp"
#include "record/file_sample.hpp"

namespace stoker::record {

namespace {

std::string_view last_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

Error wrong_folder(const std::string& folder, std::string found, std::string next_step) {
  return Error(ErrorCode::invalid_argument, {.operation = "open folder",
                                             .object = folder,
                                             .found = std::move(found),
                                             .allowed = "a sub-folder for each class, with images in it",
                                             .next_step = std::move(next_step)});
}

}  // namespace

bool has_image_ending(std::string_view name) {
  static constexpr std::array<std::string_view, 9> kEndings = {".jpg", ".jpeg", ".png",  ".ppm", ".bmp",
                                                               ".pgm", ".tif",  ".tiff", ".webp"};
  return std::any_of(kEndings.begin(), kEndings.end(), [&](std::string_view ending) {
    if (name.size() < ending.size()) return false;
    const std::string_view tail = name.substr(name.size() - ending.size());
    return std::equal(tail.begin(), tail.end(), ending.begin(),
                      [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + ('a' - 'A') : a) == b; });
  });
}

// Collects the images of one class: its folder, then all below it. Folders are taken in the order of their
// paths as text
// ("a", "a-b", "a/c": '-' stands before '/'), the files of each by name.
class FolderReader::Walk {
 public:
  Walk(FolderReader& reader, float label) : reader_(reader), label_(label) {}

  void add(const ObjectInfo& class_folder) {
    visit(std::string(last_name(class_folder.path)), class_folder.folder_identity);
    std::sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) { return a.path < b.path; });
    for (Found& folder : found_) {
      reader_.folders_.push_back({std::move(folder.path), reader_.labels_.size()});
      for (const std::string& name : folder.names) {
        reader_.names_ += name;
        reader_.name_ends_.push_back(reader_.names_.size());
        reader_.labels_.push_back(label_);
      }
    }
  }

 private:
  struct Found {
    std::string path;
    std::vector<std::string> names;
  };

  void visit(const std::string& path, std::uint64_t identity) {
    // A link to a folder above would go round for ever.
    if (identity != 0 && std::find(above_.begin(), above_.end(), identity) != above_.end()) return;
    above_.push_back(identity);
    Found here{.path = path};
    for (const ObjectInfo& child : reader_.store_->list_names(reader_.path(path))) {
      std::string name(last_name(child.path));
      if (child.is_folder)
        visit(path + '/' + name, child.folder_identity);
      else if (has_image_ending(name))
        here.names.push_back(std::move(name));
    }
    if (!here.names.empty()) found_.push_back(std::move(here));
    above_.pop_back();
  }

  FolderReader& reader_;
  const float label_;
  std::vector<Found> found_;
  std::vector<std::uint64_t> above_;  // identities of the folders that the walk is in
};

FolderReader::FolderReader(std::shared_ptr<Store> store, std::string root, std::vector<std::string> classes)
    : store_(std::move(store)), root_(std::move(root)), classes_(std::move(classes)) {
  while (root_.size() > 1 && root_.ends_with('/')) root_.pop_back();
  std::vector<ObjectInfo> class_folders = store_->list_names(root_);
  std::erase_if(class_folders, [](const ObjectInfo& child) {
    return !child.is_folder || is_hidden_name(last_name(child.path));
  });
  if (class_folders.empty())
    throw wrong_folder(root_, "no sub-folders", "give the folder that holds the class folders");
  const bool fixed = !classes_.empty();
  if (!fixed)
    for (const ObjectInfo& folder : class_folders) classes_.emplace_back(last_name(folder.path));
  std::vector<std::string> names = classes_;  // sorted, to look labels up
  std::sort(names.begin(), names.end());
  for (const ObjectInfo& folder : class_folders) {
    const std::string name(last_name(folder.path));
    if (fixed && !std::binary_search(names.begin(), names.end(), name)) {
      const std::vector<std::string_view> candidates(classes_.begin(), classes_.end());
      const std::string nearest = nearest_name(name, candidates);
      throw wrong_folder(folder.path, fmt::format("the class '{}', which is not in the class file", name),
                         nearest.empty() ? "add it to the class file, or move the folder away"
                                         : fmt::format("did you mean '{}'?", nearest));
    }
    const auto label =
        static_cast<float>(std::find(classes_.begin(), classes_.end(), name) - classes_.begin());
    const std::size_t before = labels_.size();
    Walk(*this, label).add(folder);
    if (labels_.size() == before && !fixed)
      throw wrong_folder(folder.path, "no image in this class folder",
                         "remove the folder, or fix the class map with a class file (--classes)");
  }
  if (labels_.empty()) throw wrong_folder(root_, "no image in any class folder", "");
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
