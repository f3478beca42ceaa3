// Every kind of trace that is read: whether a text begins like one, and what it holds.
//
// is_…: `head` is the beginning of a text, cut anywhere. read_…: `text` is UTF-8 with its cut last line taken
// off, `path` names it in errors and in Trace::source.
// Errors of all readers: corrupt_data (nothing in it can be read), out_of_resources (too many readings).
#pragma once

#include <string>
#include <string_view>

#include "stoker/watch.hpp"

#include "base/result.hpp"

namespace stoker::watch {

// Stoker's own.
bool is_own_trace(std::string_view head);
Result<Trace> read_own_trace(std::string_view text, const std::string& path);

// nvidia-smi --query-gpu, and tables that scripts write with columns of such names.
bool is_gpu_csv(std::string_view head);
Result<Trace> read_gpu_csv(std::string_view text, const std::string& path);
// What a trace file holds, told by its content.
// Errors: as all readers; unsupported (a kind that is known and not read, or not known).
Result<Trace> read_trace_bytes(std::string bytes, const std::string& path);

// Values without a line that names them: known, and not read.
bool is_csv_without_header(std::string_view head);

bool is_dmon(std::string_view head);
Result<Trace> read_dmon(std::string_view text, const std::string& path);
// nvidia-smi pmon, the table of processes: known, and not read.
bool is_pmon(std::string_view head);

bool is_smi_table(std::string_view head);
Result<Trace> read_smi_table(std::string_view text, const std::string& path);

bool is_gpustat(std::string_view head);
Result<Trace> read_gpustat(std::string_view text, const std::string& path);

bool is_dcgm_text(std::string_view head);
Result<Trace> read_dcgm_text(std::string_view text, const std::string& path);

bool is_dcgm_csv(std::string_view head);
Result<Trace> read_dcgm_csv(std::string_view text, const std::string& path);

bool is_wandb_events(std::string_view head);
Result<Trace> read_wandb_events(std::string_view text, const std::string& path);

bool is_tegrastats(std::string_view head);
Result<Trace> read_tegrastats(std::string_view text, const std::string& path);

}  // namespace stoker::watch
