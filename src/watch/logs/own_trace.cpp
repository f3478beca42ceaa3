// Stoker's own traces: docs/formats/trace.md.
#include <cmath>
#include <fmt/format.h>

#include "watch/logs/log_text.hpp"
#include "watch/logs/readers.hpp"
#include "watch/trace_json.hpp"

namespace stoker::watch {

namespace {

constexpr double kMostTime_s = 1e11;  // thousands of years

std::string_view first_line(std::string_view text) {
  Lines lines(text);
  std::string_view line;
  lines.next(line);
  return line;
}

struct LeftOut {
  std::size_t lines = 0;
  std::string first;

  void add(std::string why) {
    if (lines++ == 0) first = std::move(why);
  }
};

}  // namespace

bool is_own_trace(std::string_view head) {
  const std::string_view line = first_line(head);
  return is_head_line(line) || line.starts_with("{\"snapshot\":") || line.starts_with("{\"probe\":");
}

Result<Trace> read_own_trace(std::string_view text, const std::string& path) {
  Trace trace;
  trace.source = path;
  trace.kind = "stoker";
  if (!is_head_line(first_line(text)))
    return fail(ErrorCode::corrupt_data, {.operation = "read trace",
                                          .object = path,
                                          .found = "no head on the first line",
                                          .allowed = fmt::format("{{\"schema\":\"{}\",…}}", kTraceSchema)});
  Lines lines(text);
  LeftOut damaged;
  for (std::string_view line; lines.next(line);) {
    if (trimmed(line).empty()) continue;
    if (lines.number() > 1 && is_head_line(line)) {
      trace.not_seen.push_back(
          {fmt::format("what follows line {}", lines.number() - 1), "another recording begins there"});
      break;
    }
    const std::size_t before = trace.snapshots.size();
    const auto added = add_line(line, fmt::format("{} line {}", path, lines.number()), trace);
    if (!added && lines.number() == 1) return tl::unexpected(added.error());
    if (!added) {
      damaged.add(fmt::format("line {}: {}", lines.number(), added.error().parts().found));
    } else if (trace.snapshots.size() > before && !(std::abs(trace.snapshots[before].time_s) < kMostTime_s)) {
      damaged.add(
          fmt::format("line {}: t {:.3g} is no time", lines.number(), trace.snapshots[before].time_s));
      trace.snapshots.pop_back();
    } else if (before > 0 && trace.snapshots.size() > before &&
               trace.snapshots[before].time_s < trace.snapshots[before - 1].time_s) {
      trace.snapshots.pop_back();
      damaged.add(fmt::format("line {}: its time lies before the last one's", lines.number()));
    }
  }
  if (damaged.lines > 0)
    trace.not_seen.push_back(
        {damaged.lines == 1 ? std::string("one line") : fmt::format("{} lines", damaged.lines),
         "damaged: " + damaged.first});
  if (trace.snapshots.empty())
    return fail(ErrorCode::corrupt_data, {.operation = "read trace",
                                          .object = path,
                                          .found = damaged.lines ? damaged.first : "no snapshot",
                                          .allowed = "at least one"});
  return trace;
}

}  // namespace stoker::watch
