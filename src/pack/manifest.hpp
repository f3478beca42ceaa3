// What NAME.dataset.json says of a pack.
#pragma once

#include <map>
#include <string>

#include "stoker/pack.hpp"

#include "pack/destination.hpp"
#include "record/dataset_manifest.hpp"

namespace stoker::packing {

// `options`: as options_text. The same for the same source and options, whenever, wherever and by however
// many threads it was packed.
record::DatasetManifest make_manifest(const std::map<std::string, std::string>& options,
                                      const PackReport& report, const record::ManifestSource& source,
                                      const Destination& to);

// The options that shape images and labels, by their names on the command line. Only what was asked for, so
// that a set that passed through has none.
std::map<std::string, std::string> options_text(const PackOptions& options);

}  // namespace stoker::packing
