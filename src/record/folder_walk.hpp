// The image files below class folders, by the rules of torchvision's ImageFolder; of a class without any
// image, which that refuses, its .npy arrays.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "stoker/store.hpp"

#include "record/other_files.hpp"

namespace stoker::record {

// A folder with samples.
struct FoundFolder {
  std::string path;  // relative to the root
  float label = 0;
  std::vector<std::string> names;  // of its files, sorted
};

// Calls `visit` for each folder with samples, class after class, in the order of the samples. `classes` fixes
// the class map; empty: the sub-folders in code-point order. Returns the class map. `others`, if given, gets
// the files that are no samples, but for hidden ones.
// Cost: memory for the names of one class. Errors: invalid_argument (no sub-folders, one without samples, one
// that is not among `classes`), io.
std::vector<std::string> walk_class_folders(Store& store, const std::string& root,
                                            std::vector<std::string> classes,
                                            const std::function<void(FoundFolder&&)>& visit,
                                            OtherFiles* others = nullptr);

// Of a folder that is no class: notebooks and file managers leave such behind (.ipynb_checkpoints).
inline bool is_hidden_name(std::string_view name) { return name.starts_with('.'); }

// Whether ImageFolder takes a file of this name for an image.
bool has_image_ending(std::string_view name);
// Whether it is NumPy's: .npy.
bool has_array_ending(std::string_view name);

}  // namespace stoker::record
