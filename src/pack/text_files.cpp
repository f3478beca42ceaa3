#include "pack/text_files.hpp"

#include <fmt/format.h>

namespace stoker::packing {
namespace {

constexpr std::size_t kPiece = 256 << 10;

void append_escaped(std::string& out, std::string_view text, std::string_view escaped) {
  for (const char c : text) {
    if (escaped.find(c) == std::string_view::npos) {
      out += c;
      continue;
    }
    out += '\\';
    out += c == '\t' ? 't' : c == '\n' ? 'n' : c == '\r' ? 'r' : c;
  }
}

}  // namespace

void LineFile::add(std::string_view line) {
  waiting_ += line;
  if (waiting_.size() < kPiece) return;
  file_->append(std::as_bytes(std::span(waiting_)));
  waiting_.clear();
}

void LineFile::commit() {
  file_->append(std::as_bytes(std::span(waiting_)));
  waiting_.clear();
  file_->commit();
}

std::string escape_field(std::string_view text) {
  std::string out;
  append_escaped(out, text, "\\\t\n\r");
  return out;
}

std::string list_line(std::uint64_t id, std::span<const float> labels, std::string_view key) {
  std::string line = fmt::format("{}", id);
  for (const float label : labels) line += fmt::format("\t{}", label);
  if (labels.empty()) line += "\t0";
  line += '\t';
  append_escaped(line, key, "\t\n\r");
  line += '\n';
  return line;
}

std::string skipped_text(const std::vector<SkippedSample>& skipped) {
  std::string text = "key\treason\n";
  for (const SkippedSample& sample : skipped) {
    text += escape_field(sample.key) + '\t' + escape_field(sample.reason) + '\n';
  }
  return text;
}

}  // namespace stoker::packing
