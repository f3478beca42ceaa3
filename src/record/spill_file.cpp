#include "record/spill_file.hpp"

namespace stoker::record {

namespace {
constexpr std::size_t kFlushBytes = std::size_t{1} << 18;
}

std::uint64_t SpillFile::append(std::span<const std::byte> bytes) {
  const std::uint64_t at = this->bytes();
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  if (buffer_.size() >= kFlushBytes) flush();
  return at;
}

void SpillFile::flush() {
  file_.write_at(flushed_, buffer_);
  flushed_ += buffer_.size();
  buffer_.clear();
}

void SpillFile::read_at(std::uint64_t offset, std::span<std::byte> out) {
  if (!buffer_.empty()) flush();
  file_.read_at(offset, out);
}

void SpillFile::clear() {
  buffer_.clear();
  flushed_ = 0;
  file_.clear();
}

}  // namespace stoker::record
