#include "show/text.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace stoker::show {

std::string printable(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte < 0x20 || byte == 0x7f) {
      line += fmt::format("\\x{:02x}", byte);
    } else {
      line += letter;
    }
  }
  return line;
}

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string elided(const std::string& text, std::size_t columns) {
  const std::size_t width = display_width(text);
  if (width <= columns || columns < 8) return text;
  const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
  const std::size_t tail = columns / 3, head = columns - tail - 1;
  std::string first, last;
  std::size_t at = 0;
  for (const char c : text) {
    if (begins(c)) ++at;
    if (at <= head) first += c;
    if (at > width - tail) last += c;
  }
  return first + "…" + last;
}

std::string short_number(double value) {
  if (!std::isfinite(value)) return "-";
  const double size = std::fabs(value);
  return fmt::format("{:.{}f}", value, size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3);
}

std::string percent(double share) { return fmt::format("{:.1f} %", share * 100); }

std::string grouped(std::size_t count) {
  std::string digits = fmt::format("{}", count);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(count), noun, count == 1 ? "" : "s");
}

std::vector<std::string> wrap(const std::string& text, std::size_t columns) {
  std::vector<std::string> lines;
  std::string line;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    at = end + 1;
    if (!line.empty() && display_width(line) + 1 + display_width(word) > columns)
      lines.push_back(std::exchange(line, ""));
    line += (line.empty() ? "" : " ") + word;
  }
  if (!line.empty() || lines.empty()) lines.push_back(line);
  return lines;
}

std::vector<std::string> Table::lines() const {
  std::vector<std::size_t> widths;
  std::vector<bool> numeric(header_.size(), true);
  for (const std::string& name : header_) widths.push_back(display_width(name));
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size() && i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i]));
      if (!row[i].empty() && row[i] != "-" &&
          std::string_view("0123456789+-").find(row[i][0]) == std::string_view::npos)
        numeric[i] = false;
    }
  }
  const auto line_of = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t i = 0; i < cells.size() && i < widths.size(); ++i) {
      const std::string padding(widths[i] - display_width(cells[i]), ' ');
      if (i > 0) line += "  ";
      line += numeric[i] ? padding + cells[i] : cells[i] + padding;
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    return line;
  };
  std::vector<std::string> lines{line_of(header_)};
  for (const auto& row : rows_) lines.push_back(line_of(row));
  return lines;
}

}  // namespace stoker::show
