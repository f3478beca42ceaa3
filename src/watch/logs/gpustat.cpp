// gpustat's text: a line with host and time, then a line for each GPU:
// [0] NVIDIA GeForce RTX 2070 | 29°C,  31 %,   0 % (E: 0 %  D: 0 %), 18 / 175 W |  7584 /  7982 MB |
// user:python/4711(7581M)
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "watch/logs/cells.hpp"
#include "watch/logs/log_builder.hpp"
#include "watch/logs/log_text.hpp"
#include "watch/logs/readers.hpp"

namespace stoker::watch {

namespace {

std::vector<std::string_view> trimmed_parts(std::string_view text, char at) {
  std::vector<std::string_view> parts = split(text, at);
  for (std::string_view& part : parts) part = trimmed(part);
  return parts;
}

struct GpuLine {
  int index = 0;
  std::string_view name, readings, memory, processes;
};

std::optional<GpuLine> gpu_line(std::string_view line) {
  line = trimmed(line);
  const std::size_t close = line.find(']');
  if (!line.starts_with('[') || close == std::string_view::npos) return std::nullopt;
  const auto index = gpu_index(trimmed(line.substr(1, close - 1)));
  const std::vector<std::string_view> parts = trimmed_parts(line.substr(close + 1), '|');
  if (!index || parts.size() < 3) return std::nullopt;
  return GpuLine{*index, parts[0], parts[1], parts[2], parts.size() > 3 ? parts[3] : std::string_view()};
}

// "Thu Nov 10 12:43:38 2022" between a host's name and a driver's version.
std::optional<LogTime> time_of(std::string_view line) {
  const std::vector<std::string_view> words = words_of(line);
  for (std::size_t i = 0; i + 5 <= words.size(); ++i) {
    const auto time =
        parse_log_time(fmt::format("{}", fmt::join(words.begin() + static_cast<std::ptrdiff_t>(i),
                                                   words.begin() + static_cast<std::ptrdiff_t>(i + 5), " ")));
    if (time && time->kind == TimeKind::wall) return time;
  }
  return std::nullopt;
}

class GpustatReader {
 public:
  Result<Trace> read(std::string_view text, const std::string& path) {
    Lines lines(text);
    for (std::string_view line; lines.next(line);) {
      if (trimmed(line).empty()) continue;
      if (const auto gpu = gpu_line(line)) {
        add(*gpu);
      } else if (const auto time = time_of(line)) {
        time_ = time;
        begun_ = false;
      } else {
        builder_.leave_out(lines.number(), line);
      }
    }
    builder_.cannot_tell_beyond_gpus();
    return builder_.finish(path);
  }

 private:
  void put(const char* column, std::string_view cell, GpuSeen& gpu) {
    if (!put_cell(find_column(column), cell, gpu)) builder_.count_unreadable();
  }

  // "18 / 175 W": both numbers carry the unit behind them.
  void put_pair(const char* first, const char* second, std::string_view pair, GpuSeen& gpu) {
    const std::vector<std::string_view> both = trimmed_parts(pair, '/');
    put(first, both[0], gpu);
    if (both.size() > 1) put(second, both[1], gpu);
  }

  void add(const GpuLine& line) {
    if (!begun_ || builder_.has_gpu(line.index)) builder_.begin(time_);
    begun_ = true;
    GpuSeen& gpu = builder_.gpu(line.index);
    gpu.name = line.name;
    // The fan's percentage, where it is shown, stands before the GPU's.
    std::string_view util;
    for (std::string_view reading : trimmed_parts(line.readings, ',')) {
      reading = trimmed(reading.substr(0, reading.find('(')));
      if (reading.ends_with('%')) {
        util = reading;
      } else if (reading.ends_with('W')) {
        put_pair("power [W]", "power limit [W]", reading, gpu);
      } else if (reading.ends_with('C')) {
        const std::size_t digits = std::min(reading.find_first_not_of("0123456789"), reading.size());
        put("temperature", digits > 0 ? reading.substr(0, digits) : reading, gpu);
      }
    }
    if (!util.empty()) put("utilization", util, gpu);
    put_pair("memory used [MB]", "memory total [MB]", line.memory, gpu);
    gpu.processes = processes_of(line.processes);
  }

  // "user:python/4711(7581M)", as far as gpustat was asked to show it.
  static std::vector<GpuProcess> processes_of(std::string_view text) {
    std::vector<GpuProcess> processes;
    for (const std::string_view word : words_of(text)) {
      const std::size_t open = word.find('(');
      if (open == std::string_view::npos || !word.ends_with(')')) continue;
      GpuProcess& process = processes.emplace_back();
      const std::string_view who = word.substr(0, open);
      const std::size_t colon = who.find(':'), slash = who.rfind('/');
      process.name = colon == std::string_view::npos ? who : who.substr(colon + 1);
      if (slash != std::string_view::npos) {
        process.pid = process_number(who.substr(slash + 1));
        if (colon != std::string_view::npos && colon < slash)
          process.name = who.substr(colon + 1, slash - colon - 1);
      }
      const auto bytes = number_of(find_column("memory used"), word.substr(open + 1, word.size() - open - 2));
      if (bytes) process.memory_bytes = static_cast<std::uint64_t>(*bytes);
    }
    return processes;
  }

  LogBuilder builder_{"gpustat", "nvidia"};
  std::optional<LogTime> time_;
  bool begun_ = false;
};

}  // namespace

bool is_gpustat(std::string_view head) {
  Lines lines(head);
  int seen = 0;
  for (std::string_view line; seen < 50 && lines.next(line); ++seen)
    if (gpu_line(line)) return true;
  return false;
}

Result<Trace> read_gpustat(std::string_view text, const std::string& path) {
  return GpustatReader().read(text, path);
}

}  // namespace stoker::watch
