#include "cli/help.hpp"

#include <algorithm>
#include <utility>

#include "cli/text.hpp"

namespace stoker::cli {

namespace {

constexpr std::size_t kColumns = 80;
constexpr std::size_t kScreenLines = 24;
constexpr std::size_t kIndent = 2;
constexpr std::size_t kHalf = kColumns / 2;

std::string told(const HelpEntry& entry) {
  if (entry.default_value.empty()) return entry.text;
  return entry.text + (entry.text.empty() ? "" : " ") + "[" + entry.default_value + "]";
}

std::string padded(std::string text, std::size_t columns) {
  const std::size_t width = display_width(text);
  if (width < columns) text.append(columns - width, ' ');
  return text;
}

std::size_t widest_left(const std::vector<const HelpEntry*>& entries) {
  std::size_t widest = 0;
  for (const HelpEntry* entry : entries) widest = std::max(widest, display_width(entry->left));
  return widest;
}

// One entry a line, its text wrapped beside it.
std::vector<std::string> single_column(const std::vector<const HelpEntry*>& entries) {
  std::vector<std::string> lines;
  const std::size_t text_at = kIndent + widest_left(entries) + 2;
  for (const HelpEntry* entry : entries) {
    std::string line = padded(std::string(kIndent, ' ') + entry->left, text_at);
    for (const std::string& part : wrap(told(*entry), kColumns - text_at)) {
      lines.push_back(line + part);
      line.assign(text_at, ' ');
    }
  }
  return lines;
}

// Entries that tell little stand in two columns, filled row by row; the others below, one a line.
std::vector<std::string> two_columns(const std::vector<const HelpEntry*>& entries) {
  constexpr std::size_t kNarrowLeft = 23;
  constexpr std::size_t kNarrowText = kHalf - kNarrowLeft - 2 * kIndent - 1;
  std::vector<const HelpEntry*> narrow;
  std::vector<const HelpEntry*> wide;
  for (const HelpEntry* entry : entries) {
    const bool fits = display_width(entry->left) <= kNarrowLeft && display_width(told(*entry)) <= kNarrowText;
    (fits ? narrow : wide).push_back(entry);
  }
  std::vector<std::string> lines = single_column(wide);
  const std::size_t text_at = kIndent + widest_left(narrow) + 2;
  std::string line;
  for (std::size_t i = 0; i < narrow.size(); ++i) {
    const std::size_t column = i % 2 * kHalf;
    line = padded(padded(line, column) + std::string(kIndent, ' ') + narrow[i]->left, column + text_at) +
           told(*narrow[i]);
    if (i % 2 == 1 || i + 1 == narrow.size()) {
      while (line.back() == ' ') line.pop_back();
      lines.push_back(std::exchange(line, ""));
    }
  }
  return lines;
}

// Names and defaults, one behind the other.
std::vector<std::string> flowing(const std::vector<const HelpEntry*>& entries) {
  std::vector<std::string> lines;
  std::string line;
  for (const HelpEntry* entry : entries) {
    const std::string brief =
        entry->left + (entry->default_value.empty() ? "" : " [" + entry->default_value + "]");
    if (!line.empty() && display_width(line) + kIndent + display_width(brief) > kColumns)
      lines.push_back(std::exchange(line, ""));
    line += std::string(kIndent, ' ') + brief;
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

}  // namespace

std::string help_text(const HelpPage& page) {
  std::vector<std::string> lines{"Example: " + page.example, ""};
  for (const std::string& line : wrap(page.purpose, kColumns)) lines.push_back(line);
  const std::string gap = page.positionals.empty() ? "" : " ";
  lines.push_back("Usage: stoker " + page.verb + gap + page.positionals + " [options]" +
                  (page.rest.empty() ? "" : " " + page.rest));
  std::vector<const HelpEntry*> entries, rare;
  for (const HelpEntry& entry : page.entries) (entry.rare ? rare : entries).push_back(&entry);
  const std::vector<std::string> below = flowing(rare);
  auto options = single_column(entries);
  if (lines.size() + options.size() + below.size() > kScreenLines) options = two_columns(entries);
  lines.insert(lines.end(), options.begin(), options.end());
  lines.insert(lines.end(), below.begin(), below.end());
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace stoker::cli
