// The class map of containers, which was fixed when they were packed.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "stoker/record.hpp"

#include "record/manifest_finder.hpp"

namespace stoker::record {

// The class names that the descriptions of `containers` tell, else those of options.classes_file; empty:
// neither tells. `manifest`: the one of all of them; null: each is looked for. Errors: invalid_argument (two
// that contradict each other: the label is named), corrupt_data, unsupported, io.
std::vector<std::string> classes_of_containers(Store& store, std::span<const std::string> containers,
                                               const PlacedManifest* manifest, const OpenOptions& options);

}  // namespace stoker::record
