// Our own decoder alone, without libjpeg-turbo, on any bytes: for sanitizers that want all code instrumented.
#include <vector>

#include "coded_picture.hpp"
#include "fuzzer.hpp"
#include "jpeg/baseline_decoder.hpp"
#include "jpeg/rgb_output.hpp"
#include "jpeg_choices.hpp"

namespace stoker::fuzz {
namespace {

constexpr std::int64_t kMostPixels = 1 << 14;

// Branches on every byte, so that one which was never set is noticed.
void look_at(std::span<const std::uint8_t> bytes) {
  unsigned odd = 0;
  for (const std::uint8_t byte : bytes)
    if (byte & 1) ++odd;
  volatile unsigned kept = odd;
  static_cast<void>(kept);
}

Rect widened(const Rect& rect, int margin, const jpeg::BaselineFrame& frame) {
  const int x = std::max(0, rect.x - margin), y = std::max(0, rect.y - margin);
  return {x, y, std::min(frame.width, rect.x + rect.width + margin) - x,
          std::min(frame.height, rect.y + rect.height + margin) - y};
}

void decode(jpeg::BaselineDecoder& decoder, SampleRng& choices, const jpeg::SeekPoints* points) {
  const jpeg::BaselineFrame& frame = decoder.frame();
  const Rect region = random_region(frame.width, frame.height, choices);
  jpeg::SeekPoints learned;
  jpeg::RegionRequest request;
  request.region = widened(region, upsampling_margin(frame), frame);
  request.points = points;
  if (choices.below(2) == 0) request.learned = &learned;
  request.learn_to_end = choices.below(2) == 0;
  if (choices.below(4) == 0) {
    request.sizes = random_block_sizes(choices);
    const auto verdict = decoder.decode(request);
    if (!verdict || *verdict) return;
    for (std::size_t c = 0; c < static_cast<std::size_t>(frame.components); ++c) {
      const jpeg::Plane& plane = decoder.planes()[c];
      for (int y = 0; y < plane.height; ++y)
        look_at({plane.data + y * static_cast<std::ptrdiff_t>(plane.stride),
                 static_cast<std::size_t>(plane.width)});
    }
    return;
  }
  const auto verdict = decoder.decode(request);
  if (!verdict || *verdict) return;
  jpeg::RgbOutput output;
  const std::size_t stride = 3 * static_cast<std::size_t>(region.width);
  std::vector<std::uint8_t> rgb(stride * static_cast<std::size_t>(region.height));
  output.write(frame, decoder.planes(), region, rgb.data(), stride);
  look_at(rgb);
}

}  // namespace
}  // namespace stoker::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  using namespace stoker;
  using namespace stoker::fuzz;
  auto input = image_input(data, bytes);
  if (!input) return -1;
  choose_instruction_set(input->choices);
  static jpeg::BaselineDecoder used;
  std::optional<jpeg::BaselineDecoder> made;
  jpeg::BaselineDecoder& decoder = input->choices.below(16) == 0 ? made.emplace() : used;
  if (decoder.open(input->file)) return -1;
  const jpeg::BaselineFrame& frame = decoder.frame();
  if (std::int64_t{frame.width} * frame.height > kMostPixels) return -1;
  std::vector<std::byte> coded;
  if (input->choices.below(2) == 0) {
    coded = PictureCoder(frame, input->choices).replace_scan(input->file);
    input->file = coded;
    if (decoder.open(input->file)) return -1;
  }
  decode(decoder, input->choices, nullptr);
  if (decoder.has_own_entrances()) return 0;
  jpeg::SeekPoints points;
  if (!decoder.find_seek_points(below(input->choices, 20), points)) {
    decode(decoder, input->choices, &points);
    damage_points(points, input->choices);
  } else {
    points = invented_points(frame, input->file.size(), input->choices);
  }
  decode(decoder, input->choices, &points);
  return 0;
}
