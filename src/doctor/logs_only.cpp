#include "doctor/logs_only.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace stoker::doctor {

namespace {

constexpr double kHealthy = 80;  // percent of the time
constexpr double kFull = 95;
constexpr double kCapped = 50;       // capped GPUs may pause between bursts
constexpr double kMachineBusy = 60;  // percent of all CPUs, hyper-threads counted: few cores are free then
constexpr double kLeastSeconds = 2;
constexpr std::size_t kLeastSamples = 8;

std::optional<double> machine_cpu(const Trace& trace) {
  double sum = 0;
  int count = 0;
  for (const Snapshot& snapshot : trace.snapshots)
    if (snapshot.host.cpu_percent) {
      sum += *snapshot.host.cpu_percent;
      ++count;
    }
  return count == 0 ? std::nullopt : std::optional(sum / count);
}

std::string shape_of(const GpuCurve& curve) {
  const GpuSummary& summary = curve.summary;
  if (summary.period_s && summary.below_10_share.value_or(0) > 0.2)
    return fmt::format(", swinging between busy and idle every {:.3g} s", *summary.period_s);
  if (summary.below_10_share.value_or(0) > 0.2 && summary.above_90_share.value_or(0) > 0.2)
    return ", swinging between busy and idle";
  if (summary.below_10_share.value_or(1) < 0.1 && summary.above_90_share.value_or(1) < 0.1) return ", evenly";
  return "";
}

}  // namespace

bool look_like_shares(const std::vector<GpuCurve>& curves) {
  std::size_t samples = 0, broken = 0;
  for (const GpuCurve& curve : curves)
    for (const GpuSample& sample : curve.samples) {
      if (sample.percent > 1) return false;
      ++samples;
      broken += sample.percent != std::floor(sample.percent) ? 1U : 0U;
    }
  return samples >= kLeastSamples && broken * 2 > samples;
}

Finding decide_by_curves(const Trace& trace, const std::vector<GpuCurve>& curves, const GpuCauses& causes) {
  if (look_like_shares(curves))
    return {
        .verdict = Verdict::unknown,
        .margin = 0,
        .why = "all utilisations lie between 0 and 1, which are shares and no percent: multiply them by 100"};
  const std::vector<const GpuCurve*> used = training_curves(curves);
  if (used.empty()) return {.verdict = Verdict::unknown, .margin = 0, .why = "no GPU's utilisation was read"};
  double mean = 0;
  std::size_t samples = 0;
  for (const GpuCurve* curve : used) {
    mean += *curve->summary.util_mean / static_cast<double>(used.size());
    samples = std::max(samples, curve->samples.size());
  }
  const GpuCurve& first = *used.front();
  const double seconds = first.samples.back().time_s - first.samples.front().time_s;
  if (samples >= kLeastSamples && !(seconds > 0))
    return {.verdict = Verdict::unknown,
            .margin = 0,
            .why = fmt::format("{} samples bear one and the same time, or times that go back", samples)};
  if (samples < kLeastSamples || seconds < kLeastSeconds)
    return {.verdict = Verdict::unknown,
            .margin = 0,
            .why = fmt::format("{} samples over {:.1f} s are too little", samples, seconds)};
  if (causes.power_capped && mean >= kCapped)
    return {.verdict = Verdict::gpu_bound, .margin = 0.6, .why = "its power limit holds its clocks down"};
  if (mean >= kHealthy)
    return {.verdict = Verdict::healthy,
            .margin = std::min(1.0, (mean - kHealthy) / 15),
            .why = mean >= kFull
                       ? "next to nothing is to be gained"
                       : fmt::format("no better data would bring more than {:.0f} %", 1e4 / mean - 100)};
  const auto cpu = machine_cpu(trace);
  if (cpu && *cpu >= kMachineBusy)
    return {.verdict = Verdict::cpu_bound,
            .margin = 0.2,
            .why = fmt::format("{:.0f} % of all CPUs are busy, hyper-threads counted", *cpu)};
  return {
      .verdict = Verdict::data_bound,
      .margin = std::min(0.5, (kHealthy - mean) / kHealthy),
      .why = fmt::format("it waits for its host{}; for what is not visible from its curve", shape_of(first))};
}

}  // namespace stoker::doctor
