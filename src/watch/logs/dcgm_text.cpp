// What dcgm-exporter serves: DCGM_FI_DEV_GPU_UTIL{gpu="0",UUID="GPU-…"} 98, one scrape or several.
#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "watch/logs/log_text.hpp"
#include "watch/logs/metric_rows.hpp"
#include "watch/logs/readers.hpp"

namespace stoker::watch {

namespace {

struct Metric {
  std::string_view name;
  std::map<std::string_view, std::string> labels;
  std::string_view value, time_ms;

  std::string_view label(std::string_view name_of) const {
    const auto found = labels.find(name_of);
    return found == labels.end() ? std::string_view() : found->second;
  }
};

// Source: the text exposition format of Prometheus.
std::optional<Metric> parse_metric(std::string_view line) {
  Metric metric;
  const std::size_t open = line.find('{');
  if (open == std::string_view::npos) return std::nullopt;
  metric.name = trimmed(line.substr(0, open));
  line.remove_prefix(open + 1);
  for (;;) {
    line = trimmed(line);
    if (line.starts_with('}')) break;
    const std::size_t quote = line.find("=\"");
    if (quote == std::string_view::npos) return std::nullopt;
    std::string& value = metric.labels[trimmed(line.substr(0, quote))];
    std::size_t at = quote + 2;
    for (; at < line.size() && line[at] != '"'; ++at) {
      if (line[at] == '\\' && at + 1 < line.size()) ++at;
      value.push_back(line[at]);
    }
    if (at >= line.size()) return std::nullopt;
    line.remove_prefix(at + 1);
    if (line.starts_with(',')) line.remove_prefix(1);
  }
  const std::vector<std::string_view> words = words_of(line.substr(1));
  if (words.empty()) return std::nullopt;
  metric.value = words[0];
  if (words.size() > 1) metric.time_ms = words[1];
  return metric;
}

bool is_of_dcgm(std::string_view line) {
  return (line.starts_with("DCGM_FI_") || line.starts_with("dcgm_")) &&
         line.find('{') != std::string_view::npos;
}

}  // namespace

bool is_dcgm_text(std::string_view head) {
  Lines lines(head);
  for (std::string_view line; lines.next(line);)
    if (is_of_dcgm(line)) return true;
  return false;
}

Result<Trace> read_dcgm_text(std::string_view text, const std::string& path) {
  LogBuilder builder("DCGM exporter", "nvidia");
  MetricRows rows(builder);
  Lines lines(text);
  for (std::string_view line; lines.next(line);) {
    if (!is_of_dcgm(line)) continue;  // other exporters' metrics, HELP and TYPE
    const auto metric = parse_metric(line);
    const auto index = metric ? gpu_index(metric->label("gpu")) : std::nullopt;
    if (!index) {
      builder.leave_out(lines.number(), line);
      continue;
    }
    const Column column = find_column(metric->name);
    if (!column.is_value()) continue;
    const std::string_view instance_id = metric->label("GPU_I_ID");
    const std::string instance =
        instance_id.empty() ? std::string() : fmt::format("MIG {}/{}", *index, instance_id);
    GpuSeen& gpu = rows.add({.time = parse_log_time(metric->time_ms),
                             .gpu = *index,
                             .uuid = metric->label("UUID"),
                             .instance = instance,
                             .column = column,
                             .value = metric->value});
    const std::string_view name = metric->label(instance.empty() ? "modelName" : "GPU_I_PROFILE");
    if (!name.empty()) gpu.name = name;
  }
  builder.cannot_tell_beyond_gpus();
  return builder.finish(path);
}

}  // namespace stoker::watch
