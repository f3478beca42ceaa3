// A log's bytes as lines of UTF-8.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/words.hpp"

namespace stoker::watch {

// The whole file.
// Errors: not_found, io, invalid_argument (a folder), out_of_resources (beyond 64 MiB).
Result<std::string> read_log_file(const std::string& path);

// UTF-16 of either order becomes UTF-8, and byte order marks and a terminal's colours are left out.
std::string to_utf8(std::string bytes);

// Lines without their ends, "\n" or "\r\n".
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}
  bool next(std::string_view& line);
  std::size_t number() const { return number_; }  // of the last line, from 1

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

// The words between blanks.
std::vector<std::string_view> words_of(std::string_view text);
// The first line that holds more than blanks; the last one where none does.
std::string_view first_filled_line(std::string_view text);
// The beginning of a text as an error may quote it: control characters are blanks.
std::string quoted_words(std::string_view text, std::size_t most);
std::string lower(std::string_view text);
// The whole text as a small number that a GPU may have.
std::optional<int> gpu_index(std::string_view digits);

}  // namespace stoker::watch
