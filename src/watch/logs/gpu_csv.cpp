// Tables of GPU readings: nvidia-smi --query-gpu in every spelling, and what scripts write like it.
#include <algorithm>

#include "base/csv.hpp"
#include "watch/logs/log_text.hpp"
#include "watch/logs/readers.hpp"
#include "watch/logs/table_rows.hpp"
#include "watch/logs/tick_size.hpp"

namespace stoker::watch {

namespace {

using Record = std::vector<std::string>;

constexpr int kHeaderWithin = 50;  // records: messages and comments may stand before it

// The columns that a record names; empty where it is no header.
std::vector<Column> columns_of(const Record& record) {
  std::vector<Column> columns;
  bool any_value = false;
  for (const std::string& cell : record) {
    if (looks_like_value(cell)) return {};
    columns.push_back(find_column(cell));
    any_value = any_value || columns.back().is_value();
  }
  return any_value ? columns : std::vector<Column>();
}

// The separator of a text's header, or 0. A single column has none: a tab, which no cell holds, does for it.
char separator_of(std::string_view text) {
  for (const char separator : {',', ';', '\t'}) {
    CsvReader reader(text, separator);
    Record record;
    for (int i = 0; i < kHeaderWithin && reader.next(record); ++i)
      if (!columns_of(record).empty() && (record.size() > 1 || separator == '\t')) return separator;
  }
  return 0;
}

// Whether the columns have the names of nvidia-smi's own queries.
bool names_nvidia_columns(std::string_view text) {
  const std::string head = lower(text.substr(0, 4096));
  for (const char* name : {"utilization.gpu", "memory.used", "power.draw"})
    if (head.find(name) != std::string::npos) return true;
  return false;
}

// Rows that no column tells apart may still be of several GPUs.
int count_rows_per_tick(std::string_view text, char separator) {
  CsvReader reader(text, separator);
  TickSize size;
  std::vector<Column> columns;
  for (Record record; reader.next(record);) {
    if (auto found = columns_of(record); !found.empty()) {
      columns = std::move(found);
      size.header();
      continue;
    }
    if (columns.size() != record.size()) continue;
    const auto time = std::ranges::find(columns, Field::time, &Column::field);
    size.row(time == columns.end()
                 ? std::nullopt
                 : parse_log_time(record[static_cast<std::size_t>(time - columns.begin())]));
  }
  return size.rows();
}

}  // namespace

bool is_gpu_csv(std::string_view head) { return separator_of(head) != 0; }

bool is_csv_without_header(std::string_view head) {
  CsvReader reader(head);
  Record record;
  if (!reader.next(record) || record.size() < 2) return false;
  return std::ranges::any_of(record, [](const std::string& cell) {
    return looks_like_value(cell) && (cell.ends_with(" %") || cell.ends_with(" MiB") || cell.ends_with(" W"));
  });
}

Result<Trace> read_gpu_csv(std::string_view text, const std::string& path) {
  const char separator = separator_of(text);
  const bool from_nvidia = names_nvidia_columns(text);
  LogBuilder builder(from_nvidia ? "nvidia-smi csv" : "GPU csv", from_nvidia ? "nvidia" : "");
  TableRows rows(builder);
  std::optional<int> rows_per_tick;
  CsvReader reader(text, separator);
  for (Record record; reader.next(record);) {
    if (auto columns = columns_of(record); !columns.empty()) {
      rows.begin_table(std::move(columns), rows_per_tick.value_or(1));
      if (rows.identified() || rows_per_tick) continue;
      rows_per_tick = count_rows_per_tick(text, separator);
      rows.begin_table(rows.columns(), *rows_per_tick);
    } else if (!rows.add(record)) {
      std::string line;
      for (const std::string& cell : record) line += (line.empty() ? "" : ", ") + cell;
      builder.leave_out(reader.line(), line);
    }
  }
  builder.cannot_tell_beyond_gpus();
  if (rows_per_tick == 1 && !rows.identified())
    builder.cannot_tell("which GPU", "no column tells GPUs apart: all rows are taken to be of one");
  return builder.finish(path);
}

}  // namespace stoker::watch
