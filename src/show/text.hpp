// Figures, tables and wrapped words as people read them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace stoker::show {

// One line, whatever the text holds: control characters come out as \xNN.
std::string printable(std::string_view text);

// At most `columns` wide: its middle gives way to "…".
std::string elided(const std::string& text, std::size_t columns);

// Columns on a terminal: bytes that begin a UTF-8 character.
std::size_t display_width(std::string_view text);

// Lines of at most `columns`, broken at blanks; a longer word stands alone. At least one line.
std::vector<std::string> wrap(const std::string& text, std::size_t columns);

// Three significant digits, for rates and ratios: "1234", "56.7", "0.982".
std::string short_number(double value);

// "97.3 %" of a share.
std::string percent(double share);

// "1,000".
std::string grouped(std::size_t count);
// "1,000 images"; "1 image".
std::string counted(std::size_t count, std::string_view noun);

// Rows under a header. Numbers (cells that begin with a digit or a sign) are set to the right.
class Table {
 public:
  explicit Table(std::vector<std::string> header) : header_(std::move(header)) {}
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  // Lines, the header first, two blanks between columns, none behind the last.
  std::vector<std::string> lines() const;

 private:
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace stoker::show
