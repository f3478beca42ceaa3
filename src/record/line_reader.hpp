// The lines of a text object, one after another, without holding all of it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "stoker/store.hpp"

namespace stoker::record {

// Lines end in "\n" or "\r\n", the last one also at the end of the object; a UTF-8 byte-order mark is
// skipped.
class LineReader {
 public:
  static constexpr std::size_t kLongestLine = std::size_t{1} << 20;

  explicit LineReader(const ReadableFile& file);

  // The next line without its end, valid until the next call; none at the end.
  // Errors: io; corrupt_data (a line longer than kLongestLine: this is no text; an object cut while it was
  // read).
  std::optional<std::string_view> next();
  std::uint64_t offset() const { return line_offset_; }  // where that line begins
  std::uint64_t number() const { return number_; }       // of the line given last, from 1

 private:
  bool fill();

  const ReadableFile& file_;
  std::unique_ptr<char[]> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t offset_ = 0;  // of the object, behind what the buffer holds
  std::uint64_t line_offset_ = 0;
  std::uint64_t number_ = 0;
  bool at_end_ = false;
};

}  // namespace stoker::record
