// What the cells of GPU logs say.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "stoker/watch.hpp"

#include "watch/logs/columns.hpp"

namespace stoker::watch {

// Writes a cell into its place; false where it cannot be read ("[N/A]", "ERR!", 120 %): the place then says
// so, or stays as it was.
bool put_cell(const Column& column, std::string_view cell, GpuSeen& gpu);
// A cell as a number in the column's unit; "98 %", "25073 MiB", "0x4", "26,5".
std::optional<double> number_of(const Column& column, std::string_view cell);

// The number of a GPU: "3", "GPU 3", "nvidia3", "cuda:3".
std::optional<int> gpu_number(std::string_view cell);

// A process's number; 0 where the text is none.
std::int64_t process_number(std::string_view text);

// Whether a cell is one of the words that tools write for want of a value.
bool is_unreadable(std::string_view cell);

}  // namespace stoker::watch
