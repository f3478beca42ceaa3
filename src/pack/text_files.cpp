#include "pack/text_files.hpp"

#include <fmt/format.h>

namespace stoker::packing {
namespace {

constexpr std::size_t kPiece = 256 << 10;

constexpr std::string_view kBreaks = "\t\n\r";

void append_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (c != '\\' && kBreaks.find(c) == std::string_view::npos) {
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
  if (waiting_.size() >= kPiece) flush();
}

void LineFile::flush() {
  if (!waiting_.empty()) file_->append(std::as_bytes(std::span(waiting_)));
  waiting_.clear();
}

void LineFile::sync() {
  flush();
  file_->sync();
}

void LineFile::commit() {
  flush();
  file_->commit();
}

std::string escape_field(std::string_view text) {
  std::string out;
  append_escaped(out, text);
  return out;
}

std::string list_columns(std::string_view id, std::span<const float> labels) {
  std::string columns = fmt::format("{}\t", id);
  for (const float label : labels) columns += fmt::format("{}\t", label);
  if (labels.empty()) columns += "0\t";
  return columns;
}

std::string list_line(std::uint64_t id, std::span<const float> labels, std::string_view key) {
  std::string line = list_columns(std::to_string(id), labels);
  if (key.find_first_of(kBreaks) == std::string_view::npos)
    line += key;
  else
    append_escaped(line, key);
  line += '\n';
  return line;
}

std::string skipped_line(std::string_view key, std::string_view reason) {
  return escape_field(key) + '\t' + escape_field(reason) + '\n';
}

std::string duplicate_line(const DuplicateSample& duplicate) {
  return fmt::format("{}\t{}\n", duplicate.sample, duplicate.same_as);
}

}  // namespace stoker::packing
