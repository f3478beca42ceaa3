// Which features the Example of a sample gets.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "stoker/image.hpp"
#include "stoker/record.hpp"

namespace stoker::record {

// One feature to be written. Views only.
struct Feature {
  std::string_view name;
  FieldType type = FieldType::bytes;
  std::span<const std::byte> bytes;
};

// The features of one sample. A sample that has feature names and types of its own keeps them, in their
// order; labels and what is told of the image are replaced where the sample says otherwise. Any other image
// gets the names of TensorFlow's ImageNet scripts. Owns: numbers, not names and byte strings. Reused, it
// allocates nothing once warm.
class ExampleFeatures {
 public:
  // `image` of the sample decides what is told of the image; without it, nothing is.
  void take(const NewSample& sample);

  std::span<const Feature> features() const { return features_; }
  std::size_t main() const { return main_; }

 private:
  void take_own(const NewSample& sample);
  void take_plain(const NewSample& sample);
  void add(std::string_view name, FieldType type, std::span<const std::byte> bytes);
  void add_text(std::string_view name, std::string_view text);
  // As whole numbers, where all are and `type` is no float32.
  void add_labels(std::string_view name, FieldType type);
  void add_fact(std::string_view name, const ImageInfo& image);
  bool has(std::string_view name) const;
  void set_labels(std::span<const float> labels);

  std::vector<Feature> features_;
  std::size_t main_ = 0;
  std::span<const float> labels_;
  std::vector<std::int64_t> whole_labels_;  // empty: they are not all whole numbers
  std::array<std::int64_t, 3> numbers_{};   // height, width, channels
};

}  // namespace stoker::record
