// The NAME.lst beside containers: the keys that RecordIO itself does not keep.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stoker/record.hpp"
#include "stoker/store.hpp"

namespace stoker::packing {

// The list that one NAME.dataset.json names beside just these containers, be it there or not; none: no such.
// Errors: io.
std::optional<std::string> list_of_set(Store& store, const std::vector<std::string>& containers);

// `reader` with the keys and ids of the list beside it: that of its set, or of one x.rec the x.lst. A list
// fits if it has as many lines as there are records, and the ids of 64 of them, spread evenly; where an x.lst
// does not, `reader` comes back as it came. Cost: 8 bytes of memory a record, a read of its line at each read
// of it; the list is read once. Errors: not_found (the list of a set is missing or does not fit, and the keys
// are lost with it), io.
std::unique_ptr<RecordReader> with_listed_keys(std::unique_ptr<RecordReader> reader,
                                               const std::shared_ptr<Store>& store);

}  // namespace stoker::packing
