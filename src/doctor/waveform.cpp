#include "doctor/waveform.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/quantile.hpp"

namespace stoker::doctor {

namespace {

constexpr std::size_t kMostSamples = 4096;
constexpr std::size_t kLeastSamples = 12;
constexpr double kFastestDriver = 1.0 / 6;  // no driver renews its value sooner (nvml.h: 1/6 to 1 s)
constexpr double kLeastSpread = 10;         // percent: below it a curve is steady
constexpr double kLeastStrength = 0.3;
constexpr double kNearlyAsHigh = 0.65;
constexpr double kResolved = 8;  // samples a period
constexpr double kUneven = 0.3;

// Seconds between samples that are new: the median distance, or the driver's where logs poll faster than it.
double spacing_of(const std::vector<GpuSample>& samples, const Reading<double>& interval_s) {
  std::vector<double> distances;
  for (std::size_t i = 1; i < samples.size(); ++i)
    distances.push_back(samples[i].time_s - samples[i - 1].time_s);
  return std::max(upper_median(distances), interval_s && *interval_s > 0 ? *interval_s : kFastestDriver);
}

// Mean percent of each cell of an even grid; a cell without a sample keeps the one before.
std::vector<double> on_grid(const std::vector<GpuSample>& samples, double spacing) {
  const double begin = samples.front().time_s;
  const double length = (samples.back().time_s - begin) / spacing;
  const std::size_t cells = static_cast<std::size_t>(std::clamp(length, 0.0, kMostSamples - 1.0)) + 1;
  std::vector<double> sums(cells, 0);
  std::vector<int> counts(cells, 0);
  for (const GpuSample& sample : samples) {
    const double cell = std::floor((sample.time_s - begin) / spacing + 0.5);
    if (cell < 0 || cell >= static_cast<double>(cells)) continue;
    sums[static_cast<std::size_t>(cell)] += sample.percent;
    ++counts[static_cast<std::size_t>(cell)];
  }
  double last = samples.front().percent;
  for (std::size_t i = 0; i < cells; ++i) last = sums[i] = counts[i] > 0 ? sums[i] / counts[i] : last;
  return sums;
}

std::vector<double> autocorrelation(std::vector<double> grid) {
  double mean = 0;
  for (const double x : grid) mean += x / static_cast<double>(grid.size());
  double power = 0;
  for (double& x : grid) {
    x -= mean;
    power += x * x;
  }
  std::vector<double> result(grid.size() / 2, 0.0);
  for (std::size_t lag = 0; lag < result.size() && power > 0; ++lag) {
    double sum = 0;
    for (std::size_t i = lag; i < grid.size(); ++i) sum += grid[i] * grid[i - lag];
    // Scaled by how many pairs there are, so that long lags count as much as short ones.
    result[lag] = sum / power * static_cast<double>(grid.size()) / static_cast<double>(grid.size() - lag);
  }
  return result;
}

struct Peak {
  double lag = 0, height = 0;
};

// A peak between grid points, by a parabola through its neighbours.
Peak refined(const std::vector<double>& correlation, std::size_t lag) {
  const double before = correlation[lag - 1], at = correlation[lag], after = correlation[lag + 1];
  const double bend = before - 2 * at + after;
  const double shift = bend < 0 ? 0.5 * (before - after) / bend : 0;
  return {.lag = static_cast<double>(lag) + shift, .height = at - 0.25 * (before - after) * shift};
}

// Local maxima behind the first dip below zero.
std::vector<Peak> peaks_of(const std::vector<double>& correlation) {
  std::vector<Peak> peaks;
  std::size_t lag = 1;
  while (lag < correlation.size() && correlation[lag] > 0) ++lag;
  for (; lag + 1 < correlation.size(); ++lag)
    if (correlation[lag] >= correlation[lag - 1] && correlation[lag] > correlation[lag + 1])
      peaks.push_back(refined(correlation, lag));
  return peaks;
}

// Where the curve rises from low to high, with some slack against noise.
struct Rises {
  int count = 0;
  std::size_t first = 0, last = 0;
  double distance() const { return count < 2 ? 0 : static_cast<double>(last - first) / (count - 1); }
};

Rises rises_of(const std::vector<double>& grid, double low, double high) {
  const double on = low + 0.6 * (high - low), off = low + 0.4 * (high - low);
  bool up = grid.front() > on;
  Rises rises;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    if (!up && grid[i] > on) {
      up = true;
      if (rises.count++ == 0) rises.first = i;
      rises.last = i;
    } else if (grid[i] < off) {
      up = false;
    }
  }
  return rises;
}

Waveform unknown(const std::string& why) {
  return {.period_s = Reading<double>::unknown(why), .duty_share = Reading<double>::unknown(why)};
}

}  // namespace

Waveform waveform_of(const std::vector<GpuSample>& all, const Reading<double>& interval_s) {
  if (all.size() < kLeastSamples) return unknown("too few samples");
  const std::vector<GpuSample> samples(
      all.size() > kMostSamples ? all.end() - static_cast<std::ptrdiff_t>(kMostSamples) : all.begin(),
      all.end());
  const double spacing = spacing_of(samples, interval_s);
  const std::vector<double> grid = on_grid(samples, spacing);
  if (grid.size() < kLeastSamples) return unknown("too few samples");
  const double low = quantile(grid, 0.05), high = quantile(grid, 0.95);
  double mean = 0, square = 0;
  for (const double x : grid) {
    mean += x / static_cast<double>(grid.size());
    square += x * x / static_cast<double>(grid.size());
  }
  if (std::sqrt(std::max(0.0, square - mean * mean)) < kLeastSpread) return unknown("no oscillation");

  const std::vector<Peak> peaks = peaks_of(autocorrelation(grid));
  // Multiples of a period are periods too: the first peak that is nearly as high as any.
  double highest = 0;
  for (const Peak& peak : peaks) highest = std::max(highest, peak.height);
  if (highest < kLeastStrength) return unknown("no oscillation that repeats");
  const Peak best =
      *std::ranges::find_if(peaks, [&](const Peak& peak) { return peak.height >= kNearlyAsHigh * highest; });
  if (best.lag < 2) return unknown(fmt::format("shorter than two of the samples ({:.2f} s apart)", spacing));

  Waveform wave{.period_s = best.lag * spacing, .strength = std::min(1.0, best.height)};
  // Few samples a period hold busy and idle mixed: their mean is the duty, their extremes are not.
  const bool resolved = best.lag >= kResolved && high > low;
  wave.duty_share = std::clamp(resolved ? (mean - low) / (high - low) : mean / 100, 0.0, 1.0);
  const Rises rises = rises_of(grid, low, high);
  const double turns = rises.count * best.lag / static_cast<double>(grid.size());
  const double rounded = std::round(turns);
  if (rounded >= 2 && rounded < 1000 && std::abs(turns - rounded) < 0.2)
    wave.slow_one_in = static_cast<int>(rounded);
  // Steps that are not all alike: the commonest distance is not the mean one, which counts.
  const double distance = rises.distance();
  if (resolved && std::abs(distance / best.lag - 1) < kUneven) wave.period_s = distance * spacing;
  return wave;
}

}  // namespace stoker::doctor
