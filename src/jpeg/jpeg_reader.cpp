#include "jpeg/jpeg_reader.hpp"

#include <algorithm>

namespace stoker::jpeg {

namespace {

// What TurboDecoder refuses or is to word: too many pixels, fewer bits than blocks.
bool is_within_limits(const BaselineFrame& frame, std::size_t bytes, std::uint64_t max_pixels) {
  const auto pixels = static_cast<std::uint64_t>(frame.width) * static_cast<std::uint64_t>(frame.height);
  const auto blocks =
      static_cast<std::uint64_t>(frame.mcus()) * static_cast<std::uint64_t>(frame.blocks_per_mcu);
  return pixels <= max_pixels && std::uint64_t{bytes} * 8 >= blocks;
}

Rect widened(const Rect& rect, int margin, const BaselineFrame& frame) {
  const int x = std::max(0, rect.x - margin), y = std::max(0, rect.y - margin);
  return {x, y, std::min(frame.width, rect.x + rect.width + margin) - x,
          std::min(frame.height, rect.y + rect.height + margin) - y};
}

}  // namespace

Result<Size> JpegReader::open(std::span<const std::byte> bytes, std::uint64_t max_pixels) {
  bytes_ = bytes;
  max_pixels_ = max_pixels;
  points_ = nullptr;
  learned_ = nullptr;
  learn_to_end_ = points_failed_ = false;
  reason_ = own_.open(bytes);
  if (!reason_ && !is_within_limits(own_.frame(), bytes.size(), max_pixels)) reason_ = NotMine::structure;
  if (reason_) return turbo_.open(bytes, max_pixels);
  return Size{own_.frame().width, own_.frame().height};
}

// Learning may meet damage outside the region, which must not change how the region comes out.
Result<std::optional<NotMine>> JpegReader::decode_and_learn(RegionRequest request) {
  if (learned_ != nullptr) {
    request.learned = learned_;
    request.learn_to_end = learn_to_end_;
    auto verdict = own_.decode(request);
    if (!verdict || !*verdict) return verdict;
    learned_->clear();
    request.learned = nullptr;
    request.learn_to_end = false;
  }
  return own_.decode(request);
}

Result<bool> JpegReader::begin_planes(const Rect& region, const std::array<BlockSize, 3>& sizes) {
  RegionRequest request;
  request.region = region;
  request.sizes = sizes;
  request.points = points_;
  auto verdict = decode_and_learn(request);
  if (verdict && *verdict && points_ != nullptr) {
    points_failed_ = true;
    request.points = nullptr;
    verdict = decode_and_learn(request);
  }
  if (!verdict) return tl::unexpected(verdict.error());
  if (!*verdict) return true;
  // Damage: libjpeg-turbo repairs and words it.
  reason_ = *verdict;
  if (auto size = turbo_.open(bytes_, max_pixels_); !size) return tl::unexpected(size.error());
  return false;
}

Result<Rect> JpegReader::begin(const Rect& wanted) {
  wanted_ = wanted;
  if (reason_) return turbo_.begin(wanted);
  const Rect region = widened(wanted, upsampling_margin(own_.frame()), own_.frame());
  const auto decoded = begin_planes(region, RegionRequest().sizes);
  if (!decoded) return tl::unexpected(decoded.error());
  if (!*decoded) return turbo_.begin(wanted);
  return wanted;
}

Result<void> JpegReader::read(std::uint8_t* rgb, std::size_t stride) {
  if (reason_) return turbo_.read(rgb, stride);
  output_.write(own_.frame(), own_.planes(), wanted_, rgb, stride);
  return {};
}

std::string_view JpegReader::warning() const { return reason_ ? turbo_.warning() : std::string_view(); }

}  // namespace stoker::jpeg
