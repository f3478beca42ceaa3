// Rows of a table with named columns, to snapshots.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "watch/logs/columns.hpp"
#include "watch/logs/log_builder.hpp"

namespace stoker::watch {

// Whether a cell holds a value, or a word for want of one: no name of a column does.
bool looks_like_value(const std::string& cell);

class TableRows {
 public:
  explicit TableRows(LogBuilder& builder) : builder_(builder) {}

  // The rows that follow have these columns. `rows_per_tick`: where no column tells GPUs apart, that many
  // rows in turn are of one.
  void begin_table(std::vector<Column> columns, int rows_per_tick = 1);
  const std::vector<Column>& columns() const { return columns_; }
  bool has(Field field) const;
  // Whether a column says of which GPU a row or a cell is.
  bool identified() const;

  // False where the cells are no row: of another number, none readable, or not when or of which GPU.
  bool add(const std::vector<std::string>& cells);

 private:
  struct Row {
    std::optional<LogTime> time;
    std::optional<int> gpu;
  };
  bool fits(const std::vector<std::string>& cells) const;
  std::optional<Row> look_at(const std::vector<std::string>& cells);
  int number_of_name(const std::string& name);
  void put(const std::vector<std::string>& cells);
  bool has_gpu_columns() const;

  LogBuilder& builder_;
  std::vector<Column> columns_;
  std::map<std::string, int> names_;
  int rows_per_tick_ = 1, row_of_tick_ = 0;
  int gpu_ = 0;  // of the last row
};

}  // namespace stoker::watch
