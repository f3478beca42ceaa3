#include "base/csv.hpp"

#include <algorithm>

namespace stoker {

bool CsvReader::next(std::vector<std::string>& fields) {
  while (at_ < text_.size()) {
    fields.clear();
    line_ = next_line_;
    fields.push_back(read_field());
    while (at_ < text_.size() && text_[at_] == separator_) {
      ++at_;
      fields.push_back(read_field());
    }
    if (at_ < text_.size()) ++at_, ++next_line_;  // the newline
    if (fields.size() > 1 || !fields[0].empty()) return true;
  }
  return false;
}

// Leaves at_ on the separator, the newline or the end.
std::string CsvReader::read_field() {
  const auto is_blank = [this](char c) { return (c == ' ' || c == '\t' || c == '\r') && c != separator_; };
  while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  std::string field;
  const std::size_t begin = at_;
  if (at_ < text_.size() && text_[at_] == '"' && quotes_pair_ && !read_quoted(field)) {
    quotes_pair_ = false;
    at_ = begin;
  }
  const char ends[] = {separator_, '\n'};
  const std::size_t end = std::min(text_.find_first_of(std::string_view(ends, 2), at_), text_.size());
  std::string_view rest = text_.substr(at_, end - at_);
  while (!rest.empty() && is_blank(rest.back())) rest.remove_suffix(1);
  at_ = end;
  return field.append(rest);
}

// False where the quote is never closed.
bool CsvReader::read_quoted(std::string& field) {
  std::size_t lines = 0;
  for (std::size_t i = at_ + 1; i < text_.size(); ++i) {
    if (text_[i] == '"') {
      if (i + 1 == text_.size() || text_[i + 1] != '"') {
        at_ = i + 1;
        next_line_ += lines;
        return true;
      }
      ++i;
    }
    if (text_[i] == '\n') ++lines;
    field.push_back(text_[i]);
  }
  field.clear();
  return false;
}

}  // namespace stoker
