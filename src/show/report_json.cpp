#include "show/report_json.hpp"

namespace stoker::show {

namespace {

constexpr double kMiB = 1024.0 * 1024.0;

template <class T>
Json or_null(const Reading<T>& reading) {
  return reading.known() ? Json(*reading) : Json(nullptr);
}

Json or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json mib(const Reading<std::uint64_t>& bytes) {
  return bytes.known() ? measured(static_cast<double>(*bytes) / kMiB) : Json(nullptr);
}

Json to_json(const Fix& fix) {
  Json how = Json::array();
  for (const Fix::How& one : fix.how) how.push_back({{"tool", one.tool}, {"text", one.text}});
  return {{"what", fix.what},
          {"how", std::move(how)},
          {"predicted_gain", measured(fix.predicted_gain)},
          {"predicted_images_per_s", measured(fix.predicted_images_per_s)},
          {"label", to_string(fix.label)}};
}

Json to_json(const GpuSummary& gpu) {
  return {{"index", gpu.index},
          {"name", or_null(gpu.name)},
          {"util_mean", measured(gpu.util_mean)},
          {"below_10_share", measured(gpu.below_10_share)},
          {"above_90_share", measured(gpu.above_90_share)},
          {"sm_active_mean", measured(gpu.sm_active_mean)},
          {"period_s", measured(gpu.period_s)},
          {"duty_share", measured(gpu.duty_share)},
          {"power_mean_w", measured(gpu.power_mean_w)},
          {"power_limit_w", measured(gpu.power_limit_w)},
          {"power_since_load_w", measured(gpu.power_since_load_w)},
          {"memory_used_mib", mib(gpu.memory_used_bytes)},
          {"memory_total_mib", mib(gpu.memory_total_bytes)},
          {"users", gpu.users}};
}

Json to_json(const CpuSummary& cpu) {
  return {{"allowed", measured(cpu.allowed)},
          {"limited_by", or_null(cpu.limited_by)},
          {"online", measured(cpu.online)},
          {"training", measured(cpu.training)},
          {"others", measured(cpu.others)},
          {"workers", or_null(cpu.workers)},
          {"workers_on_cpu", measured(cpu.workers_on_cpu)},
          {"workers_waiting_for_cpu", measured(cpu.workers_waiting_for_cpu)},
          {"workers_in_io", measured(cpu.workers_in_io)},
          {"workers_idle", measured(cpu.workers_idle)},
          {"workers_stopped", measured(cpu.workers_stopped)},
          {"workers_asleep", measured(cpu.workers_asleep)},
          {"throttled_share", measured(cpu.throttled_share)},
          {"steal_share", measured(cpu.steal_share)}};
}

Json to_json(const IoSummary& io) {
  return {{"read_bytes_per_s", measured(io.read_bytes_per_s)},
          {"read_chars_per_s", measured(io.read_chars_per_s)},
          {"reads_per_s", measured(io.reads_per_s)},
          {"limit_bytes_per_s", measured(io.limit_bytes_per_s)},
          {"limited_by", or_null(io.limited_by)},
          {"cache_hit_share", measured(io.cache_hit_share)},
          {"device_latency_ms", measured(io.device_latency_ms)},
          {"device", or_null(io.device)},
          {"mount", or_null(io.mount)},
          {"file", or_null(io.file)}};
}

Json to_json(const std::optional<Cost>& cost) {
  if (!cost) return nullptr;
  return {{"per_hour", measured(cost->per_hour)},
          {"lost_per_hour", measured(cost->lost_per_hour)},
          {"currency", cost->currency},
          {"prices_dated", or_null(cost->prices_dated)}};
}

}  // namespace

Json report_json(const Report& report, const std::vector<Check>& checks) {
  Json json = {{"schema", "stoker.doctor/1"},
               {"verdict", to_string(report.verdict)},
               {"summary", report.summary},
               {"confidence", measured(report.confidence)},
               {"stall_share", measured(report.stall_share)},
               {"images_per_s", measured(report.images_per_s)},
               {"images_per_s_about", report.images_per_s_about},
               {"seconds", measured(report.seconds)},
               {"causes", report.causes},
               {"evidence", Json::array()},
               {"fixes", Json::array()},
               {"gpu", Json::array()}};
  for (const Evidence& one : report.evidence) {
    json["evidence"].push_back(
        {{"what", one.what}, {"value", measured(one.value)}, {"unit", one.unit}, {"source", one.source}});
  }
  for (const Fix& fix : report.fixes) json["fixes"].push_back(to_json(fix));
  for (const GpuSummary& gpu : report.gpus) json["gpu"].push_back(to_json(gpu));
  json["cpu"] = to_json(report.cpu);
  json["io"] = to_json(report.io);
  json["cost"] = to_json(report.cost);
  json["unknown"] = Json::array();
  for (const NotSeen& one : report.unknown) json["unknown"].push_back({{"what", one.what}, {"why", one.why}});
  json["checks"] = Json::array();
  for (const Check& check : checks)
    json["checks"].push_back({{"condition", check.text}, {"met", check.met}, {"found", check.found}});
  return json;
}

}  // namespace stoker::show
