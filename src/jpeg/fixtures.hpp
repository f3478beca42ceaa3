// Pictures and JPEG files made for tests. No product code includes this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <jpeglib.h>
#include <span>
#include <vector>

#include "stoker/image.hpp"

#include "base/philox.hpp"

namespace stoker::jpeg::fixtures {

using Bytes = std::vector<std::byte>;

// A picture with soft gradients, hard edges and noise: every filter and every coefficient has work.
inline std::vector<std::uint8_t> picture(int width, int height, std::uint64_t seed = 1) {
  std::vector<std::uint8_t> rgb(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3);
  SampleRng rng(seed, 0, 0, 0);
  std::size_t at = 0;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const bool edge = (x / 7 + y / 5) % 2 == 0;
      const unsigned noise = rng.next_u32() % 48;
      rgb[at++] = static_cast<std::uint8_t>((edge ? 180u : 20u) + noise);
      rgb[at++] = static_cast<std::uint8_t>(static_cast<unsigned>(x * 200 / width) + noise);
      rgb[at++] = static_cast<std::uint8_t>(static_cast<unsigned>(y * 200 / height) + (edge ? 0u : noise));
    }
  }
  return rgb;
}

struct Options {
  int quality = 90;
  int components = 3;  // 1 gray, 3 YCbCr, 4 CMYK (the fourth: 255 - red)
  int h[4] = {1, 1, 1, 1};
  int v[4] = {1, 1, 1, 1};
  bool progressive = false;
  bool arithmetic = false;
  bool ycck = false;  // of four components
  int restart_interval = 0;
  bool adobe = true;  // of four components: whether the marker is written
  bool rgb = false;   // of three components: red, green and blue as they are
};

// A JPEG of `rgb` written by libjpeg itself. An error of libjpeg's ends the test program, loudly.
inline Bytes encode(const std::vector<std::uint8_t>& rgb, int width, int height, const Options& options) {
  jpeg_compress_struct libjpeg{};
  jpeg_error_mgr errors{};
  libjpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&libjpeg);
  unsigned char* buffer = nullptr;
  unsigned long bytes = 0;
  jpeg_mem_dest(&libjpeg, &buffer, &bytes);
  libjpeg.image_width = static_cast<JDIMENSION>(width);
  libjpeg.image_height = static_cast<JDIMENSION>(height);
  libjpeg.input_components = options.components;
  libjpeg.in_color_space = options.components == 1   ? JCS_GRAYSCALE
                           : options.components == 3 ? JCS_RGB
                                                     : JCS_CMYK;
  jpeg_set_defaults(&libjpeg);
  if (options.components == 3 && options.rgb) jpeg_set_colorspace(&libjpeg, JCS_RGB);
  if (options.components == 4) jpeg_set_colorspace(&libjpeg, options.ycck ? JCS_YCCK : JCS_CMYK);
  if (options.components == 4) libjpeg.write_Adobe_marker = options.adobe ? TRUE : FALSE;
  jpeg_set_quality(&libjpeg, options.quality, TRUE);
  if (options.progressive) jpeg_simple_progression(&libjpeg);
  libjpeg.arith_code = options.arithmetic ? TRUE : FALSE;
  libjpeg.restart_interval = static_cast<unsigned>(options.restart_interval);
  for (int i = 0; i < options.components; ++i) {
    libjpeg.comp_info[i].h_samp_factor = options.h[i];
    libjpeg.comp_info[i].v_samp_factor = options.v[i];
  }
  jpeg_start_compress(&libjpeg, TRUE);
  std::vector<std::uint8_t> row(static_cast<std::size_t>(width * options.components));
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const std::uint8_t* from =
          rgb.data() +
          3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x));
      for (int c = 0; c < options.components; ++c) {
        row[static_cast<std::size_t>(x * options.components + c)] =
            c < 3 ? from[c] : static_cast<std::uint8_t>(255 - from[0]);
      }
    }
    JSAMPROW rows = row.data();
    jpeg_write_scanlines(&libjpeg, &rows, 1);
  }
  jpeg_finish_compress(&libjpeg);
  jpeg_destroy_compress(&libjpeg);
  const std::byte* first = reinterpret_cast<const std::byte*>(buffer);
  Bytes file(first, first + bytes);
  std::free(buffer);
  return file;
}

// Calls body(libjpeg) once libjpeg has read the file's header; accurate inverse transform.
template <class Body>
void with_file(const Bytes& file, const Body& body) {
  jpeg_decompress_struct libjpeg{};
  jpeg_error_mgr errors{};
  libjpeg.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&libjpeg);
  jpeg_mem_src(&libjpeg, reinterpret_cast<const unsigned char*>(file.data()), file.size());
  jpeg_read_header(&libjpeg, TRUE);
  libjpeg.dct_method = JDCT_ISLOW;
  body(libjpeg);
  jpeg_destroy_decompress(&libjpeg);
}

}  // namespace stoker::jpeg::fixtures
