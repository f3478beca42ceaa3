// Samples that are files of their own.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "stoker/record.hpp"

namespace stoker::record {

// Reads the whole file at `path` into the sample's buffer as its field "image" (of a .npy: "npy"), and sets
// key and labels. Errors: not_found, io, corrupt_data (the file was cut while it was read), out_of_resources
// (more than 2 GiB).
void read_file_sample(Store& store, const std::string& path, std::string_view key,
                      std::span<const float> labels, Sample& sample);

// The CRC-32C of a row of paths, a zero byte behind each.
class PathsCrc {
 public:
  void add(std::initializer_list<std::string_view> pieces);
  std::uint32_t crc32c() const { return crc_; }

 private:
  std::uint32_t crc_ = 0;
};

}  // namespace stoker::record
