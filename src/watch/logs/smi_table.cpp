// The table that nvidia-smi prints when it is asked for nothing: three lines a GPU, then its processes.
#include <algorithm>
#include <fmt/format.h>

#include "watch/logs/cells.hpp"
#include "watch/logs/log_builder.hpp"
#include "watch/logs/log_text.hpp"
#include "watch/logs/readers.hpp"

namespace stoker::watch {

namespace {

constexpr std::string_view kTitle = "NVIDIA-SMI ";
// A GPU whose driver alone holds memory holds less.
constexpr std::uint64_t kHeldBytes = 300u << 20;

// The cells of "| a | b |".
std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  line = trimmed(line);
  if (!line.starts_with('|')) return cells;
  line.remove_prefix(1);
  for (std::size_t end; (end = line.find('|')) != std::string_view::npos; line.remove_prefix(end + 1))
    cells.push_back(trimmed(line.substr(0, end)));
  return cells;
}

// The words before and behind a slash: "71W / 400W", "5729MiB / 81920MiB".
struct Pair {
  std::string_view first, second;
};

std::optional<Pair> pair_of(const std::vector<std::string_view>& words) {
  for (std::size_t i = 1; i + 1 < words.size(); ++i)
    if (words[i] == "/") return Pair{words[i - 1], words[i + 1]};
  return std::nullopt;
}

class TableReader {
 public:
  Result<Trace> read(std::string_view text, const std::string& path) {
    Lines lines(text);
    for (std::string_view line; lines.next(line);) {
      if (const auto time = parse_log_time(line); time && time->kind == TimeKind::wall) {
        time_ = time;
      } else if (line.find(kTitle) != std::string_view::npos) {
        end_table();
        builder_.begin(time_);
        time_.reset();
        part_ = Part::gpus;
      } else if (part_ != Part::none) {
        add(cells_of(line));
      }
    }
    end_table();
    builder_.cannot_tell_beyond_gpus();
    return builder_.finish(path);
  }

 private:
  enum class Part { none, gpus, instances, processes };

  void add(const std::vector<std::string_view>& cells) {
    if (cells.empty()) return;
    if (cells[0].starts_with("Processes:")) {
      part_ = Part::processes;
      for (GpuSeen& gpu : builder_.snapshot().gpus) gpu.processes = std::vector<GpuProcess>();
    } else if (cells[0].starts_with("MIG devices:")) {
      part_ = Part::instances;
    } else if (part_ == Part::gpus && cells.size() == 3) {
      add_gpu_line(cells);
    } else if (part_ == Part::instances && cells.size() >= 3) {
      add_instance(words_of(cells[0]), words_of(cells[1]));
    } else if (part_ == Part::processes && cells.size() == 1) {
      add_process(words_of(cells[0]));
    }
  }

  void put(const char* column, std::string_view cell, GpuSeen& gpu) {
    if (!put_cell(find_column(column), cell, gpu)) builder_.count_unreadable();
  }

  // "0  NVIDIA A40   On | 00000000:31:00.0 Off | 0", then "N/A 29C P0 71W / 400W | 5729MiB / 81920MiB | 0%
  // Default".
  void add_gpu_line(const std::vector<std::string_view>& cells) {
    const std::vector<std::string_view> first = words_of(cells[0]), second = words_of(cells[1]);
    const auto index = first.size() >= 2 ? gpu_index(first[0]) : std::nullopt;
    if (index && cells[1].find(':') != std::string_view::npos) {
      gpu_ = index;
      GpuSeen& gpu = builder_.gpu(*index);
      for (std::size_t i = 1; i + 1 < first.size(); ++i)
        gpu.name += (gpu.name.empty() ? "" : " ") + std::string(first[i]);
      return;
    }
    const auto memory = pair_of(second);
    if (!gpu_ || !memory) return;
    GpuSeen& gpu = builder_.gpu(*gpu_);
    for (const std::string_view word : first)
      if (word.size() > 1 && word.ends_with('C')) put("temperature", word, gpu);
    if (const auto power = pair_of(first)) {
      put("power", power->first, gpu);
      put("power limit", power->second, gpu);
    }
    put("memory used", memory->first, gpu);
    put("memory total", memory->second, gpu);
    const std::vector<std::string_view> third = words_of(cells[2]);
    put("utilization", third.empty() ? std::string_view() : third[0], gpu);
    gpu_.reset();
  }

  // "0  1  0  0 | 12MiB / 19968MiB | 42 0 | …": a MIG instance of GPU 0.
  void add_instance(const std::vector<std::string_view>& first, const std::vector<std::string_view>& second) {
    const auto index = first.size() == 4 ? gpu_index(first[0]) : std::nullopt;
    const auto memory = pair_of(second);
    if (!index || !memory) return;
    GpuSeen& gpu = builder_.gpu(*index, fmt::format("MIG {}/{}/{}", first[0], first[1], first[2]));
    gpu.mig_parent = fmt::format("GPU {}", *index);
    put("memory used", memory->first, gpu);
    put("memory total", memory->second, gpu);
  }

  // "0  N/A  N/A  3242651  C  python  5716MiB", without GI and CI in older drivers.
  void add_process(const std::vector<std::string_view>& words) {
    const auto index = words.size() >= 5 ? gpu_index(words[0]) : std::nullopt;
    if (!index || !builder_.has_gpu(*index)) return;
    for (std::size_t type = 2; type + 2 < words.size() && type <= 4; ++type) {
      const bool graphics = words[type] == "G", compute = words[type] == "C" || words[type] == "C+G";
      const std::int64_t pid = process_number(words[type - 1]);
      if ((!graphics && !compute && words[type] != "M+C") || pid == 0) continue;
      GpuProcess process;
      process.pid = pid;
      process.kind = graphics ? "graphics" : compute ? "compute" : "mps";
      for (std::size_t i = type + 1; i + 1 < words.size(); ++i)
        process.name += (process.name.empty() ? "" : " ") + std::string(words[i]);
      if (const auto bytes = number_of(find_column("memory used"), words.back()))
        process.memory_bytes = static_cast<std::uint64_t>(*bytes);
      GpuSeen& gpu = builder_.gpu(*index);
      std::vector<GpuProcess> processes = gpu.processes.value_or({});
      processes.push_back(std::move(process));
      gpu.processes = std::move(processes);
      return;
    }
  }

  // In a container the list is empty whoever uses the GPU.
  void end_table() {
    if (part_ == Part::none) return;
    for (GpuSeen& gpu : builder_.snapshot().gpus)
      if (gpu.processes && gpu.processes->empty() && gpu.memory_used_bytes.value_or(0) > kHeldBytes)
        gpu.processes = Reading<std::vector<GpuProcess>>::unknown(
            "memory is held and no process is listed, as in a container");
    part_ = Part::none;
    gpu_.reset();
  }

  LogBuilder builder_{"nvidia-smi table", "nvidia"};
  std::optional<LogTime> time_;
  Part part_ = Part::none;
  std::optional<int> gpu_;  // whose first line was read
};

}  // namespace

bool is_smi_table(std::string_view head) {
  const std::size_t title = head.find(kTitle);
  return title != std::string_view::npos && head.find("Driver Version", title) != std::string_view::npos;
}

Result<Trace> read_smi_table(std::string_view text, const std::string& path) {
  return TableReader().read(text, path);
}

}  // namespace stoker::watch
