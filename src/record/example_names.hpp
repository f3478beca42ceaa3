// What the features of an image Example are called, and what their names tell.
#pragma once

#include <cstddef>
#include <string_view>

#include "stoker/record.hpp"

namespace stoker::record {

// Source: docs/formats/tfrecord.md: those of TensorFlow's ImageNet scripts, then those of TFDS.
inline constexpr std::string_view kEncodedName = "image/encoded", kImageName = "image";
inline constexpr std::string_view kLabelName = "image/class/label", kPlainLabelName = "label";
inline constexpr std::string_view kFilenameName = "image/filename", kFileNameName = "file_name";
inline constexpr std::string_view kClassTextName = "image/class/text", kSynsetName = "image/class/synset";
inline constexpr std::string_view kFormatName = "image/format", kHeightName = "image/height",
                                  kWidthName = "image/width", kChannelsName = "image/channels",
                                  kColorspaceName = "image/colorspace";

inline constexpr std::string_view kRawName = "data";  // the one field of a record that is no Example

constexpr bool is_label_name(std::string_view name) { return name == kLabelName || name == kPlainLabelName; }
constexpr bool is_key_name(std::string_view name) { return name == kFilenameName || name == kFileNameName; }
constexpr bool is_fact_name(std::string_view name) {
  return name == kFormatName || name == kHeightName || name == kWidthName || name == kChannelsName ||
         name == kColorspaceName;
}

// Which of the features (anything with `name` and `type`) a reader takes for the main one: image/encoded,
// else image, else the first byte string by name that tells nothing of the sample, else the first by name.
template <class Features>
std::size_t main_feature(const Features& features) {
  const auto rank = [](const auto& feature) {
    const std::string_view name = feature.name;
    if (feature.type != FieldType::bytes) return 3;
    if (name == kEncodedName) return 0;
    if (name == kImageName) return 1;
    const bool tells = is_label_name(name) || is_key_name(name) || is_fact_name(name) ||
                       name == kClassTextName || name == kSynsetName;
    return tells ? 3 : 2;
  };
  std::size_t best = 0;
  for (std::size_t i = 1; i < features.size(); ++i) {
    const int its = rank(features[i]), so_far = rank(features[best]);
    if (its < so_far || (its == so_far && std::string_view(features[i].name) < features[best].name)) best = i;
  }
  return best;
}

}  // namespace stoker::record
