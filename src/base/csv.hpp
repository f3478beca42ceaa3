// Comma-separated values, as programs and people write them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace stoker {

// Records of a CSV text: quoted fields may hold separators, newlines and doubled quotes. Beyond the standard,
// blanks around a field are not its own, and a quote that is never closed is a character like any other.
// Source: RFC 4180.
class CsvReader {
 public:
  // `text` must outlive the reader.
  explicit CsvReader(std::string_view text, char separator = ',') : text_(text), separator_(separator) {}

  // The next record that is not blank; false at the end.
  bool next(std::vector<std::string>& fields);
  // The line that it began on, counted from 1.
  std::size_t line() const { return line_; }

 private:
  std::string read_field();
  bool read_quoted(std::string& field);

  std::string_view text_;
  char separator_;
  std::size_t at_ = 0;
  std::size_t line_ = 0, next_line_ = 1;
  bool quotes_pair_ = true;
};

}  // namespace stoker
