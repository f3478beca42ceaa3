// Pictures and folders that the tests of this room make for themselves.
#pragma once

#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "stoker/image.hpp"
#include "stoker/record.hpp"

#include "image/pixel_encoders.hpp"
#include "jpeg/encoder.hpp"
#include "support/temp_dir.hpp"

namespace stoker::packing::test_images {

struct Picture {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;
  image::RgbView view() const { return {rgb.data(), width, height, static_cast<std::size_t>(width) * 3}; }
};

// Smooth waves with edges in them, another for each seed: compresses like a photo.
inline Picture picture(int width, int height, int seed, bool gray = false) {
  Picture p{width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(width * height) * 3)};
  std::size_t i = 0;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const bool edge = (x / 17 + y / 23 + seed) % 5 == 0;
      for (int c = 0; c < 3; ++c) {
        const int wave = gray ? 0 : c;
        const double v =
            128 + 70 * std::sin((x + seed * 13) * (0.05 + 0.02 * wave)) * std::cos(y * 0.04 + seed + wave);
        p.rgb[i++] = static_cast<std::uint8_t>(edge ? 255 - v : v);
      }
    }
  }
  return p;
}

inline std::string as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline std::span<const std::byte> as_bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

inline std::string jpeg_file(int width, int height, int seed, jpeg::EncodeSpec spec = {}) {
  const Picture p = picture(width, height, seed, spec.gray);
  jpeg::Encoder encoder;
  const auto bytes = encoder.encode(p.rgb.data(), width, height, static_cast<std::size_t>(width) * 3, spec);
  if (!bytes) throw bytes.error();
  return as_text(*bytes);
}

inline std::string png_file(int width, int height, int seed, bool gray = false) {
  std::vector<std::byte> out;
  const auto done = image::encode_png(picture(width, height, seed, gray).view(), gray, {}, out);
  if (!done) throw done.error();
  return as_text(out);
}

inline std::string webp_file(int width, int height, int seed, bool lossless) {
  std::vector<std::byte> out;
  const auto done = image::encode_webp(picture(width, height, seed).view(), 90, lossless, out);
  if (!done) throw done.error();
  return as_text(out);
}

// Writes `photos/CLASS/NN.jpg`, `count` of them over three classes, of many sizes and samplings; returns key
// → bytes.
inline std::map<std::string, std::string> write_photos(const test::TempDir& dir, int count) {
  static constexpr const char* kClasses[] = {"ant", "bee", "cat"};
  std::map<std::string, std::string> files;
  for (int i = 0; i < count; ++i) {
    jpeg::EncodeSpec spec;
    spec.luma_h = spec.luma_v = 1 + i % 2;
    spec.gray = i % 7 == 6;
    const std::string key = std::string(kClasses[i % 3]) + "/" + std::to_string(100 + i) + ".jpg";
    files[key] = jpeg_file(90 + i % 11 * 9, 70 + i % 5 * 21, i, spec);
    dir.write("photos/" + key, files[key]);
  }
  return files;
}

struct ReadBack {
  std::string key;
  std::vector<float> labels;
  std::string bytes;
};

inline std::vector<ReadBack> read_all(const std::string& source) {
  const auto reader = open_records(source);
  std::vector<ReadBack> all;
  Sample sample;
  for (std::size_t i = 0; i < reader->size(); ++i) {
    reader->read(i, sample);
    all.push_back({sample.key, sample.labels, as_text(sample.main())});
  }
  return all;
}

}  // namespace stoker::packing::test_images
