// PNG and WebP files made for tests, by other hands than the readers'. No product code includes this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>
#include <webp/encode.h>
#include <zlib.h>

#include "stoker/image.hpp"

#include "base/crc.hpp"
#include "base/philox.hpp"

namespace stoker::image::fixtures {

using Bytes = std::vector<std::byte>;
using Rgb = std::vector<std::uint8_t>;

inline void append_be32(Bytes& to, std::uint64_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) to.push_back(static_cast<std::byte>(value >> shift));
}

inline void append_text(Bytes& to, std::string_view text) {
  for (const char letter : text) to.push_back(static_cast<std::byte>(letter));
}

// A chunk of a PNG with its checksum.
inline void append_chunk(Bytes& to, std::string_view tag, std::span<const std::byte> body) {
  append_be32(to, body.size());
  const std::size_t begin = to.size();
  append_text(to, tag);
  to.insert(to.end(), body.begin(), body.end());
  append_be32(to, crc32_zlib(std::span(to).subspan(begin)));
}

inline Bytes deflated(const Bytes& raw) {
  uLongf bytes = compressBound(static_cast<uLong>(raw.size()));
  Bytes packed(bytes);
  compress(reinterpret_cast<Bytef*>(packed.data()), &bytes, reinterpret_cast<const Bytef*>(raw.data()),
           static_cast<uLong>(raw.size()));
  packed.resize(bytes);
  return packed;
}

struct Png {
  int width = 1, height = 1;
  int depth = 8;       // bits of a sample
  int color_type = 2;  // 0 gray, 2 RGB, 3 palette, 4 gray + alpha, 6 RGB + alpha
  bool interlaced = false;
  int palette_entries = 0;  // 0: as many as the depth can name
  std::string extra_tag;    // a chunk in front of the picture
  Bytes extra;
  std::uint64_t seed = 1;

  int channels() const { return color_type == 2 ? 3 : color_type == 4 ? 2 : color_type == 6 ? 4 : 1; }
  std::uint8_t palette(int entry, int channel) const {
    return static_cast<std::uint8_t>(entry * 37 + channel * 101 + 5);
  }
  // The sample of a pixel's channel, by chance.
  unsigned sample(int x, int y, int channel) const {
    const auto at = static_cast<std::uint64_t>((y * width + x) * channels() + channel);
    const unsigned entries = palette_entries > 0 ? static_cast<unsigned>(palette_entries) : 1u << depth;
    return static_cast<unsigned>(SampleRng(seed, 0, at, 0).below(entries));
  }
  // What the pixel comes to as RGB of eight bits.
  std::uint8_t expected(int x, int y, int channel) const {
    if (color_type == 3) return palette(static_cast<int>(sample(x, y, 0)), channel);
    const unsigned value = sample(x, y, color_type == 0 || color_type == 4 ? 0 : channel);
    return static_cast<std::uint8_t>(depth == 16 ? value >> 8 : value * 255 / ((1u << depth) - 1));
  }
  Rgb expected() const {
    Rgb rgb;
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        for (int channel = 0; channel < 3; ++channel) rgb.push_back(expected(x, y, channel));
    return rgb;
  }

  // Rows of every dx-th pixel from x0 on of every dy-th row from y0 on, each behind its filter byte (0:
  // none).
  void append_rows(Bytes& raw, int x0, int y0, int dx, int dy) const {
    if (x0 >= width) return;
    for (int y = y0; y < height; y += dy) {
      raw.push_back(std::byte{0});
      unsigned bits = 0, held = 0;
      for (int x = x0; x < width; x += dx) {
        for (int channel = 0; channel < channels(); ++channel) {
          held = held << depth | sample(x, y, channel);
          for (bits += static_cast<unsigned>(depth); bits >= 8; bits -= 8) {
            raw.push_back(static_cast<std::byte>(held >> (bits - 8)));
          }
          held &= (1u << bits) - 1;
        }
      }
      if (bits > 0) raw.push_back(static_cast<std::byte>(held << (8 - bits)));
    }
  }

  Bytes file() const {
    Bytes bytes;
    append_text(bytes, std::string_view("\x89PNG\r\n\x1a\n", 8));
    Bytes header;
    append_be32(header, static_cast<std::uint64_t>(width));
    append_be32(header, static_cast<std::uint64_t>(height));
    for (const int value : {depth, color_type, 0, 0, interlaced ? 1 : 0})
      header.push_back(static_cast<std::byte>(value));
    append_chunk(bytes, "IHDR", header);
    if (color_type == 3) {
      Bytes entries;
      for (int i = 0; i < (palette_entries > 0 ? palette_entries : 1 << depth); ++i) {
        for (int channel = 0; channel < 3; ++channel)
          entries.push_back(static_cast<std::byte>(palette(i, channel)));
      }
      append_chunk(bytes, "PLTE", entries);
    }
    if (!extra_tag.empty()) append_chunk(bytes, extra_tag, extra);
    Bytes raw;
    if (interlaced) {
      static constexpr int kPasses[7][4] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                                            {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};
      for (const auto& [x0, y0, dx, dy] : kPasses) append_rows(raw, x0, y0, dx, dy);
    } else {
      append_rows(raw, 0, 0, 1, 1);
    }
    append_chunk(bytes, "IDAT", deflated(raw));
    append_chunk(bytes, "IEND", {});
    return bytes;
  }
};

// A WebP of `rgba` (four bytes a pixel). Lossless keeps the colour of transparent pixels too.
inline Bytes webp(const Rgb& rgba, int width, int height, bool lossless, float quality = 80) {
  WebPConfig config;
  WebPPicture picture;
  if (!WebPConfigInit(&config) || !WebPPictureInit(&picture)) return {};
  config.lossless = lossless ? 1 : 0;
  config.exact = 1;
  config.quality = quality;
  picture.use_argb = 1;
  picture.width = width;
  picture.height = height;
  WebPMemoryWriter writer;
  WebPMemoryWriterInit(&writer);
  picture.writer = WebPMemoryWrite;
  picture.custom_ptr = &writer;
  Bytes file;
  if (WebPPictureImportRGBA(&picture, rgba.data(), 4 * width) && WebPEncode(&config, &picture)) {
    const std::byte* first = reinterpret_cast<const std::byte*>(writer.mem);
    file.assign(first, first + writer.size);
  }
  WebPMemoryWriterClear(&writer);
  WebPPictureFree(&picture);
  return file;
}

}  // namespace stoker::image::fixtures
