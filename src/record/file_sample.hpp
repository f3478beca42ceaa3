// A sample that is a file of its own.
#pragma once

#include <span>
#include <string>

#include "stoker/record.hpp"

namespace stoker::record {

// Reads the whole file at `path` into the sample's buffer as its field "image", and sets key and labels.
// Errors: not_found, io, corrupt_data (the file was cut while it was read), out_of_resources (more than 2
// GiB).
void read_file_sample(Store& store, const std::string& path, std::string_view key,
                      std::span<const float> labels, Sample& sample);

}  // namespace stoker::record
