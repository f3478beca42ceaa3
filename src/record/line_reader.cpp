#include "record/line_reader.hpp"

#include <cstring>
#include <fmt/format.h>

#include "stoker/error.hpp"

namespace stoker::record {

namespace {
constexpr std::size_t kBufferBytes = LineReader::kLongestLine + 2;  // a line and its end
}

LineReader::LineReader(const ReadableFile& file)
    : file_(file), buffer_(std::make_unique_for_overwrite<char[]>(kBufferBytes)) {}

// Moves what is left to the front and reads behind it; false when the object has no more.
bool LineReader::fill() {
  if (at_end_) return false;
  std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  const std::span<char> room(buffer_.get() + end_, kBufferBytes - end_);
  const std::size_t got = file_.read_at(offset_, std::as_writable_bytes(room));
  const bool first = offset_ == 0;
  offset_ += got;
  end_ += got;
  if (got < room.size()) {
    at_end_ = true;
    // What was cut while it was read must not pass for a shorter list.
    if (offset_ < file_.bytes())
      throw Error(ErrorCode::corrupt_data,
                  {.operation = "read",
                   .object = file_.path(),
                   .found = fmt::format("the file ended after {} of its {} bytes", offset_, file_.bytes()),
                   .next_step = "something changes it while it is read"});
  }
  if (first && std::string_view(buffer_.get(), end_).starts_with("\xEF\xBB\xBF")) begin_ = 3;
  return got > 0;
}

std::optional<std::string_view> LineReader::next() {
  std::size_t searched = 0;
  while (true) {
    const std::string_view held(buffer_.get() + begin_, end_ - begin_);
    const std::size_t newline = held.find('\n', searched);
    if (newline != std::string_view::npos || (at_end_ && !held.empty())) {
      std::string_view line = held.substr(0, newline);
      line_offset_ = offset_ - held.size();
      begin_ += newline == std::string_view::npos ? held.size() : newline + 1;
      ++number_;
      if (line.ends_with('\r')) line.remove_suffix(1);
      return line;
    }
    if (at_end_) return std::nullopt;
    searched = held.size();
    if (searched >= kBufferBytes - 1)
      throw Error(ErrorCode::corrupt_data, {.operation = "read",
                                            .object = fmt::format("{}, line {}", file_.path(), number_ + 1),
                                            .found = "a line of more than 1 MiB",
                                            .allowed = "text"});
    fill();
  }
}

}  // namespace stoker::record
