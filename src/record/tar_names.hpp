// Names in tars of samples: how a member's name tells key and field, and how keys and fields become names.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace stoker::record {

// Source: docs/formats/tar.md, after webdataset's tariterators.py.
struct TarName {
  std::string_view key;    // folders, and the base name up to its first dot
  std::string_view field;  // behind that dot, in the case it is written
};

// None: the member belongs to no sample (no dot, a hidden file, or one of a set's description, "__name__").
std::optional<TarName> split_tar_name(std::string_view name);

// `text` with its ASCII letters in lower case.
void assign_lower(std::string& to, std::string_view text);

// How well the name of a field tells that an image is in it.
enum class ImageName { none, by_its_end, whole };  // "json", "left.jpg", "jpg"
ImageName image_name(std::string_view field);
// Whether it ends as a field that is an image or an array.
bool has_main_ending(std::string_view field);

// The field's name for bytes that begin like this: "jpg", "png", …, or "" of an unknown kind.
std::string_view ending_of_content(std::span<const std::byte> bytes);

// The key that `key` gets in a tar: a valid relative path whose base name has no dot and no image's ending;
// empty where nothing is left.
std::string tar_key(std::string_view key);

// The name that a field gets in a tar: never empty, without slashes, in lower case.
std::string tar_field(std::string_view field);

}  // namespace stoker::record
