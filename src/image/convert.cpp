#include "image/convert.hpp"

#include <bit>
#include <cmath>
#include <cstring>

#include "image/convert_kernels.hpp"

namespace stoker::image {

std::uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

namespace {

std::uint32_t bits_of(DType dtype, float value) {
  switch (dtype) {
    case DType::u8:
      return static_cast<std::uint32_t>(value);
    case DType::f16:
      return to_f16(value);
    case DType::bf16:
      return to_bf16(value);
    case DType::f32:
      break;
  }
  return std::bit_cast<std::uint32_t>(value);
}

template <class T>
T read_as(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

std::uint32_t read_bits(const std::byte* at, DType dtype) {
  switch (bytes_of(dtype)) {
    case 1:
      return read_as<std::uint8_t>(at);
    case 2:
      return read_as<std::uint16_t>(at);
    default:
      return read_as<std::uint32_t>(at);
  }
}

// Whether the SIMD loop gives the table's bits for every value in every channel.
bool simd_equals(const ConvertTable& table) {
  std::array<std::uint8_t, 256 * 3> row{};
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = static_cast<std::uint8_t>(i / 3);
  const std::size_t bytes = bytes_of(table.dtype());
  alignas(float) std::array<std::byte, 256 * 3 * 4> out{};
  std::byte* planes[3] = {out.data(), out.data() + 256 * bytes, out.data() + 512 * bytes};
  const std::size_t done = convert_row_simd(row.data(), 256, false, table, Layout::nchw, planes);
  for (std::size_t channel = 0; channel < 3; ++channel) {
    for (std::size_t value = 0; value < done; ++value) {
      const std::uint32_t bits = read_bits(planes[channel] + value * bytes, table.dtype());
      if (bits != table.bits(static_cast<int>(channel), static_cast<std::uint8_t>(value))) return false;
    }
  }
  return done == 256;
}

template <class T>
void by_table(const std::uint8_t* row, std::size_t width, bool flip, const ConvertTable& table, Layout layout,
              std::size_t begin, std::byte* const* planes) {
  for (std::size_t x = begin; x < width; ++x) {
    const std::uint8_t* pixel = row + 3 * (flip ? width - 1 - x : x);
    for (std::size_t channel = 0; channel < 3; ++channel) {
      const T value = static_cast<T>(table.bits(static_cast<int>(channel), pixel[channel]));
      std::byte* at = layout == Layout::nchw ? planes[channel] + x * sizeof(T)
                                             : planes[0] + (3 * x + channel) * sizeof(T);
      std::memcpy(at, &value, sizeof value);
    }
  }
}

void row_by_table(const std::uint8_t* row, std::size_t width, bool flip, const ConvertTable& table,
                  Layout layout, std::size_t begin, std::byte* const* planes) {
  switch (bytes_of(table.dtype())) {
    case 1:
      return by_table<std::uint8_t>(row, width, flip, table, layout, begin, planes);
    case 2:
      return by_table<std::uint16_t>(row, width, flip, table, layout, begin, planes);
    default:
      return by_table<std::uint32_t>(row, width, flip, table, layout, begin, planes);
  }
}

void convert_rows(const RgbView& pixels, bool flip, const ConvertTable& table, Layout layout, bool simd,
                  std::byte* out) {
  const auto width = static_cast<std::size_t>(pixels.width), height = static_cast<std::size_t>(pixels.height);
  const std::size_t bytes = bytes_of(table.dtype());
  const std::size_t plane = layout == Layout::nchw ? width * height * bytes : 0;
  const std::size_t step = width * bytes * (layout == Layout::nchw ? 1 : 3);
  for (std::size_t y = 0; y < height; ++y) {
    const std::uint8_t* row = pixels.data + y * pixels.stride;
    std::byte* planes[3] = {out + y * step, out + y * step + plane, out + y * step + 2 * plane};
    const std::size_t done = simd ? convert_row_simd(row, width, flip, table, layout, planes) : 0;
    row_by_table(row, width, flip, table, layout, done, planes);
  }
}

}  // namespace

ConvertTable::ConvertTable(DType dtype, const std::optional<Normalize>& normalize) : dtype_(dtype) {
  for (std::size_t channel = 0; channel < 3; ++channel) {
    for (std::size_t value = 0; value < 256; ++value) {
      float number = static_cast<float>(value);
      if (normalize) number = (number / 255.0f - normalize->mean[channel]) / normalize->std[channel];
      bits_[channel][value] = bits_of(dtype, number);
    }
    if (!normalize) continue;
    const double inverse = 1.0 / static_cast<double>(normalize->std[channel]);
    arithmetic_.normalize = true;
    arithmetic_.mean[channel] = normalize->mean[channel];
    arithmetic_.inverse_high[channel] = static_cast<float>(inverse);
    arithmetic_.inverse_low[channel] =
        static_cast<float>(inverse - static_cast<double>(arithmetic_.inverse_high[channel]));
  }
  simd_exact_ = simd_equals(*this);
}

void convert(const RgbView& pixels, bool flip, const ConvertTable& table, Layout layout, std::byte* out) {
  convert_rows(pixels, flip, table, layout, table.is_simd_exact(), out);
}

void convert_scalar(const RgbView& pixels, bool flip, const ConvertTable& table, Layout layout,
                    std::byte* out) {
  convert_rows(pixels, flip, table, layout, false, out);
}

}  // namespace stoker::image
