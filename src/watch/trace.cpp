// Which kind of trace a file is, told by its content.
#include <array>
#include <fmt/format.h>

#include "stoker/watch.hpp"

#include "base/result.hpp"
#include "watch/logs/log_text.hpp"
#include "watch/logs/readers.hpp"

namespace stoker {

namespace watch {

namespace {

constexpr std::size_t kHeadBytes = 1 << 16;

struct Kind {
  bool (*is)(std::string_view head);
  Result<Trace> (*read)(std::string_view text, const std::string& path);
};

// The first that fits is taken: the ones that say what they are come first.
constexpr std::array kKinds = {
    Kind{is_own_trace, read_own_trace},   Kind{is_wandb_events, read_wandb_events},
    Kind{is_smi_table, read_smi_table},   Kind{is_dmon, read_dmon},
    Kind{is_dcgm_text, read_dcgm_text},   Kind{is_dcgm_csv, read_dcgm_csv},
    Kind{is_tegrastats, read_tegrastats}, Kind{is_gpustat, read_gpustat},
    Kind{is_gpu_csv, read_gpu_csv},
};

constexpr std::string_view kAllowed =
    "Stoker's own traces, nvidia-smi CSV (with its header), dmon and tables, gpustat, DCGM text and CSV, W&B "
    "events, tegrastats";

Error unsupported(const std::string& path, std::string found, std::string next_step = "") {
  return Error(ErrorCode::unsupported, {.operation = "read trace",
                                        .object = path,
                                        .found = std::move(found),
                                        .allowed = std::string(kAllowed),
                                        .next_step = std::move(next_step)});
}

// Why no reader takes it, as far as that can be told.
Error refusal(std::string_view text, const std::string& path) {
  const auto begins = [text](std::string_view with) { return text.starts_with(with); };
  if (begins("\x1f\x8b") || begins("\x28\xb5\x2f\xfd") ||
      begins("\xfd"
             "7zXZ") ||
      begins("PK\x03\x04"))
    return unsupported(path, "a compressed file", "unpack it first");
  if (text.substr(0, kHeadBytes).find('\0') != std::string_view::npos)
    return unsupported(path, "a binary file");
  if (text.substr(0, kHeadBytes).find("NVSMI LOG") != std::string_view::npos)
    return unsupported(path, "the long report of nvidia-smi -q",
                       "record with: nvidia-smi --query-gpu=timestamp,index,utilization.gpu,memory.used,"
                       "power.draw --format=csv -l 1");
  if (is_pmon(text.substr(0, kHeadBytes)))
    return unsupported(path, "nvidia-smi pmon's table of processes", "record with nvidia-smi dmon -o DT");
  if (is_csv_without_header(text.substr(0, kHeadBytes)))
    return unsupported(
        path, "a CSV of GPU readings without a line that names its columns",
        "put one first, for example: timestamp, index, utilization.gpu [%], memory.used [MiB]");
  const std::string quoted = quoted_words(first_filled_line(text), 60);
  return unsupported(path, fmt::format("no log of GPUs that is known; it begins \"{}\"", quoted));
}

Result<Trace> read_text(std::string_view whole, const std::string& path) {
  // A line without its end was cut: by a full disk, by a copy of a growing file.
  const std::string_view text = whole.substr(0, whole.rfind('\n') + 1);
  const std::string_view head = text.substr(0, kHeadBytes);
  for (const Kind& kind : kKinds) {
    if (!kind.is(head)) continue;
    Result<Trace> trace = kind.read(text, path);
    if (trace && text.size() < whole.size())
      trace->not_seen.push_back({"the last line", "no newline ends it: it was cut"});
    return trace;
  }
  return tl::unexpected(refusal(whole, path));
}

}  // namespace

Result<Trace> read_trace_bytes(std::string bytes, const std::string& path) {
  const std::string text = to_utf8(std::move(bytes));
  if (trimmed(text).empty())
    return fail(ErrorCode::corrupt_data, {.operation = "read trace", .object = path, .found = "it is empty"});
  return read_text(text, path);
}

}  // namespace watch

Trace read_trace(const std::string& path) {
  return value_or_throw(watch::read_trace_bytes(value_or_throw(watch::read_log_file(path)), path));
}

}  // namespace stoker
