#include "record/folder_walk.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "stoker/error.hpp"

#include "base/units.hpp"
#include "record/shard_name.hpp"

namespace stoker::record {

namespace {

// Whatever the case of its letters.
bool has_ending(std::string_view name, std::string_view ending) {
  if (name.size() < ending.size()) return false;
  const std::string_view tail = name.substr(name.size() - ending.size());
  return std::equal(tail.begin(), tail.end(), ending.begin(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + ('a' - 'A') : a) == b; });
}

Error wrong_folder(const std::string& folder, std::string found, std::string next_step) {
  return Error(ErrorCode::invalid_argument,
               {.operation = "open folder",
                .object = folder,
                .found = std::move(found),
                .allowed = "a sub-folder for each class, with images or .npy arrays in it",
                .next_step = std::move(next_step)});
}

// Collects the images of one class, or its arrays if it has none: its folder, then all below it. Folders are
// taken in the order of their paths as text ("a", "a-b", "a/c": '-' stands before '/'), the files of each by
// name.
class ClassWalk {
 public:
  ClassWalk(Store& store, const std::string& root, float label, OtherFiles* others)
      : store_(store), root_(root), label_(label), others_(others) {}

  std::vector<FoundFolder> folders(const ObjectInfo& class_folder) {
    visit(std::string(last_name(class_folder.path)), class_folder.folder_identity);
    std::vector<FoundFolder>& found = images_.empty() ? arrays_ : images_;
    if (others_ && !images_.empty())
      for (const FoundFolder& folder : arrays_)
        for (const std::string& name : folder.names) others_->add(folder.path, name);
    std::sort(found.begin(), found.end(),
              [](const FoundFolder& a, const FoundFolder& b) { return a.path < b.path; });
    return std::move(found);
  }

 private:
  void visit(const std::string& path, std::uint64_t identity) {
    // A link to a folder above would go round for ever.
    if (identity != 0 && std::find(above_.begin(), above_.end(), identity) != above_.end()) return;
    above_.push_back(identity);
    FoundFolder images{.path = path, .label = label_}, arrays{.path = path, .label = label_};
    for (const ObjectInfo& child : store_.list_names(root_ + '/' + path)) {
      std::string name(last_name(child.path));
      if (child.is_folder)
        visit(path + '/' + name, child.folder_identity);
      else if (has_image_ending(name))
        images.names.push_back(std::move(name));
      else if (has_array_ending(name))
        arrays.names.push_back(std::move(name));
      else if (others_ && !is_hidden_name(name))
        others_->add(path, name);
    }
    if (!images.names.empty()) images_.push_back(std::move(images));
    if (!arrays.names.empty()) arrays_.push_back(std::move(arrays));
    above_.pop_back();
  }

  Store& store_;
  const std::string& root_;
  const float label_;
  OtherFiles* const others_;
  std::vector<FoundFolder> images_, arrays_;
  std::vector<std::uint64_t> above_;  // identities of the folders that the walk is in
};

}  // namespace

std::vector<std::string> walk_class_folders(Store& store, const std::string& root,
                                            std::vector<std::string> classes,
                                            const std::function<void(FoundFolder&&)>& visit,
                                            OtherFiles* others) {
  std::vector<ObjectInfo> class_folders = store.list_names(root);
  std::erase_if(class_folders, [](const ObjectInfo& child) {
    return !child.is_folder || is_hidden_name(last_name(child.path));
  });
  if (class_folders.empty())
    throw wrong_folder(root, "no sub-folders", "give the folder that holds the class folders");
  const bool fixed = !classes.empty();
  if (!fixed)
    for (const ObjectInfo& folder : class_folders) classes.emplace_back(last_name(folder.path));
  std::vector<std::string> names = classes;  // sorted, to look labels up
  std::sort(names.begin(), names.end());
  bool any = false;
  for (const ObjectInfo& folder : class_folders) {
    const std::string name(last_name(folder.path));
    if (fixed && !std::binary_search(names.begin(), names.end(), name)) {
      const std::vector<std::string_view> candidates(classes.begin(), classes.end());
      const std::string nearest = nearest_name(name, candidates);
      throw wrong_folder(folder.path, fmt::format("the class '{}', which is not in the class file", name),
                         nearest.empty() ? "add it to the class file, or move the folder away"
                                         : fmt::format("did you mean '{}'?", nearest));
    }
    const auto label = static_cast<float>(std::find(classes.begin(), classes.end(), name) - classes.begin());
    std::vector<FoundFolder> found = ClassWalk(store, root, label, others).folders(folder);
    if (found.empty() && !fixed)
      throw wrong_folder(folder.path, "no image and no .npy in this class folder",
                         "remove the folder, or fix the class map with a class file (--classes)");
    any |= !found.empty();
    for (FoundFolder& each : found) visit(std::move(each));
  }
  if (!any) throw wrong_folder(root, "no image and no .npy in any class folder", "");
  return classes;
}

bool has_image_ending(std::string_view name) {
  static constexpr std::array<std::string_view, 9> kEndings = {".jpg", ".jpeg", ".png",  ".ppm", ".bmp",
                                                               ".pgm", ".tif",  ".tiff", ".webp"};
  return std::any_of(kEndings.begin(), kEndings.end(),
                     [&](std::string_view ending) { return has_ending(name, ending); });
}

bool has_array_ending(std::string_view name) { return has_ending(name, ".npy"); }

}  // namespace stoker::record
