// Names that a pack cannot keep, found before any work is done.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stoker/pack.hpp"

namespace stoker::packing {

// Whether dataset.json can hold `text`.
bool is_utf8(const std::string& text);

// `text` with every byte that is not printable ASCII as \xHH, and a backslash doubled.
std::string printable(std::string_view text);

// Looks at the class folders alone: one listing, whatever the source holds. A source that is no folder
// passes. Errors: invalid_argument (a class folder whose name is not UTF-8: it is named), io.
void check_class_folders(const PackOptions& options);

// Names of the hidden sub-folders of a source, which are no classes; none where it is no folder. Errors: io.
std::vector<std::string> hidden_folders(const PackOptions& options);

// As check_class_folders, of class names that come from a file. Errors: invalid_argument.
void check_class_names(const std::vector<std::string>& classes, const std::string& source);

}  // namespace stoker::packing
