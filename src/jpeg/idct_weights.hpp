// The constants of the inverse transforms, paired as a multiplication of two inputs at once wants them.
// Source: C. Loeffler, A. Ligtenberg, G. Moschytz, "Practical fast 1-D DCT algorithms with 11
// multiplications", ICASSP 1989, which libjpeg's jidctint.c and jidctred.c follow.
#pragma once

#include <cstdint>

namespace stoker::jpeg::idct {

inline constexpr int kWeightBits = 13;

constexpr std::int16_t fix(double weight) {
  return static_cast<std::int16_t>(weight * (1 << kWeightBits) + (weight < 0 ? -0.5 : 0.5));
}

// first × one input + second × another.
struct Weights {
  std::int16_t first, second;
};
// Sums of rounded constants, as libjpeg has them; not rounded sums.
constexpr Weights weights(int first, int second) {
  return {static_cast<std::int16_t>(first), static_cast<std::int16_t>(second)};
}

// Shifts that end the passes over columns and rows. Two bits of fraction stay between them.
struct Shifts {
  int columns, rows;
};
inline constexpr Shifts kFullShifts{11, 18}, kHalfShifts{12, 19}, kQuarterShifts{13, 20};

// 8 → 8. Inputs (2, 6) give the even sums, z3 = 7 + 3 and z4 = 5 + 1 what the odd ones share.
inline constexpr Weights kFull26[2] = {weights(fix(0.541196100) + fix(0.765366865), fix(0.541196100)),
                                       weights(fix(0.541196100), fix(0.541196100) - fix(1.847759065))};
inline constexpr Weights kFullZ3 = weights(fix(1.175875602) - fix(1.961570560), fix(1.175875602));
inline constexpr Weights kFullZ4 = weights(fix(1.175875602), fix(1.175875602) - fix(0.390180644));
// Inputs (7, 1) → odd sums 0 and 3; inputs (5, 3) → odd sums 1 and 2.
inline constexpr Weights kFull71[2] = {weights(fix(0.298631336) - fix(0.899976223), -fix(0.899976223)),
                                       weights(-fix(0.899976223), fix(1.501321110) - fix(0.899976223))};
inline constexpr Weights kFull53[2] = {weights(fix(2.053119869) - fix(2.562915447), -fix(2.562915447)),
                                       weights(-fix(2.562915447), fix(3.072711026) - fix(2.562915447))};

// 8 → 4. Inputs (2, 6); then (1, 3) and (5, 7) → outer (0, 3) and inner (1, 2) odd sums.
inline constexpr Weights kHalf26 = weights(fix(1.847759065), -fix(0.765366865));
inline constexpr Weights kHalf13[2] = {weights(fix(2.562915447), fix(0.899976223)),
                                       weights(fix(1.061594337), -fix(2.172734803))};
inline constexpr Weights kHalf57[2] = {weights(-fix(0.601344887), -fix(0.509795579)),
                                       weights(fix(1.451774981), -fix(0.211164243))};

// 8 → 2.
inline constexpr Weights kQuarter13 = weights(fix(3.624509785), -fix(1.272758580));
inline constexpr Weights kQuarter57 = weights(fix(0.850430095), -fix(0.720959822));

}  // namespace stoker::jpeg::idct
