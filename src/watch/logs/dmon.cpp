// nvidia-smi dmon: a table whose columns are named behind a '#', in its own short words.
#include <algorithm>

#include "watch/logs/log_text.hpp"
#include "watch/logs/readers.hpp"
#include "watch/logs/table_rows.hpp"

namespace stoker::watch {

namespace {

std::vector<std::string> cells_of(std::string_view line) {
  std::string spaced(line);
  std::ranges::replace(spaced, ',', ' ');  // --format csv
  std::vector<std::string> cells;
  for (const std::string_view word : words_of(spaced)) cells.emplace_back(word);
  return cells;
}

// The words of a line behind a '#'; empty of any other.
std::vector<std::string> words_behind_mark(std::string_view line) {
  line = trimmed(line);
  if (!line.starts_with('#')) return {};
  return cells_of(line.substr(1));
}

// Of the tables that NVIDIA's tool writes so, the one of GPUs; that of processes has a column `pid`.
bool names_columns(const std::vector<std::string>& words, bool of_processes) {
  const auto has = [&words](const char* word) { return std::ranges::find(words, word) != words.end(); };
  return words.size() >= 2 && has("gpu") && has("pid") == of_processes;
}

bool has_header(std::string_view head, bool of_processes) {
  Lines lines(head);
  for (std::string_view line; lines.next(line);)
    if (names_columns(words_behind_mark(line), of_processes)) return true;
  return false;
}

std::vector<Column> columns_of(const std::vector<std::string>& words) {
  std::vector<Column> columns;
  for (const std::string& word : words) {
    columns.push_back(find_column("dmon " + word));
    if (columns.back().field == Field::none && (word == "gpu" || word == "Date" || word == "Time"))
      columns.back() = find_column(word);
  }
  return columns;
}

}  // namespace

bool is_dmon(std::string_view head) { return has_header(head, false); }

bool is_pmon(std::string_view head) { return has_header(head, true); }

Result<Trace> read_dmon(std::string_view text, const std::string& path) {
  LogBuilder builder("dmon", "nvidia");
  builder.assume_period(1, "dmon wrote no time stamps: its default of one row a second is assumed");
  TableRows rows(builder);
  Lines lines(text);
  for (std::string_view line; lines.next(line);) {
    const std::vector<std::string> names = words_behind_mark(line);
    if (names_columns(names, false)) rows.begin_table(columns_of(names));
    if (!names.empty() || trimmed(line).empty()) continue;
    if (!rows.add(cells_of(line))) builder.leave_out(lines.number(), line);
  }
  builder.cannot_tell_beyond_gpus();
  return builder.finish(path);
}

}  // namespace stoker::watch
