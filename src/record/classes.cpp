#include "record/classes.hpp"

#include <fmt/format.h>
#include <map>

#include "stoker/error.hpp"

#include "record/line_reader.hpp"

namespace stoker::record {

namespace {

Error wrong(const std::string& url, std::uint64_t line, std::string found) {
  return Error(ErrorCode::invalid_argument,
               {.operation = "read class names",
                .object = line ? fmt::format("{}, line {}", url, line) : url,
                .found = std::move(found),
                .allowed = "one class name a line, each once, in the order of the labels"});
}

}  // namespace

std::vector<std::string> read_classes_file(const std::string& url) {
  const auto file = open_store(url)->open_read(url);
  LineReader lines(*file);
  std::vector<std::string> classes;
  std::map<std::string, std::uint64_t, std::less<>> line_of;
  std::uint64_t blank_line = 0;
  while (const auto line = lines.next()) {
    if (line->empty()) {
      if (!blank_line) blank_line = lines.number();
      continue;
    }
    if (blank_line) throw wrong(url, blank_line, "a blank line between names");
    const auto [before, is_new] = line_of.emplace(*line, lines.number());
    if (!is_new) throw wrong(url, lines.number(), fmt::format("'{}', as in line {}", *line, before->second));
    classes.emplace_back(*line);
  }
  if (classes.empty()) throw wrong(url, 0, "no name");
  return classes;
}

}  // namespace stoker::record
