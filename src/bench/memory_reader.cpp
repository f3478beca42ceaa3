#include "bench/memory_reader.hpp"

#include "base/result.hpp"
#include "jpeg/encoder.hpp"

namespace stoker::bench {

RecordInfo MemoryReader::info(std::size_t) const {
  return {.container = "memory", .offset = 0, .bytes = image_.size()};
}

void MemoryReader::read(std::size_t index, Sample& sample) const {
  sample.key = std::to_string(index);
  sample.labels.assign(1, static_cast<float>(index % 10));
  sample.buffer.assign(image_.begin(), image_.end());
  sample.fields.assign(1, Field{"image", sample.buffer});
  sample.main_field = 0;
}

std::vector<std::byte> make_tiny_jpeg(int side) {
  const auto width = static_cast<std::size_t>(side);
  std::vector<std::uint8_t> rgb(width * width * 3);
  for (std::size_t y = 0; y < width; ++y) {
    for (std::size_t x = 0; x < width; ++x) {
      const auto value = static_cast<std::uint8_t>(64 + (x * 5 + y * 11) % 128);
      for (std::size_t c = 0; c < 3; ++c) rgb[(y * width + x) * 3 + c] = value;
    }
  }
  jpeg::Encoder encoder;
  const std::span<const std::byte> file = value_or_throw(
      encoder.encode(rgb.data(), side, side, width * 3, {.quality = 75, .gray = true, .optimize = true}));
  return {file.begin(), file.end()};
}

}  // namespace stoker::bench
