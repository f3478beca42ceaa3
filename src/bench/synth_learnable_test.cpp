// The claim of the sample set: a linear model stays near chance on it, the shape alone tells the class.
#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "bench/synth_scene.hpp"

namespace stoker::bench {
namespace {

constexpr int kClasses = 5;
constexpr int kTrain = 200, kVal = 60;  // of each class
constexpr int kWidth = 96, kHeight = 72;

struct Set {
  std::vector<std::vector<float>> inputs;
  std::vector<int> labels;
};

template <class Features>
Set make_set(int begin, int end, const Features& features) {
  Set set;
  const std::vector<SceneClass> classes = scene_classes(kClasses);
  for (int image = begin; image < end; ++image) {
    for (int label = 0; label < kClasses; ++label) {
      set.inputs.push_back(features(draw_scene(classes[static_cast<std::size_t>(label)], kWidth, kHeight, 7,
                                               static_cast<std::uint64_t>(image))));
      set.labels.push_back(label);
    }
  }
  return set;
}

double accuracy(const Set& set, const std::vector<int>& guesses) {
  int right = 0;
  for (std::size_t i = 0; i < guesses.size(); ++i) right += guesses[i] == set.labels[i];
  return static_cast<double>(right) / static_cast<double>(guesses.size());
}

// The picture's means over 4 × 4 pixels (24 × 18 places), red, green, blue and gray of each.
std::vector<float> pixels(const std::vector<std::uint8_t>& rgb) {
  constexpr int kBlock = 4;
  std::vector<float> out;
  for (int y = 0; y < kHeight; y += kBlock) {
    for (int x = 0; x < kWidth; x += kBlock) {
      std::array<float, 3> sum{};
      for (int i = 0; i < kBlock * kBlock; ++i) {
        const int at = ((y + i / kBlock) * kWidth + x + i % kBlock) * 3;
        for (int c = 0; c < 3; ++c) sum[static_cast<std::size_t>(c)] += rgb[static_cast<std::size_t>(at + c)];
      }
      const auto value = [&](float s) { return s / (kBlock * kBlock * 64.0F) - 2.0F; };
      out.insert(out.end(), {value(sum[0]), value(sum[1]), value(sum[2]),
                             value(0.299F * sum[0] + 0.587F * sum[1] + 0.114F * sum[2])});
    }
  }
  out.push_back(1);  // the bias
  return out;
}

// Softmax regression by plain gradient descent, one sample at a time.
class Softmax {
 public:
  explicit Softmax(std::size_t inputs) : weights_(kClasses, std::vector<float>(inputs)) {}

  std::array<float, kClasses> probabilities(const std::vector<float>& input) const {
    std::array<float, kClasses> out{};
    for (std::size_t k = 0; k < kClasses; ++k) {
      for (std::size_t i = 0; i < input.size(); ++i) out[k] += weights_[k][i] * input[i];
    }
    const float largest = *std::max_element(out.begin(), out.end());
    float total = 0;
    for (float& value : out) total += value = std::exp(value - largest);
    for (float& value : out) value /= total;
    return out;
  }

  void learn(const Set& set, float rate) {
    for (std::size_t n = 0; n < set.inputs.size(); ++n) {
      const std::array<float, kClasses> p = probabilities(set.inputs[n]);
      for (std::size_t k = 0; k < kClasses; ++k) {
        const float step = rate * ((static_cast<int>(k) == set.labels[n] ? 1.0F : 0.0F) - p[k]);
        for (std::size_t i = 0; i < set.inputs[n].size(); ++i) weights_[k][i] += step * set.inputs[n][i];
      }
    }
  }

  std::vector<int> guess(const Set& set) const {
    std::vector<int> out;
    for (const std::vector<float>& input : set.inputs) {
      const std::array<float, kClasses> p = probabilities(input);
      out.push_back(static_cast<int>(std::max_element(p.begin(), p.end()) - p.begin()));
    }
    return out;
  }

 private:
  std::vector<std::vector<float>> weights_;
};

TEST(SynthLearnable, ALinearModelStaysNearChance) {
  const Set train = make_set(kVal, kVal + kTrain, pixels);
  const Set val = make_set(0, kVal, pixels);
  constexpr double kChance = 1.0 / kClasses;
  Softmax model(train.inputs[0].size());
  for (int pass = 0; pass < 60; ++pass) {
    model.learn(train, pass < 40 ? 2e-3F : 5e-4F);
    // At no moment of its training, not only at the end. 300 val images: a standard deviation of chance is
    // 0.023.
    if (pass % 10 != 9) continue;
    EXPECT_LT(accuracy(val, model.guess(val)), kChance + 0.12) << "after pass " << pass + 1;
  }
  // It did try: it learnt its training set by heart far beyond what it can say of new pictures.
  EXPECT_GT(accuracy(train, model.guess(train)), 0.5);
}

// The largest connected run of places that differ from the ground (the median of the picture's rim, block by
// block).
std::vector<char> segment(const std::vector<std::uint8_t>& rgb) {
  std::vector<std::array<float, 3>> smooth(static_cast<std::size_t>(kWidth * kHeight));
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      for (int c = 0; c < 3; ++c) {
        float sum = 0;
        for (int i = 0; i < 9; ++i) {
          const int sx = std::clamp(x + i % 3 - 1, 0, kWidth - 1),
                    sy = std::clamp(y + i / 3 - 1, 0, kHeight - 1);
          sum += rgb[static_cast<std::size_t>((sy * kWidth + sx) * 3 + c)];
        }
        smooth[static_cast<std::size_t>(y * kWidth + x)][static_cast<std::size_t>(c)] = sum / 9;
      }
    }
  }
  std::array<float, 3> ground{};
  for (std::size_t c = 0; c < 3; ++c) {
    std::vector<float> rim;
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        const bool at_rim = x < 4 || y < 4 || x >= kWidth - 4 || y >= kHeight - 4;
        if (at_rim) rim.push_back(smooth[static_cast<std::size_t>(y * kWidth + x)][c]);
      }
    }
    std::nth_element(rim.begin(), rim.begin() + static_cast<std::ptrdiff_t>(rim.size() / 2), rim.end());
    ground[c] = rim[rim.size() / 2];
  }
  std::vector<char> differs(smooth.size());
  for (std::size_t i = 0; i < smooth.size(); ++i) {
    float gray = 0;
    constexpr std::array<float, 3> kWeights{0.299F, 0.587F, 0.114F};
    for (std::size_t c = 0; c < 3; ++c) gray += kWeights[c] * (smooth[i][c] - ground[c]);
    differs[i] = std::abs(gray) > 40;
  }
  std::vector<char> best(smooth.size());
  std::size_t best_count = 0;
  std::vector<char> seen(smooth.size());
  for (std::size_t start = 0; start < differs.size(); ++start) {
    if (!differs[start] || seen[start]) continue;
    std::vector<std::size_t> run{start};
    seen[start] = 1;
    for (std::size_t at = 0; at < run.size(); ++at) {
      const int x = static_cast<int>(run[at]) % kWidth, y = static_cast<int>(run[at]) / kWidth;
      for (const auto& [dx, dy] : {std::pair{1, 0}, {-1, 0}, {0, 1}, {0, -1}}) {
        if (x + dx < 0 || x + dx >= kWidth || y + dy < 0 || y + dy >= kHeight) continue;
        const auto next = static_cast<std::size_t>((y + dy) * kWidth + x + dx);
        if (differs[next] && !seen[next]) {
          seen[next] = 1;
          run.push_back(next);
        }
      }
    }
    if (run.size() <= best_count) continue;
    best_count = run.size();
    std::fill(best.begin(), best.end(), 0);
    for (const std::size_t i : run) best[i] = 1;
  }
  return best;
}

// How the shape's mass lies about its centre: a share of places at each distance, and how far each turn of it
// repeats itself 2, 3, 4 and 5 times. None of it depends on position, size, rotation or colour.
std::vector<float> shape_features(const std::vector<std::uint8_t>& rgb) {
  constexpr int kRings = 8;
  constexpr std::array<int, 5> kTurns{1, 2, 3, 4, 5};
  const std::vector<char> mask = segment(rgb);
  double count = 0, mean_x = 0, mean_y = 0, spread = 0;
  const auto each = [&](auto&& visit) {
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        if (mask[static_cast<std::size_t>(y * kWidth + x)]) visit(x, y);
      }
    }
  };
  each([&](int x, int y) { ++count, mean_x += x, mean_y += y; });
  std::vector<float> out(kRings + kTurns.size());
  if (count == 0) return out;
  mean_x /= count, mean_y /= count;
  each([&](int x, int y) { spread += (x - mean_x) * (x - mean_x) + (y - mean_y) * (y - mean_y); });
  spread = std::sqrt(spread / count) + 1e-6;
  std::array<double, kTurns.size()> real{}, imaginary{};
  each([&](int x, int y) {
    const double dx = (x - mean_x) / spread, dy = (y - mean_y) / spread, radius = std::hypot(dx, dy);
    out[static_cast<std::size_t>(std::min(static_cast<int>(radius * 4), kRings - 1))] +=
        static_cast<float>(1 / count);
    for (std::size_t k = 0; k < kTurns.size(); ++k) {
      const double angle = kTurns[k] * std::atan2(dy, dx), weight = radius * radius * radius;
      real[k] += weight * std::cos(angle), imaginary[k] += weight * std::sin(angle);
    }
  });
  for (std::size_t k = 0; k < kTurns.size(); ++k) {
    out[kRings + k] = static_cast<float>(std::hypot(real[k], imaginary[k]) / count);
  }
  return out;
}

TEST(SynthLearnable, TheShapeAloneTellsTheClass) {
  const Set train = make_set(kVal, kVal + kTrain, shape_features);
  const Set val = make_set(0, kVal, shape_features);
  const std::size_t inputs = train.inputs[0].size();
  std::vector<std::vector<float>> centres(kClasses, std::vector<float>(inputs));
  for (std::size_t n = 0; n < train.inputs.size(); ++n) {
    for (std::size_t i = 0; i < inputs; ++i) {
      centres[static_cast<std::size_t>(train.labels[n])][i] += train.inputs[n][i] / kTrain;
    }
  }
  std::vector<int> guesses;
  for (const std::vector<float>& input : val.inputs) {
    std::array<float, kClasses> distance{};
    for (std::size_t k = 0; k < kClasses; ++k) {
      for (std::size_t i = 0; i < inputs; ++i)
        distance[k] += (input[i] - centres[k][i]) * (input[i] - centres[k][i]);
    }
    guesses.push_back(
        static_cast<int>(std::min_element(distance.begin(), distance.end()) - distance.begin()));
  }
  EXPECT_GT(accuracy(val, guesses), 0.6);
}

}  // namespace
}  // namespace stoker::bench
