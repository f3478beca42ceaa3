// tegrastats, which takes nvidia-smi's place on Jetson boards: a line of words and values a second.
// GR3D_FREQ is the share of time that the GPU works, at the clock that stands behind the @, and so says what
// utilisation says elsewhere. Its memory is the machine's.
#include <algorithm>

#include "watch/logs/cells.hpp"
#include "watch/logs/log_builder.hpp"
#include "watch/logs/log_text.hpp"
#include "watch/logs/readers.hpp"

namespace stoker::watch {

namespace {

constexpr std::size_t kLongestLine = 4096;

// "RAM 506/3964MB … GR3D_FREQ 42%@76", with a time before it or not.
bool is_line(std::string_view line) {
  const std::vector<std::string_view> words = words_of(line.substr(0, kLongestLine));
  const auto value_of = [&words](std::string_view name) {
    const auto found = std::ranges::find(words, name);
    return found == words.end() || found + 1 == words.end() ? std::string_view() : found[1];
  };
  const std::string_view memory = value_of("RAM"), load = value_of("GR3D_FREQ");
  return memory.ends_with("MB") && memory.find('/') != std::string_view::npos &&
         load.find('%') != std::string_view::npos && load.find_first_not_of("0123456789") == load.find('%');
}

// What stands before a mark: "925/925" → "925", "12%@76" → "12%".
std::string_view before(std::string_view text, std::string_view marks) {
  return text.substr(0, text.find_first_of(marks));
}

class TegrastatsReader {
 public:
  Result<Trace> read(std::string_view text, const std::string& path) {
    builder_.assume_period(1,
                           "the lines have no time stamps: tegrastats' default of one a second is assumed");
    Lines lines(text);
    for (std::string_view line; lines.next(line);) {
      if (trimmed(line).empty()) continue;
      if (is_line(line)) {
        add(line);
      } else {
        builder_.leave_out(lines.number(), line);
      }
    }
    builder_.cannot_tell_beyond_gpus();
    return builder_.finish(path);
  }

 private:
  void add(std::string_view line) {
    builder_.begin(parse_log_time(line.substr(0, line.find("RAM "))));
    GpuSeen& gpu = builder_.gpu(0);
    gpu.name = "Jetson";
    HostSeen& host = builder_.snapshot().host;
    const std::vector<std::string_view> words = words_of(line);
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string_view value = i + 1 < words.size() ? words[i + 1] : std::string_view();
      if (words[i] == "GR3D_FREQ") {
        put("utilization", before(value, "@"), gpu);
      } else if (words[i] == "RAM") {
        read_memory(value, host);
      } else if (words[i] == "CPU") {
        read_cpus(value, host);
      } else if (words[i] == "POM_5V_GPU" || words[i] == "VDD_GPU_SOC" || words[i] == "VDD_CPU_GPU_CV") {
        std::string_view power = before(value, "/");
        if (power.ends_with("mW")) power.remove_suffix(2);
        put("power [mW]", power, gpu);
      } else if (lower(words[i]).starts_with("gpu@")) {
        put("temperature", words[i].substr(4), gpu);
      }
    }
  }

  void put(const char* column, std::string_view cell, GpuSeen& gpu) {
    if (!put_cell(find_column(column), cell, gpu)) builder_.count_unreadable();
  }

  // "506/3964MB"
  static void read_memory(std::string_view value, HostSeen& host) {
    const Column column = find_column("memory used");
    const auto used = number_of(column, before(value, "/"));
    const auto total = number_of(column, value.substr(std::min(value.find('/'), value.size() - 1) + 1));
    if (!used || !total || *used > *total) return;
    host.memory_total_bytes = static_cast<std::uint64_t>(*total);
    host.memory_available_bytes = static_cast<std::uint64_t>(*total - *used);
  }

  // "[4%@102,off,0%@102]"
  static void read_cpus(std::string_view value, HostSeen& host) {
    if (!value.starts_with('[') || !value.ends_with(']')) return;
    value = value.substr(1, value.size() - 2);
    double sum = 0;
    int online = 0;
    while (!value.empty()) {
      const auto percent = number_of(find_column("cpu"), before(value, ",@"));
      if (percent) ++online, sum += *percent;
      value.remove_prefix(std::min(value.find(','), value.size() - 1) + 1);
    }
    if (online == 0) return;
    host.online_cpus = online;
    host.cpu_percent = sum / online;
  }

  LogBuilder builder_{"tegrastats", "nvidia"};
};

}  // namespace

bool is_tegrastats(std::string_view head) {
  Lines lines(head);
  std::string_view line;
  while (lines.next(line))
    if (is_line(line)) return true;
  return false;
}

Result<Trace> read_tegrastats(std::string_view text, const std::string& path) {
  return TegrastatsReader().read(text, path);
}

}  // namespace stoker::watch
