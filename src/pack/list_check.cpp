#include "pack/list_check.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stoker/error.hpp"

#include "pack/text_files.hpp"
#include "record/list_reader.hpp"

namespace stoker::packing {
namespace {

constexpr std::uint64_t kMostReports = 100;  // more tells no more

std::string told(std::string_view id, std::span<const float> labels) {
  return fmt::format("id {} and label{} {}", id, labels.size() == 1 ? "" : "s", fmt::join(labels, " "));
}

// What is wrong with a line of the list for `record`; empty: nothing.
std::string wrong_with(std::string_view line, const ListedRecord& record) {
  static constexpr float kUnlabelled[] = {0};  // a list cannot say that a record has no label
  const std::span<const float> labels =
      record.labels.empty() ? std::span<const float>(kUnlabelled) : std::span<const float>(record.labels);
  // As it was written: nearly always. (A list may also hold what does not parse again, a label that is no
  // number.)
  const std::string columns = list_columns(record.key, labels);
  if (line.starts_with(columns) && line.size() > columns.size() &&
      line.find('\t', columns.size()) == std::string_view::npos)
    return "";
  record::ListLine parsed;
  if (const Result<void> result = record::parse_list_line(line, parsed); !result)
    return result.error().parts().found;
  const std::string id = std::to_string(parsed.id);
  if (id == record.key && std::ranges::equal(parsed.labels, labels)) return "";
  return fmt::format("{}, where the record has {}", told(id, parsed.labels), told(record.key, labels));
}

}  // namespace

std::unique_ptr<ListCheck> ListCheck::open(Store& store, const std::string& path) {
  return std::unique_ptr<ListCheck>(new ListCheck(store.open_read(path)));
}

std::optional<std::string_view> ListCheck::next_line() {
  try {
    while (const auto line = lines_.next())
      if (!record::is_blank_or_comment(*line)) return line;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::corrupt_data) throw;
    report("", error.what());
    stopped_ = true;
  }
  return std::nullopt;
}

void ListCheck::report(std::string key, std::string reason) {
  if (++wrong_ <= kMostReports)
    bad_.push_back(
        {.container = file_->path(), .offset = 0, .key = std::move(key), .reason = std::move(reason)});
}

void ListCheck::add(const ListedRecord& record) {
  ++records_;
  if (stopped_) return;
  const auto line = next_line();
  if (!line) return;
  ++listed_;
  if (const std::string wrong = wrong_with(*line, record); !wrong.empty())
    report(record.key, fmt::format("line {}: {}", lines_.number(), wrong));
}

std::vector<BadRecord> ListCheck::finish() {
  if (!stopped_)
    while (next_line()) ++listed_;
  if (wrong_ > kMostReports)
    bad_.push_back({file_->path(), 0, "", fmt::format("{} more wrong lines", wrong_ - kMostReports)});
  if (!stopped_ && listed_ != records_)
    bad_.push_back({file_->path(), 0, "",
                    fmt::format("line {}: the list ends with {} samples, the container holds {} records",
                                lines_.number(), listed_, records_)});
  return std::move(bad_);
}

}  // namespace stoker::packing
