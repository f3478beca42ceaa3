// What NAME.dataset.json says of a pack.
#pragma once

#include "stoker/pack.hpp"

#include "pack/tally.hpp"
#include "record/dataset_manifest.hpp"

namespace stoker::packing {

// The same for the same source and options, whenever, wherever and by however many threads it was packed.
record::DatasetManifest make_manifest(const PackOptions& options, const PackReport& report,
                                      const record::ManifestSource& source);

}  // namespace stoker::packing
