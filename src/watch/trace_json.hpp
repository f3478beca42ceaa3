// Snapshots as lines of JSON, the format of docs/formats/trace.md.
#pragma once

#include <string>
#include <string_view>

#include "stoker/watch.hpp"

#include "base/result.hpp"

namespace stoker::watch {

inline constexpr std::string_view kTraceSchema = "stoker.trace/1";

// Without the newline.
std::string head_line(std::int64_t pid);
std::string to_line(const Snapshot& snapshot);
std::string to_line(const ProbeSeen& probe);

// Adds what the line holds to the trace; unknown members are passed over. `place` ("x.trace line 7") names it
// in errors.
// Errors: corrupt_data, unsupported (a schema that is not this one).
Result<void> add_line(std::string_view line, const std::string& place, Trace& trace);

// Whether a first line is the head of such a trace.
bool is_head_line(std::string_view line);

}  // namespace stoker::watch
