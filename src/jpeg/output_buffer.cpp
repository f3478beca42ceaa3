#include "jpeg/output_buffer.hpp"

#include <algorithm>
#include <exception>

namespace stoker::jpeg {

namespace {

constexpr std::size_t kFirstBytes = 64 * 1024;

}  // namespace

OutputBuffer::OutputBuffer(LibjpegGuard& guard) : guard_(guard) {
  destination_.owner = this;
  destination_.manager.init_destination = [](j_compress_ptr libjpeg) { owner_of(libjpeg).begin(); };
  destination_.manager.empty_output_buffer = [](j_compress_ptr libjpeg) -> boolean {
    owner_of(libjpeg).grow();
    return TRUE;
  };
  destination_.manager.term_destination = [](j_compress_ptr) {};
}

void OutputBuffer::reserve(std::size_t bytes) {
  if (output_.size() < std::max(bytes, kFirstBytes)) output_.resize(std::max(bytes, kFirstBytes));
}

std::span<const std::byte> OutputBuffer::bytes() const {
  const std::size_t filled = output_.size() - destination_.manager.free_in_buffer;
  return std::as_bytes(std::span<const std::uint8_t>(output_.data(), filled));
}

std::span<const std::byte> OutputBuffer::bytes_and(std::span<const std::byte> more) {
  const std::size_t filled = output_.size() - destination_.manager.free_in_buffer;
  if (output_.size() < filled + more.size()) output_.resize(filled + more.size());
  std::transform(more.begin(), more.end(), output_.begin() + static_cast<std::ptrdiff_t>(filled),
                 [](std::byte b) { return std::to_integer<std::uint8_t>(b); });
  return std::as_bytes(std::span<const std::uint8_t>(output_.data(), filled + more.size()));
}

void OutputBuffer::begin() {
  destination_.manager.next_output_byte = output_.data();
  destination_.manager.free_in_buffer = output_.size();
}

// Called with the buffer full. An exception must not pass through libjpeg, so it becomes an error of
// libjpeg's kind.
void OutputBuffer::grow() {
  const std::size_t filled = output_.size();
  bool grown = true;
  try {
    output_.resize(2 * filled);
  } catch (const std::exception&) {
    grown = false;
  }
  if (!grown) guard_.give_up(ErrorCode::out_of_resources, "no memory for the output");
  destination_.manager.next_output_byte = output_.data() + filled;
  destination_.manager.free_in_buffer = output_.size() - filled;
}

}  // namespace stoker::jpeg
