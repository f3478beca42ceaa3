// tf.train.Example on the wire: named features, each a list of byte strings, floats or integers.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "stoker/record.hpp"

namespace stoker::record {

// Source: docs/formats/tfrecord.md.
// Example{features}, Features{map<name, Feature>: entry{key, feature}}, Feature{oneof}, each list{values}.
inline constexpr std::uint32_t kExampleFeatures = 1, kFeaturesEntry = 1, kEntryKey = 1, kEntryFeature = 2,
                               kListValue = 1;
enum class ExampleKind : std::uint32_t { none = 0, bytes = 1, floats = 2, integers = 3 };  // of the oneof

inline constexpr std::size_t kMostFeatures = 65'536;  // so that a record of tiny ones takes no 20-fold memory

enum class ParsedExample {
  example,     // it has features, and the sample's fields are these
  no_example,  // no message of this kind, or one without features
  too_many     // more than kMostFeatures
};

// Fills the fields of `sample` (names, bytes, types; all of role content) from the Example in `data`, which
// lies in sample.buffer, in the order in which it is stored. One byte string, and floats in one run, are
// views of `data`; the rest is decoded into the buffer behind `data`, which may move: `data` is not valid
// afterwards. Cost: two looks at every feature, none inside byte strings; no memory beside the buffer's but
// where there are more than 64 features. Errors: out_of_resources.
ParsedExample parse_example(std::span<std::byte> data, Sample& sample);

// Whether parse_example could find features in `data`.
bool may_be_example(std::span<const std::byte> data);

// Calls visit(std::span<const std::byte>) for every byte string of a field of type bytes_list; false: it is
// cut.
template <class Visit>
bool for_each_string(std::span<const std::byte> list, Visit&& visit) {
  while (!list.empty()) {
    if (list.size() < sizeof(std::uint32_t)) return false;
    std::uint32_t bytes;
    std::memcpy(&bytes, list.data(), sizeof bytes);
    list = list.subspan(sizeof bytes);
    if (bytes > list.size()) return false;
    visit(list.first(bytes));
    list = list.subspan(bytes);
  }
  return true;
}

}  // namespace stoker::record
