// The numbers in the names of shards, and the names of files beside them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "stoker/record.hpp"

namespace stoker::record {

// The name behind the last slash.
std::string_view last_name(std::string_view path);
// What stands before the last name: "" or a folder and its slash.
std::string_view folder_of(std::string_view path);
// x/a.b.rec → x/a.b; a name that only begins with a dot has no ending.
std::string_view without_ending(std::string_view path);

// x.tfrecord-00003-of-00010 → x.tfrecord; without such a count the text as it is. Source: TensorFlow's naming
// of sharded files.
std::string_view without_shard_count(std::string_view path);
// x-00003 and x-00003-of-00010 → x; without a number the text as it is.
std::string_view without_shard_number(std::string_view path);

// The format of a container that is named as one: .rec .tar .tgz .tfrecord x-00000-of-00005, also with .gz.
std::optional<RecordFormat> format_of_shard_name(std::string_view path);

// Files that lie beside containers and are none: indexes, lists, descriptions, notes.
bool is_side_file(std::string_view path);
inline bool is_hidden_file(std::string_view path) { return last_name(path).starts_with('.'); }

// The path `relative` that a description in `folder` ("" or with its slash) names; none where it would lead
// out of the folder.
std::optional<std::string> path_within(std::string_view folder, std::string_view relative);

}  // namespace stoker::record
