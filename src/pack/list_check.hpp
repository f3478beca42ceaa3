// Holds the NAME.lst that a pack wrote against the records of NAME.rec.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stoker/record.hpp"
#include "stoker/store.hpp"

#include "record/line_reader.hpp"

namespace stoker::packing {

// What a list says of a record.
struct ListedRecord {
  std::string key;  // its id
  std::vector<float> labels;
};

// Reads the list beside the records as they pass. Threads: one at a time. Cost: no more memory than its
// longest line.
class ListCheck {
 public:
  // Of the list at `path`. Errors: not_found, io.
  static std::unique_ptr<ListCheck> open(Store& store, const std::string& path);

  // The next record. Errors: io.
  void add(const ListedRecord& record);
  // Damage stands where records should be: which lines belong to those behind it is not known.
  void stop() { stopped_ = true; }
  // Call once, behind the last record. Each wrong line, up to a hundred, and a wrong number of them. Errors:
  // io.
  std::vector<BadRecord> finish();

 private:
  explicit ListCheck(std::unique_ptr<ReadableFile> file) : file_(std::move(file)), lines_(*file_) {}
  std::optional<std::string_view> next_line();
  void report(std::string key, std::string reason);

  std::unique_ptr<ReadableFile> file_;
  record::LineReader lines_;
  std::vector<BadRecord> bad_;
  std::uint64_t records_ = 0;
  std::uint64_t listed_ = 0;
  std::uint64_t wrong_ = 0;
  bool stopped_ = false;
};

}  // namespace stoker::packing
