#include "jpeg/rgb_output.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>

#include "base/philox.hpp"
#include "base/simd_targets.hpp"
#include "jpeg/fixtures.hpp"

namespace stoker::jpeg {
namespace {

using fixtures::Bytes;
using fixtures::Options;
using Samples = std::vector<std::uint8_t>;

struct Case {
  const char* name;
  Options options;
};

const Case kCases[] = {
    {"gray", {.components = 1}},
    {"4:4:4", {}},
    {"4:2:2", {.h = {2, 1, 1}}},
    {"4:4:0", {.v = {2, 1, 1}}},
    {"4:2:0", {.h = {2, 1, 1}, .v = {2, 1, 1}}},
    {"4:1:1", {.h = {4, 1, 1}}},
    {"4:1:0", {.h = {4, 1, 1}, .v = {2, 1, 1}}},
    {"a third", {.h = {3, 1, 1}}},
    {"a third and a half", {.h = {3, 1, 1}, .v = {2, 1, 1}}},
    {"a quarter of the rows", {.v = {4, 1, 1}}},
    {"luma across", {.h = {1, 2, 2}}},
    {"luma down", {.v = {1, 2, 2}}},
    {"luma both", {.h = {1, 2, 2}, .v = {1, 2, 2}}},
    {"each its own", {.h = {2, 1, 2}, .v = {2, 2, 1}}},
    {"luma across, chroma down", {.h = {1, 2, 2}, .v = {2, 1, 1}}},
    {"half and a quarter across", {.h = {4, 2, 1}}},
    {"half and a quarter down", {.v = {4, 2, 1}}},
    {"doubled but equal", {.h = {2, 2, 2}}},
    {"RGB", {.rgb = true}},
    {"RGB 4:2:0", {.h = {2, 1, 1}, .v = {2, 1, 1}, .rgb = true}},
};

int samples_of(int pixels, int factor, int max_factor) {
  return (pixels * factor + max_factor - 1) / max_factor;
}

BaselineFrame frame_of(int width, int height, const Options& options) {
  BaselineFrame frame;
  frame.width = width;
  frame.height = height;
  frame.components = options.components;
  frame.colour = options.components == 1 ? Colour::gray : options.rgb ? Colour::rgb : Colour::ycbcr;
  frame.h_max = *std::max_element(options.h, options.h + options.components);
  frame.v_max = *std::max_element(options.v, options.v + options.components);
  frame.mcus_across = (width + frame.mcu_width() - 1) / frame.mcu_width();
  frame.mcus_down = (height + frame.mcu_height() - 1) / frame.mcu_height();
  for (std::size_t i = 0; i < static_cast<std::size_t>(options.components); ++i) {
    FrameComponent& component = frame.component[i];
    component.h = options.h[i];
    component.v = options.v[i];
    component.width = samples_of(width, component.h, frame.h_max);
    component.height = samples_of(height, component.v, frame.v_max);
  }
  return frame;
}

// All samples of a picture, whole MCUs.
struct Components {
  std::array<Samples, 3> samples;
  std::array<std::size_t, 3> stride{};
};

Components sized(const BaselineFrame& frame) {
  Components components;
  for (std::size_t i = 0; i < 3; ++i) {
    components.stride[i] = static_cast<std::size_t>(frame.mcus_across * 8 * frame.component[i].h);
    components.samples[i].resize(components.stride[i] *
                                 static_cast<std::size_t>(frame.mcus_down * 8 * frame.component[i].v));
  }
  return components;
}

Components raw_samples(const Bytes& file, const BaselineFrame& frame) {
  Components components = sized(frame);
  fixtures::with_file(file, [&](jpeg_decompress_struct& libjpeg) {
    libjpeg.raw_data_out = TRUE;
    jpeg_start_decompress(&libjpeg);
    for (int mcu_row = 0; mcu_row < frame.mcus_down; ++mcu_row) {
      JSAMPROW rows[3][32];
      JSAMPARRAY arrays[3] = {rows[0], rows[1], rows[2]};
      for (std::size_t i = 0; i < static_cast<std::size_t>(frame.components); ++i) {
        const int height = 8 * frame.component[i].v;
        for (int y = 0; y < height; ++y) {
          rows[i][y] = components.samples[i].data() +
                       static_cast<std::size_t>(mcu_row * height + y) * components.stride[i];
        }
      }
      jpeg_read_raw_data(&libjpeg, arrays, static_cast<JDIMENSION>(frame.mcu_height()));
    }
  });
  return components;
}

Samples libjpegs_rgb(const Bytes& file) {
  Samples rgb;
  fixtures::with_file(file, [&](jpeg_decompress_struct& libjpeg) {
    libjpeg.out_color_space = JCS_RGB;
    jpeg_start_decompress(&libjpeg);
    rgb.resize(std::size_t{libjpeg.output_width} * libjpeg.output_height * 3);
    while (libjpeg.output_scanline < libjpeg.output_height) {
      JSAMPROW row = rgb.data() + std::size_t{libjpeg.output_scanline} * libjpeg.output_width * 3;
      jpeg_read_scanlines(&libjpeg, &row, 1);
    }
  });
  return rgb;
}

// Planes that hold a region and its margin in whole blocks, and nothing else: samples beyond the true edges,
// and the memory around, are rubbish.
class RegionPlanes {
 public:
  RegionPlanes(const BaselineFrame& frame, const Components& components, const Rect& region) {
    SampleRng rubbish(99, 0, 0, 0);
    const int margin = upsampling_margin(frame);
    for (std::size_t i = 0; i < static_cast<std::size_t>(frame.components); ++i) {
      const FrameComponent& component = frame.component[i];
      const int h = frame.h_max / component.h, v = frame.v_max / component.v;
      Plane& plane = planes[i];
      plane.x = std::max(0, region.x - margin) / h / 8 * 8;
      plane.y = std::max(0, region.y - margin) / v / 8 * 8;
      const int right = std::min(frame.width, region.x + region.width + margin) - 1;
      const int bottom = std::min(frame.height, region.y + region.height + margin) - 1;
      plane.width = (right / h / 8 + 1) * 8 - plane.x;
      plane.height = (bottom / v / 8 + 1) * 8 - plane.y;
      plane.stride = static_cast<std::size_t>(plane.width) + kPlaneSlack;
      memory_[i].resize(1 + plane.stride * static_cast<std::size_t>(plane.height));
      for (std::uint8_t& sample : memory_[i]) sample = static_cast<std::uint8_t>(rubbish.next_u32());
      plane.data = memory_[i].data() + 1;
      for (int y = plane.y; y < std::min(component.height, plane.y + plane.height); ++y) {
        const std::uint8_t* from =
            components.samples[i].data() + static_cast<std::size_t>(y) * components.stride[i];
        std::copy(from + plane.x, from + std::min(component.width, plane.x + plane.width),
                  plane.at(plane.x, y));
      }
    }
  }

  std::array<Plane, 3> planes;

 private:
  std::array<Samples, 3> memory_;
};

constexpr std::uint8_t kUntouched = 170;

// The region's pixels, tight; checks that the bytes between rows stay as they were.
Samples written(RgbOutput& output, const BaselineFrame& frame, const Components& components,
                const Rect& region, int rows_at_once = 0) {
  const RegionPlanes held(frame, components, region);
  const auto width = static_cast<std::size_t>(region.width) * 3, stride = width + 5;
  Samples memory(stride * static_cast<std::size_t>(region.height), kUntouched);
  if (rows_at_once == 0) {
    output.write(frame, held.planes, region, memory.data(), stride);
  } else {
    output.begin(frame, held.planes, region);
    for (int y = 0; y < region.height; y += rows_at_once) {
      output.rows(y, std::min(rows_at_once, region.height - y),
                  memory.data() + static_cast<std::size_t>(y) * stride, stride);
    }
  }
  Samples rgb;
  for (std::size_t at = 0; at < memory.size(); at += stride) {
    const auto row = memory.begin() + static_cast<std::ptrdiff_t>(at);
    rgb.insert(rgb.end(), row, row + static_cast<std::ptrdiff_t>(width));
    for (std::size_t i = width; i < stride; ++i) EXPECT_EQ(memory[at + i], kUntouched);
  }
  return rgb;
}

Samples cut(const Samples& rgb, int width, const Rect& region) {
  Samples part;
  for (int y = region.y; y < region.y + region.height; ++y) {
    const auto row = rgb.begin() + 3 * (static_cast<std::ptrdiff_t>(y) * width + region.x);
    part.insert(part.end(), row, row + 3 * region.width);
  }
  return part;
}

Rect random_region(SampleRng& rng, int width, int height) {
  const auto below = [&](int limit) {
    return static_cast<int>(rng.below(static_cast<std::uint64_t>(limit)));
  };
  Rect region;
  region.width = 1 + below(width);
  region.height = 1 + below(height);
  region.x = below(width - region.width + 1);
  region.y = below(height - region.height + 1);
  return region;
}

std::string text(const Rect& region) {
  return std::to_string(region.width) + "x" + std::to_string(region.height) + " at " +
         std::to_string(region.x) + "," + std::to_string(region.y);
}

TEST(RgbOutput, PicturesAndRegionsOfAllSamplingsEqualLibjpegs) {
  RgbOutput output;
  for (const Case& one : kCases) {
    SCOPED_TRACE(one.name);
    SampleRng rng(11, 0, 0, 0);
    for (int i = 0; i < 2 * 70; ++i) {  // each width and each height twice
      const int width = 1 + i % 70, height = 1 + static_cast<int>(i * 29 % 70);
      SCOPED_TRACE(std::to_string(width) + "x" + std::to_string(height));
      const BaselineFrame frame = frame_of(width, height, one.options);
      const Bytes file = fixtures::encode(fixtures::picture(width, height), width, height, one.options);
      const Components components = raw_samples(file, frame);
      const Samples wanted = libjpegs_rgb(file);
      const Rect all{0, 0, width, height};
      output.use_scalar_reference(i % 2 == 0);
      ASSERT_EQ(written(output, frame, components, all), wanted);
      for (int k = 0; k < 6; ++k) {
        const Rect region = random_region(rng, width, height);
        ASSERT_EQ(written(output, frame, components, region, k), cut(wanted, width, region)) << text(region);
      }
    }
  }
}

Components random_samples(const BaselineFrame& frame) {
  Components components = sized(frame);
  SampleRng rng(5, 0, 0, 0);
  for (Samples& samples : components.samples) {
    for (std::uint8_t& sample : samples) {
      const std::uint32_t bits = rng.next_u32();
      sample = static_cast<std::uint8_t>(bits % 4 == 0 ? (bits & 256u ? 255u : 0u) : bits >> 16);
    }
  }
  return components;
}

TEST(RgbOutput, SimdEqualsTheScalarReferenceToTheBit) {
  test::on_every_target([] {
    RgbOutput scalar, simd;
    scalar.use_scalar_reference(true);
    for (const Case& one : kCases) {
      SampleRng rng(3, 0, 0, 0);
      const BaselineFrame frame = frame_of(301, 40, one.options);
      const Components components = random_samples(frame);
      for (int i = 0; i < 40; ++i) {
        const Rect region = random_region(rng, frame.width, frame.height);
        ASSERT_EQ(written(simd, frame, components, region), written(scalar, frame, components, region))
            << one.name << ", " << text(region);
      }
    }
  });
}

TEST(RgbOutput, EveryColourThereIsComesOutOfSimd) {
  constexpr int kSide = 256;
  const BaselineFrame frame = frame_of(kSide, kSide, {});
  test::on_every_target([&] {
    RgbOutput scalar, simd;
    scalar.use_scalar_reference(true);
    Components components = sized(frame);
    for (std::size_t i = 0; i < components.samples[1].size(); ++i) {
      components.samples[1][i] = static_cast<std::uint8_t>(i % kSide);
      components.samples[2][i] = static_cast<std::uint8_t>(i / kSide);
    }
    for (int y = 0; y < 256; y += 15) {  // green is all of lightness and a function of both chromas
      std::fill(components.samples[0].begin(), components.samples[0].end(), static_cast<std::uint8_t>(y));
      const Rect all{0, 0, kSide, kSide};
      ASSERT_EQ(written(simd, frame, components, all), written(scalar, frame, components, all)) << y;
    }
  });
}

TEST(RgbOutput, RowsComeInAnyOrder) {
  for (const Case& one : kCases) {
    const BaselineFrame frame = frame_of(61, 37, one.options);
    const Components components = random_samples(frame);
    const Rect region{3, 5, 50, 29};
    RgbOutput output;
    const Samples wanted = written(output, frame, components, region);
    const RegionPlanes held(frame, components, region);
    output.begin(frame, held.planes, region);
    Samples rgb(wanted.size());
    for (int i = 0; i < 2 * region.height; ++i) {
      const int y = i * 11 % region.height;
      output.rows(y, 1, rgb.data() + static_cast<std::size_t>(y) * 150, 150);
    }
    EXPECT_EQ(rgb, wanted) << one.name;
  }
}

TEST(RgbOutput, NarrowChromaIsRepeatedAndNotFiltered) {
  const Options options{.h = {2, 1, 1}, .v = {2, 1, 1}};
  EXPECT_EQ(upsampling_of(frame_of(4, 90, options), 1), Upsampling::box);
  EXPECT_EQ(upsampling_of(frame_of(5, 90, options), 1), Upsampling::h2v2);
  EXPECT_EQ(upsampling_of(frame_of(5, 90, options), 0), Upsampling::none);
  EXPECT_EQ(upsampling_margin(frame_of(4, 90, options)), 0);
  EXPECT_EQ(upsampling_margin(frame_of(5, 90, options)), 1);
}

}  // namespace
}  // namespace stoker::jpeg
