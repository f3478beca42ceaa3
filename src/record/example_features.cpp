#include "record/example_features.hpp"

#include <algorithm>
#include <cmath>

#include "base/endian.hpp"
#include "record/example_names.hpp"

namespace stoker::record {

namespace {

constexpr std::string_view kImageEndings[] = {"jpg", "jpeg", "png", "webp", "gif", "bmp",
                                              "tif", "tiff", "ppm", "pgm",  "pbm", "pnm"};

// By its name: "image" of an image record, or the ending of a file ("jpg", "left.png").
bool is_named_as_image(std::string_view field) {
  if (field == kImageName) return true;
  const std::string_view ending = field.substr(field.rfind('.') + 1);  // all of it if there is no dot
  return std::ranges::find(kImageEndings, ending) != std::end(kImageEndings);
}

std::string_view text_of_bytes(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Source: the values that TensorFlow's ImageNet scripts and decoders use.
std::string_view format_text(ImageKind kind) {
  switch (kind) {
    case ImageKind::jpeg:
      return "JPEG";
    case ImageKind::png:
      return "PNG";
    case ImageKind::webp:
      return "WEBP";
    case ImageKind::gif:
      return "GIF";
    case ImageKind::bmp:
      return "BMP";
    case ImageKind::tiff:
      return "TIFF";
    case ImageKind::pnm:
      return "PNM";
    case ImageKind::unknown:
      break;
  }
  return {};
}

// Of an image that nobody looked at: by the first bytes of the file.
std::string_view format_text(std::span<const std::byte> file) {
  const std::string_view text = text_of_bytes(file.first(std::min<std::size_t>(file.size(), 16)));
  if (text.starts_with("\xff\xd8\xff")) return format_text(ImageKind::jpeg);
  if (text.starts_with("\x89PNG\r\n\x1a\n")) return format_text(ImageKind::png);
  if (text.starts_with("RIFF") && text.find("WEBP") == 8) return format_text(ImageKind::webp);
  return {};
}

std::string_view colorspace_text(const ImageInfo& image) {
  if (image.components <= 2) return "Grayscale";
  return image.components == 4 && image.kind == ImageKind::jpeg ? "CMYK" : "RGB";
}

// Whether the field already names the image's format: scripts do not agree on "JPEG" or "jpg".
bool names_its_format(const Field& field, const ImageInfo& image) {
  if (field.name != kFormatName || field.type != FieldType::bytes) return false;
  const auto equals = [text = text_of_bytes(field.bytes)](std::string_view name) {
    return std::ranges::equal(text, name,
                              [](char a, char b) { return (a >= 'a' && a <= 'z' ? a - 32 : a) == b; });
  };
  return equals(format_text(image.kind)) || (image.kind == ImageKind::jpeg && equals("JPG"));
}

// n01440764: what ImageNet calls a synset.
bool is_wnid(std::string_view name) {
  return name.size() == 9 && name[0] == 'n' &&
         std::all_of(name.begin() + 1, name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool equals_labels(const Field& field, std::span<const float> labels) {
  const std::size_t size = field.type == FieldType::int64 ? sizeof(std::int64_t) : sizeof(float);
  if (field.bytes.size() != size * labels.size()) return false;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::byte* const at = field.bytes.data() + size * i;
    const float stored =
        field.type == FieldType::int64 ? static_cast<float>(load_le<std::int64_t>(at)) : load_le<float>(at);
    if (std::bit_cast<std::uint32_t>(stored) != std::bit_cast<std::uint32_t>(labels[i])) return false;
  }
  return true;
}

// Names and types that no file and no image record has.
bool has_own_features(const NewSample& sample) {
  return std::ranges::any_of(sample.fields, [](const Field& field) {
    return field.type != FieldType::bytes || field.role == FieldRole::key ||
           field.role == FieldRole::image_fact || field.name.starts_with("image/");
  });
}

template <class T>
std::span<const std::byte> bytes_of_all(const T& values) {
  return std::as_bytes(std::span(values));
}

}  // namespace

void ExampleFeatures::take(const NewSample& sample) {
  features_.clear();
  set_labels(sample.labels);
  if (has_own_features(sample))
    take_own(sample);
  else
    take_plain(sample);
  // A reader knows the main feature by its name alone.
  Feature& main = features_[main_];
  if (main_feature(features_) != main_ && main.type == FieldType::bytes && !has(kEncodedName))
    main.name = kEncodedName;
}

void ExampleFeatures::take_own(const NewSample& sample) {
  bool has_label = false, has_key = false, has_other_key = false;
  for (std::size_t i = 0; i < sample.fields.size(); ++i) {
    const Field& field = sample.fields[i];
    if (i == sample.main_field) main_ = features_.size();
    has_key |= is_key_name(field.name);
    has_other_key |= field.role == FieldRole::key && !is_key_name(field.name);
    if (field.role == FieldRole::label && is_label_name(field.name)) {
      has_label = true;
      if (!equals_labels(field, sample.labels)) {
        add_labels(field.name, field.type);
        continue;
      }
    }
    if (field.role == FieldRole::image_fact && sample.image && !names_its_format(field, *sample.image))
      add_fact(field.name, *sample.image);
    else
      add(field.name, field.type, field.bytes);
  }
  // Those of other formats, under names that a reader of this one knows.
  if (!has_label && !labels_.empty() && !has(kLabelName)) add_labels(kLabelName, FieldType::int64);
  if (has_other_key && !has_key) add_text(kFilenameName, sample.key);
}

void ExampleFeatures::take_plain(const NewSample& sample) {
  const Field& main = sample.fields[sample.main_field];
  const bool is_image = sample.image || is_named_as_image(main.name);
  main_ = 0;
  add(is_image ? kEncodedName : std::string_view(main.name), main.type, main.bytes);
  if (is_image)
    add_text(kFormatName, sample.image ? format_text(sample.image->kind) : format_text(main.bytes));
  if (!labels_.empty()) add_labels(kLabelName, FieldType::int64);
  add_text(kClassTextName, sample.class_name);
  if (is_wnid(sample.class_name)) add_text(kSynsetName, sample.class_name);
  add_text(kFilenameName, sample.key);
  if (sample.image)
    for (const std::string_view name : {kHeightName, kWidthName, kChannelsName, kColorspaceName})
      add_fact(name, *sample.image);
  for (std::size_t i = 0; i < sample.fields.size(); ++i)
    if (i != sample.main_field && (labels_.empty() || sample.fields[i].role != FieldRole::label))
      add(sample.fields[i].name, sample.fields[i].type, sample.fields[i].bytes);
}

void ExampleFeatures::add(std::string_view name, FieldType type, std::span<const std::byte> bytes) {
  features_.push_back({name, type, bytes});
}

void ExampleFeatures::add_text(std::string_view name, std::string_view text) {
  if (!text.empty()) add(name, FieldType::bytes, bytes_of_all(text));
}

void ExampleFeatures::add_labels(std::string_view name, FieldType type) {
  if (type == FieldType::float32 || whole_labels_.size() != labels_.size())
    add(name, FieldType::float32, bytes_of_all(labels_));
  else
    add(name, FieldType::int64, bytes_of_all(whole_labels_));
}

void ExampleFeatures::add_fact(std::string_view name, const ImageInfo& image) {
  if (name == kFormatName || name == kColorspaceName) {
    const std::string_view text = name == kFormatName ? format_text(image.kind) : colorspace_text(image);
    add(name, FieldType::bytes, bytes_of_all(text));
    return;
  }
  const std::size_t slot = name == kHeightName ? 0 : name == kWidthName ? 1 : 2;
  numbers_[slot] = slot == 0 ? image.height : slot == 1 ? image.width : image.components;
  add(name, FieldType::int64, bytes_of_all(std::span(numbers_).subspan(slot, 1)));
}

bool ExampleFeatures::has(std::string_view name) const {
  return std::ranges::any_of(features_, [&](const Feature& feature) { return feature.name == name; });
}

void ExampleFeatures::set_labels(std::span<const float> labels) {
  constexpr float kFirstBeyond = 0x1p63f;
  labels_ = labels;
  whole_labels_.clear();
  for (const float label : labels) {
    if (!(label >= -kFirstBeyond && label < kFirstBeyond) || label != std::trunc(label)) {
      whole_labels_.clear();
      return;
    }
    whole_labels_.push_back(static_cast<std::int64_t>(label));
  }
}

}  // namespace stoker::record
