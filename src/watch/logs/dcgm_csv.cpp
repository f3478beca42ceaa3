// What DCGM's Python reader writes: one value a row, "GPUId,TimeStampUs,Field,Values", not in order of time.
#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <utility>

#include "base/csv.hpp"
#include "watch/logs/cells.hpp"
#include "watch/logs/log_text.hpp"
#include "watch/logs/metric_rows.hpp"
#include "watch/logs/readers.hpp"

namespace stoker::watch {

namespace {

using Record = std::vector<std::string>;

// Where the four columns are; empty where a record does not name them.
struct Places {
  std::size_t gpu = 0, time = 0, field = 0, value = 0;
};

std::optional<Places> places_of(const Record& record) {
  const auto place = [&record](std::initializer_list<std::string_view> names) {
    return static_cast<std::size_t>(std::ranges::find_if(record,
                                                         [names](const std::string& cell) {
                                                           return std::ranges::find(names, lower(cell)) !=
                                                                  names.end();
                                                         }) -
                                    record.begin());
  };
  const Places places{place({"gpuid", "gpu", "entityid"}), place({"timestampus", "timestamp", "time"}),
                      place({"field", "fieldname"}), place({"values", "value"})};
  if (std::max({places.gpu, places.time, places.field, places.value}) >= record.size()) return std::nullopt;
  return places;
}

// They are held until they are in order of time: about 80 MB.
constexpr std::size_t kMostRows = 750'000;

struct OwnedRow {
  LogTime time;
  int gpu = 0;
  Column column;
  std::string value;
  std::size_t line = 0;
};

}  // namespace

bool is_dcgm_csv(std::string_view head) {
  CsvReader reader(head);
  Record record;
  return reader.next(record) && places_of(record);
}

Result<Trace> read_dcgm_csv(std::string_view text, const std::string& path) {
  LogBuilder builder("DCGM csv", "nvidia");
  CsvReader reader(text);
  Record record;
  if (!reader.next(record) || !places_of(record)) return builder.finish(path);
  const Places places = *places_of(record);
  const std::size_t columns = record.size();
  std::deque<OwnedRow> found;
  while (reader.next(record)) {
    const auto index = record.size() == columns ? gpu_number(record[places.gpu]) : std::nullopt;
    const auto time = index ? parse_log_time(record[places.time]) : std::nullopt;
    if (!time) {
      if (!places_of(record)) builder.leave_out(reader.line(), record[0]);
      continue;
    }
    if (found.size() >= kMostRows)
      return fail(ErrorCode::out_of_resources,
                  {.operation = "read trace",
                   .object = path,
                   .found = fmt::format("more than {} values", kMostRows),
                   .allowed = fmt::format("up to {}, which stand in no order of time", kMostRows),
                   .next_step = "keep its header and some rows: (head -n 1 LOG; grep GPU_UTIL LOG) > PART"});
    const Column column = find_column("dcgm " + record[places.field]);
    if (column.is_value()) found.push_back({*time, *index, column, record[places.value], reader.line()});
  }
  std::ranges::sort(found, {}, [](const OwnedRow& row) { return std::pair(row.time.seconds, row.line); });
  MetricRows rows(builder);
  for (const OwnedRow& row : found)
    rows.add({.time = row.time, .gpu = row.gpu, .column = row.column, .value = row.value});
  builder.cannot_tell_beyond_gpus();
  return builder.finish(path);
}

}  // namespace stoker::watch
