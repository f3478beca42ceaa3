#include "record/window_reader.hpp"

#include <algorithm>

namespace stoker::record {

WindowReader::WindowReader(const ReadableFile& file)
    : file_(file), window_(std::make_unique_for_overwrite<std::byte[]>(kLargestWindow)) {}

std::span<const std::byte> WindowReader::at(std::uint64_t offset, std::size_t bytes) {
  const bool inside = offset >= begin_ && offset - begin_ <= filled_ && bytes <= filled_ - (offset - begin_);
  if (!inside) {
    const bool near = offset >= begin_ && offset - begin_ <= filled_ + window_bytes_;
    window_bytes_ = near ? std::min(window_bytes_ * 2, kLargestWindow) : kSmallestWindow;
    const std::size_t wanted = std::min(std::max(bytes, window_bytes_), kLargestWindow);
    begin_ = offset;
    filled_ = 0;  // so that nothing stale is given out if the read throws
    filled_ = file_.read_at(offset, std::span(window_.get(), wanted));
  }
  const auto skipped = static_cast<std::size_t>(offset - begin_);
  return std::span<const std::byte>(window_.get() + skipped, std::min(bytes, filled_ - skipped));
}

}  // namespace stoker::record
