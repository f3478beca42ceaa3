// The headers of a member that is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace stoker::record {

// Appends the header of a file to `to`, 512 bytes in ustar's form, with a PAX header before it where `name`
// or `bytes` goes beyond what ustar holds. The same arguments give the same bytes: owner, group and time are
// 0, the mode is 0644.
void append_tar_header(std::vector<std::byte>& to, std::string_view name, std::uint64_t bytes);

}  // namespace stoker::record
