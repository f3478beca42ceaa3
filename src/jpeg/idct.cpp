// The transforms without SIMD. Where libjpeg-turbo's SIMD wraps or saturates, so does this: between a
// product and the next pass numbers have 16 bits, sums have 32.
#include "jpeg/idct.hpp"

#include <algorithm>

#include "jpeg/idct_weights.hpp"

namespace stoker::jpeg {

namespace {

using namespace idct;
using Wide = std::int64_t;  // sums are exact here and wrap to 32 bits when they are shifted

std::int16_t wrapped(int value) { return static_cast<std::int16_t>(value); }

std::int32_t descaled(Wide sum, int shift) {
  return static_cast<std::int32_t>(sum + (Wide{1} << (shift - 1))) >> shift;
}

Wide dot(const Weights& weights, int first, int second) {
  return Wide{weights.first} * first + Wide{weights.second} * second;
}

// One pass over eight numbers; `stride` lies between them. The outputs are not yet descaled.
struct Full {
  static constexpr int kSize = 8;
  static constexpr Shifts kShifts = kFullShifts;
  static bool needs(int row) { return row >= 0; }

  static void pass(const std::int32_t* in, std::size_t stride, Wide* out) {
    const auto at = [&](std::size_t i) { return in[i * stride]; };
    const Wide sum = wrapped(at(0) + at(4)) * Wide{1 << kWeightBits};
    const Wide difference = wrapped(at(0) - at(4)) * Wide{1 << kWeightBits};
    const Wide even[2] = {dot(kFull26[0], at(2), at(6)), dot(kFull26[1], at(2), at(6))};
    const int z3 = wrapped(at(7) + at(3)), z4 = wrapped(at(5) + at(1));
    const Wide shared[2] = {dot(kFullZ3, z3, z4), dot(kFullZ4, z3, z4)};
    const Wide odd[4] = {dot(kFull71[0], at(7), at(1)) + shared[0], dot(kFull53[0], at(5), at(3)) + shared[1],
                         dot(kFull53[1], at(5), at(3)) + shared[0],
                         dot(kFull71[1], at(7), at(1)) + shared[1]};
    const Wide evens[4] = {sum + even[0], difference + even[1], difference - even[1], sum - even[0]};
    for (int i = 0; i < 4; ++i) {
      out[i] = evens[i] + odd[3 - i];
      out[7 - i] = evens[i] - odd[3 - i];
    }
  }
};

struct Half {
  static constexpr int kSize = 4;
  static constexpr Shifts kShifts = kHalfShifts;
  static bool needs(int row) { return row != 4; }

  static void pass(const std::int32_t* in, std::size_t stride, Wide* out) {
    const auto at = [&](std::size_t i) { return in[i * stride]; };
    const Wide base = at(0) * Wide{2 << kWeightBits}, even = dot(kHalf26, at(2), at(6));
    const Wide outer = dot(kHalf13[0], at(1), at(3)) + dot(kHalf57[0], at(5), at(7));
    const Wide inner = dot(kHalf13[1], at(1), at(3)) + dot(kHalf57[1], at(5), at(7));
    out[0] = base + even + outer;
    out[1] = base - even + inner;
    out[2] = base - even - inner;
    out[3] = base + even - outer;
  }
};

struct Quarter {
  static constexpr int kSize = 2;
  static constexpr Shifts kShifts = kQuarterShifts;

  static void pass(const std::int32_t* in, std::size_t stride, Wide* out) {
    const auto at = [&](std::size_t i) { return in[i * stride]; };
    const Wide base = at(0) * Wide{4 << kWeightBits};
    const Wide odd = dot(kQuarter13, at(1), at(3)) + dot(kQuarter57, at(5), at(7));
    out[0] = base + odd;
    out[1] = base - odd;
  }
};

// libjpeg-turbo's short cut for blocks that have nothing but their first row drops the two upper bits of that
// row's numbers, where the long way would saturate.
template <class Size>
void wrap_lone_row(const Coefficients* coefficients, std::int32_t* dequantised) {
  for (int i = 8; i < 64; ++i) {
    if (Size::needs(i / 8) && coefficients[i] != 0) return;
  }
  for (int i = 0; i < 8; ++i) dequantised[i] = wrapped(dequantised[i] * 4) / 4;
}

std::uint8_t sample(std::int32_t value) {
  return static_cast<std::uint8_t>(std::clamp(value, -128, 127) + 128);
}

template <class Size>
void transform(const std::array<std::uint16_t, 64>& quant, const BlockJob& job, std::size_t stride) {
  constexpr int kSize = Size::kSize;
  std::int32_t in[64], between[kSize * 8];
  Wide out[8];
  for (std::size_t i = 0; i < 64; ++i) in[i] = wrapped(job.coefficients[i] * quant[i]);
  if constexpr (kSize > 2) wrap_lone_row<Size>(job.coefficients, in);
  for (int x = 0; x < 8; ++x) {
    Size::pass(in + x, 8, out);
    for (int y = 0; y < kSize; ++y) {
      const std::int32_t value = descaled(out[y], Size::kShifts.columns);
      const bool stays_wide = kSize == 2 && x == 0;
      between[y * 8 + x] = stays_wide ? value : std::clamp(value, -32768, 32767);
    }
  }
  for (int y = 0; y < kSize; ++y) {
    Size::pass(between + y * 8, 1, out);
    std::uint8_t* row = job.samples + static_cast<std::size_t>(y) * stride;
    for (int x = 0; x < kSize; ++x) row[x] = sample(descaled(out[x], Size::kShifts.rows));
  }
}

// libjpeg looks its sample up in a table of 1024 entries, around which numbers wrap.
void average(const std::array<std::uint16_t, 64>& quant, const BlockJob& job) {
  const int mean = (job.coefficients[0] * static_cast<std::int16_t>(quant[0]) + 4) >> 3;
  *job.samples = sample(((mean + 512) & 1023) - 512);
}

}  // namespace

void inverse_transform_scalar(const std::array<std::uint16_t, 64>& quant, BlockSize size,
                              const BlockJob* jobs, std::size_t count, std::size_t stride) {
  for (const BlockJob* job = jobs; job < jobs + count; ++job) {
    switch (size) {
      case BlockSize::full:
        transform<Full>(quant, *job, stride);
        break;
      case BlockSize::half:
        transform<Half>(quant, *job, stride);
        break;
      case BlockSize::quarter:
        transform<Quarter>(quant, *job, stride);
        break;
      case BlockSize::eighth:
        average(quant, *job);
        break;
    }
    std::fill_n(job->coefficients, 64, Coefficients{0});
  }
}

}  // namespace stoker::jpeg
