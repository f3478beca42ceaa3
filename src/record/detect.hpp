// Which format a source has, by its content.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "stoker/record.hpp"

namespace stoker::record {

inline constexpr std::size_t kDetectBytes = 512;

// The format of a file that begins with `head` (kDetectBytes, or the whole file).
// Errors (thrown): unsupported (another format: it is named where it is known).
RecordFormat detect_file(const std::string& path, std::span<const std::byte> head);

// What a file of another format is, for people ("a gzip-compressed file"), or "".
std::string_view foreign_format(std::string_view path, std::span<const std::byte> head);

}  // namespace stoker::record
