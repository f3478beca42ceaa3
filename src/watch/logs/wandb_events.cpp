// W&B's system events: a JSON object a line, with keys such as "system.gpu.0.gpu".
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "watch/logs/cells.hpp"
#include "watch/logs/log_builder.hpp"
#include "watch/logs/log_text.hpp"
#include "watch/logs/readers.hpp"

namespace stoker::watch {

namespace {

using Json = nlohmann::json;

constexpr double kMB = 1e6;

std::optional<double> number_at(const Json& event, const char* key) {
  const auto found = event.find(key);
  if (found == event.end() || !found->is_number()) return std::nullopt;
  const double value = found->get<double>();
  if (!(value >= 0 && value < 1e18)) return std::nullopt;
  return value;
}

std::uint64_t bytes_of(std::optional<double> value, double unit) {
  return static_cast<std::uint64_t>(std::min(value.value_or(0) * unit, 1e18));
}

void read_host(const Json& event, Snapshot& snapshot) {
  if (const auto cpu = number_at(event, "system.cpu"); cpu && *cpu <= 100) snapshot.host.cpu_percent = *cpu;
  auto used_percent = number_at(event, "system.memory_percent");
  if (!used_percent) used_percent = number_at(event, "system.memory");
  const auto available = number_at(event, "system.proc.memory.availableMB");
  if (available) snapshot.host.memory_available_bytes = bytes_of(available, kMiB);
  if (available && used_percent && *used_percent < 100)
    snapshot.host.memory_total_bytes = bytes_of(*available / (1 - *used_percent / 100), kMiB);
  const auto received = number_at(event, "system.network.recv"),
             sent = number_at(event, "system.network.sent");
  if (received && sent)
    snapshot.networks.push_back(
        {.name = "all", .received_bytes = bytes_of(received, 1), .sent_bytes = bytes_of(sent, 1)});
  const auto in = number_at(event, "system.disk.in"), out = number_at(event, "system.disk.out");
  if (in && out)
    snapshot.devices.push_back(
        {.name = "all", .read_bytes = bytes_of(in, kMB), .written_bytes = bytes_of(out, kMB)});
}

// The limit, where W&B tells the power both in watts and as a share of it.
void read_power_limit(const Json& event, GpuSeen& gpu) {
  const auto percent = number_at(event, fmt::format("system.gpu.{}.powerPercent", gpu.index).c_str());
  if (percent && *percent >= 1 && gpu.power_w && !gpu.power_limit_w)
    gpu.power_limit_w = *gpu.power_w / (*percent / 100);
}

void read_event(const Json& event, LogBuilder& builder) {
  builder.begin(event.contains("_timestamp") ? parse_log_time(event["_timestamp"].dump()) : std::nullopt);
  for (const auto& [key, value] : event.items()) {
    const Column column = key.starts_with("system.gpu.") ? find_column(key) : Column();
    if (!column.is_value() || !column.gpu) continue;
    GpuSeen& gpu = builder.gpu(*column.gpu);
    if (!put_cell(column, value.dump(-1, ' ', false, Json::error_handler_t::replace), gpu))
      builder.count_unreadable();
  }
  for (GpuSeen& gpu : builder.snapshot().gpus) read_power_limit(event, gpu);
  read_host(event, builder.snapshot());
}

}  // namespace

bool is_wandb_events(std::string_view head) {
  const Json event = Json::parse(first_filled_line(head), nullptr, false);
  if (!event.is_object()) return false;
  for (const auto& [key, value] : event.items())
    if (key.starts_with("system.")) return true;
  return event.contains("_wandb");
}

Result<Trace> read_wandb_events(std::string_view text, const std::string& path) {
  LogBuilder builder("W&B events", "nvidia");
  Lines lines(text);
  for (std::string_view line; lines.next(line);) {
    if (trimmed(line).empty()) continue;
    const Json event = Json::parse(line, nullptr, false);
    if (event.is_object()) {
      read_event(event, builder);
    } else {
      builder.leave_out(lines.number(), line);
    }
  }
  builder.cannot_tell_beyond_gpus();
  builder.cannot_tell("waveform", "each value is a mean over several samples");
  return builder.finish(path);
}

}  // namespace stoker::watch
