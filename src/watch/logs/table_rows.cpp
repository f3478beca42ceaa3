#include "watch/logs/table_rows.hpp"

#include <algorithm>

#include "watch/logs/cells.hpp"
#include "watch/logs/log_text.hpp"

namespace stoker::watch {

bool looks_like_value(const std::string& cell) {
  return !cell.empty() && ((cell[0] >= '0' && cell[0] <= '9') || is_unreadable(cell));
}

void TableRows::begin_table(std::vector<Column> columns, int rows_per_tick) {
  columns_ = std::move(columns);
  rows_per_tick_ = rows_per_tick;
  row_of_tick_ = 0;
}

bool TableRows::has(Field field) const {
  return std::ranges::find(columns_, field, &Column::field) != columns_.end();
}

bool TableRows::has_gpu_columns() const {
  return std::ranges::any_of(columns_, [](const Column& column) { return column.gpu.has_value(); });
}

bool TableRows::identified() const {
  return has(Field::gpu) || has(Field::uuid) || has(Field::bus_id) || has_gpu_columns();
}

// As many cells as there are columns, or empty ones more.
bool TableRows::fits(const std::vector<std::string>& cells) const {
  if (columns_.empty() || cells.size() < columns_.size()) return false;
  return std::all_of(cells.begin() + static_cast<std::ptrdiff_t>(columns_.size()), cells.end(),
                     [](const std::string& cell) { return cell.empty(); });
}

int TableRows::number_of_name(const std::string& name) {
  return names_.try_emplace(name, static_cast<int>(names_.size())).first->second;
}

std::optional<TableRows::Row> TableRows::look_at(const std::vector<std::string>& cells) {
  Row row;
  std::string date;
  bool any = false;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::string& cell = cells[i];
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

void TableRows::put(const std::vector<std::string>& cells) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const Column& column = columns_[i];
    if (column.field == Field::host_cpu) {
      const auto percent = number_of(column, cells[i]);
      if (percent) builder_.snapshot().host.cpu_percent = *percent;
      if (!percent) builder_.count_unreadable();
      continue;
    }
    if (!column.is_value() && column.field != Field::name && column.field != Field::uuid) continue;
    GpuSeen& gpu = builder_.gpu(column.gpu.value_or(gpu_));
    if (column.field == Field::uuid) {
      gpu.uuid = cells[i];
    } else if (!put_cell(column, cells[i], gpu)) {
      builder_.count_unreadable();
    }
  }
}

bool TableRows::add(const std::vector<std::string>& cells) {
  if (!fits(cells)) return false;
  const std::optional<Row> row = look_at(cells);
  if (!row) return false;
  const bool one_a_row = has_gpu_columns();
  const int gpu = one_a_row ? 0 : row->gpu.value_or(row_of_tick_);
  row_of_tick_ = (row_of_tick_ + 1) % rows_per_tick_;
  // Tools write the GPUs of a tick in their order.
  if (!builder_.has_begun() || one_a_row || gpu <= gpu_) builder_.begin(row->time);
  gpu_ = gpu;
  put(cells);
  return true;
}

}  // namespace stoker::watch
