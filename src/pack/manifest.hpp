// NAME.dataset.json: what a packed set is, in the form that docs/formats/dataset-json.md specifies.
#pragma once

#include <string>

#include "stoker/pack.hpp"

#include "pack/tally.hpp"

namespace stoker::packing {

// The same for the same source and options, whenever, wherever and by however many threads it was packed.
std::string manifest_text(const PackOptions& options, const PackReport& report, const Fingerprint& source);

}  // namespace stoker::packing
