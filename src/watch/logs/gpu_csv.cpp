// Tables of GPU readings: nvidia-smi --query-gpu in every spelling, and what scripts write like it.
#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "base/csv.hpp"
#include "watch/logs/columns.hpp"
#include "watch/logs/log_builder.hpp"
#include "watch/logs/log_text.hpp"
#include "watch/logs/readers.hpp"
#include "watch/logs/tick_size.hpp"

namespace stoker::watch {

namespace {

using Record = std::vector<std::string>;

constexpr int kHeaderWithin = 50;  // records: messages and comments may stand before it

bool looks_like_value(const std::string& cell) {
  return !cell.empty() && ((cell[0] >= '0' && cell[0] <= '9') || is_unreadable(cell));
}

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

// The separator of a text's header, or 0.
char separator_of(std::string_view text) {
  for (const char separator : {',', ';', '\t'}) {
    CsvReader reader(text, separator);
    Record record;
    for (int i = 0; i < kHeaderWithin && reader.next(record); ++i)
      if (!columns_of(record).empty() && (record.size() > 1 || separator == '\t')) return separator;
  }
  return 0;
}

// What a row says beside its values.
struct Row {
  std::optional<LogTime> time;
  std::optional<int> gpu;
};

class GpuCsv {
 public:
  GpuCsv(std::string_view text, char separator)
      : text_(text), separator_(separator), builder_(kind_of(text)) {}

  Result<Trace> read(const std::string& path) {
    CsvReader reader(text_, separator_);
    for (Record record; reader.next(record);) {
      if (auto columns = columns_of(record); !columns.empty()) {
        begin_table(std::move(columns));
      } else if (!fits(record) || !add(record)) {
        std::string line;
        for (const std::string& cell : record) line += (line.empty() ? "" : ", ") + cell;
        builder_.leave_out(reader.line(), line);
      }
    }
    tell_what_is_not_there();
    return builder_.finish(path);
  }

 private:
  static std::string kind_of(std::string_view text) {
    const std::string head = lower(text.substr(0, 4096));
    const bool dotted = head.find("utilization.gpu") != std::string::npos ||
                        head.find("memory.used") != std::string::npos ||
                        head.find("power.draw") != std::string::npos;
    return dotted ? "nvidia-smi csv" : "GPU csv";
  }

  bool has(Field field) const { return std::ranges::find(columns_, field, &Column::field) != columns_.end(); }
  bool identified() const { return has(Field::gpu) || has(Field::uuid) || has(Field::bus_id); }
  bool has_gpu_columns() const {
    return std::ranges::any_of(columns_, [](const Column& column) { return column.gpu.has_value(); });
  }

  void begin_table(std::vector<Column> columns) {
    columns_ = std::move(columns);
    if (!rows_per_tick_ && !identified() && !has_gpu_columns()) rows_per_tick_ = count_rows_per_tick();
    row_of_tick_ = 0;
  }

  // Rows that nothing tells apart may still be of several GPUs.
  int count_rows_per_tick() const {
    CsvReader reader(text_, separator_);
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

  // As many cells as the header names, or empty ones more.
  bool fits(const Record& record) const {
    if (columns_.empty() || record.size() < columns_.size()) return false;
    return std::all_of(record.begin() + static_cast<std::ptrdiff_t>(columns_.size()), record.end(),
                       [](const std::string& cell) { return cell.empty(); });
  }

  int number_of_name(const std::string& name) {
    return names_.try_emplace(name, static_cast<int>(names_.size())).first->second;
  }

  // Empty where the row is none: nothing in it can be read, or not when or of which GPU it is.
  std::optional<Row> look_at(const Record& record) {
    Row row;
    std::string date;
    bool any = false;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string& cell = record[i];
      switch (columns_[i].field) {
        case Field::none:
        case Field::name:
          break;
        case Field::date:
          date = cell;
          break;
        case Field::time:
          row.time = parse_log_time(date.empty() ? cell : date + " " + cell);
          if (!row.time) return std::nullopt;
          if (row.time->kind == TimeKind::elapsed) row.time->seconds *= columns_[i].factor;
          break;
        case Field::gpu:
          row.gpu = gpu_number(cell);
          if (!row.gpu && (cell.empty() || is_unreadable(cell))) return std::nullopt;
          if (!row.gpu) row.gpu = number_of_name(cell);
          break;
        case Field::uuid:
        case Field::bus_id:
          if (!row.gpu && !has(Field::gpu)) row.gpu = number_of_name(cell);
          break;
        default:
          any = any || looks_like_value(cell) || number_of(columns_[i], cell);
      }
    }
    if (!any) return std::nullopt;
    return row;
  }

  bool add(const Record& record) {
    std::optional<Row> row = look_at(record);
    if (!row) return false;
    const bool one_a_row = has_gpu_columns();
    if (!row->gpu && !one_a_row) row->gpu = row_of_tick_;
    if (rows_per_tick_) row_of_tick_ = (row_of_tick_ + 1) % *rows_per_tick_;
    // Tools write the GPUs of a tick in order.
    if (!builder_.has_begun() || one_a_row || *row->gpu <= last_gpu_) builder_.begin(row->time);
    last_gpu_ = row->gpu.value_or(0);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const Column& column = columns_[i];
      if (column.field == Field::host_cpu) {
        const auto percent = number_of(column, record[i]);
        if (!percent) builder_.count_unreadable();
        if (percent) builder_.snapshot().host.cpu_percent = *percent;
        continue;
      }
      if (!column.is_value() && column.field != Field::name && column.field != Field::uuid) continue;
      GpuSeen& gpu = builder_.gpu(column.gpu.value_or(last_gpu_));
      if (builder_.kind() == "nvidia-smi csv") gpu.vendor = "nvidia";
      if (column.field == Field::uuid) {
        gpu.uuid = record[i];
      } else if (!put_cell(column, record[i], gpu)) {
        builder_.count_unreadable();
      }
    }
    return true;
  }

  void tell_what_is_not_there() {
    builder_.cannot_tell_beyond_gpus();
    if (rows_per_tick_.value_or(0) == 1 && !identified())
      builder_.cannot_tell("which GPU", "no column tells GPUs apart: all rows are taken to be of one");
  }

  std::string_view text_;
  char separator_;
  LogBuilder builder_;
  std::vector<Column> columns_;
  std::map<std::string, int> names_;
  std::optional<int> rows_per_tick_;
  int row_of_tick_ = 0;
  int last_gpu_ = 0;
};

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
  return GpuCsv(text, separator_of(text)).read(path);
}

}  // namespace stoker::watch
