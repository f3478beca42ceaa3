// The features of an Example that are no files, as one JSON object.
#pragma once

#include <span>
#include <string>

#include "stoker/record.hpp"

namespace stoker::record {

// Whether JSON can hold it: numbers, and text in UTF-8.
bool fits_json(const Field& field);

// {"name": value, …} in the order given: numbers and runs of bytes as arrays, bytes as a string; a float with
// the digits that read back to it, NaN and Infinity as Python writes them. All must fit. Ends in a newline.
std::string example_json(std::span<const Field* const> fields);

// A number as JSON has it: "1.0", "0.1", "1e-07".
void append_json_number(std::string& to, float value);

}  // namespace stoker::record
