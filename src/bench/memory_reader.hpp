// One small image, over and over: a source whose reads and decodes cost next to nothing, so that the rest
// shows.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "stoker/record.hpp"

namespace stoker::bench {

// Threads: as RecordReader.
class MemoryReader : public RecordReader {
 public:
  MemoryReader(std::vector<std::byte> image, std::size_t size) : image_(std::move(image)), size_(size) {}

  RecordFormat format() const override { return RecordFormat::folder; }
  std::size_t size() const override { return size_; }
  const std::vector<std::string>& classes() const override { return classes_; }
  RecordInfo info(std::size_t index) const override;
  void read(std::size_t index, Sample& sample) const override;

 private:
  std::vector<std::byte> image_;
  std::size_t size_;
  std::vector<std::string> classes_;
};

// A gray JPEG of side × side pixels with Huffman tables of its own: a few hundred bytes for 8 to 32 pixels.
std::vector<std::byte> make_tiny_jpeg(int side);

}  // namespace stoker::bench
