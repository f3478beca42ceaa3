#include "watch/gpu/util_samples.hpp"

#include <algorithm>
#include <cmath>
#include <time.h>

#include "base/quantile.hpp"

namespace stoker::watch::nvml {

namespace {

constexpr double kPollEvery = 1.0 / 6;    // the shortest period of the driver: nvml.h, nvmlUtilization_t
constexpr unsigned kMostSamples = 16384;  // far above the 120 to 4096 that drivers keep
// So many periods without a sample, and the buffer counts as dry: it is while nothing runs
// (polarsignals/gpu-metrics-agent#37).
constexpr double kDryPeriods = 3;
constexpr double kSameInstant = 20e-6;
constexpr int kClockTries = 5;

double seconds_of(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

double value_of(const Sample& sample, int type) {
  switch (type) {
    case kDouble:
      return sample.value.as_double;
    case kUnsignedLong:
      return static_cast<double>(sample.value.as_long);
    case kUnsignedLongLong:
      return static_cast<double>(sample.value.as_long_long);
    default:
      return sample.value.as_unsigned;
  }
}

}  // namespace

// Read again where the thread lost its CPU between two clocks.
Clocks Clocks::now() {
  Clocks now;
  for (int i = 0; i < kClockTries; ++i) {
    now.monotonic = seconds_of(CLOCK_MONOTONIC);
    now.since_1970 = seconds_of(CLOCK_REALTIME);
    now.boot = seconds_of(CLOCK_BOOTTIME);
    if (seconds_of(CLOCK_MONOTONIC) - now.monotonic < kSameInstant) break;
  }
  return now;
}

bool Clocks::since_boot(unsigned long long stamp_us) const {
  const double stamp = static_cast<double>(stamp_us) * 1e-6;
  return std::abs(stamp - boot) < std::abs(stamp - since_1970);
}

double Clocks::monotonic_of(unsigned long long stamp_us) const {
  return static_cast<double>(stamp_us) * 1e-6 - (since_boot(stamp_us) ? boot : since_1970) + monotonic;
}

unsigned long long Clocks::stamp_of(double monotonic_s, bool boot_clock) const {
  const double stamp = monotonic_s - monotonic + (boot_clock ? boot : since_1970);
  return stamp <= 0 ? 0 : static_cast<unsigned long long>(stamp * 1e6);
}

// In order of time; empty also where the buffer is dry. Forgets the buffer where there is none.
std::vector<Sample> UtilSamples::buffered(Device device) {
  int type = 0;
  unsigned count = 0;
  Status status = library_->samples(device, kGpuUtilSamples, last_stamp_, &type, &count, nullptr);
  if (status == kNotSupported || status == kFunctionNotFound) {
    buffers_ = false;
    polled_because_ = library_->why(status);
    return {};
  }
  buffers_ = true;
  if (status != kSuccess || count == 0) return {};
  std::vector<Sample> samples(std::min(count, kMostSamples));
  count = static_cast<unsigned>(samples.size());
  status = library_->samples(device, kGpuUtilSamples, last_stamp_, &type, &count, samples.data());
  if (status != kSuccess) return {};
  samples.resize(std::min<std::size_t>(count, samples.size()));
  std::erase_if(samples, [&](Sample& sample) {
    sample.value.as_double = value_of(sample, type);
    return sample.time_us <= last_stamp_ || !to_percent(sample.value.as_double);
  });
  std::sort(samples.begin(), samples.end(),
            [](const Sample& a, const Sample& b) { return a.time_us < b.time_us; });
  return samples;
}

void UtilSamples::take_buffered(Device device, const Clocks& now, const Reading<double>& last_period,
                                GpuSeen& gpu) {
  if (now.monotonic_of(last_stamp_) > now.monotonic) last_stamp_ = 0;  // the wall clock was set back
  const std::vector<Sample> samples = buffered(device);
  if (!samples.empty()) {
    last_stamp_ = samples.back().time_us;
    since_boot_ = now.since_boot(last_stamp_);
  }
  std::vector<double> steps;
  for (std::size_t i = 1; i < samples.size(); ++i)
    steps.push_back(static_cast<double>(samples[i].time_us - samples[i - 1].time_us) * 1e-6);
  if (!steps.empty()) interval_s_ = upper_median(steps);
  if (last_s_ < 0) {
    last_s_ = now.monotonic;
    return;
  }
  const double interval = interval_s_ > 0 ? interval_s_ : kPollEvery;
  for (const Sample& sample : samples) {
    const double time = now.monotonic_of(sample.time_us);
    if (time <= last_s_ + interval / 2) continue;  // told before, or filled in
    gpu.samples.push_back({time, sample.value.as_double});
  }
  if (gpu.samples.empty() && last_period && now.monotonic - last_s_ > kDryPeriods * interval) {
    if (*last_period == 0)
      for (double t = last_s_ + interval; t < now.monotonic && gpu.samples.size() < kMostSamples;
           t += interval)
        gpu.samples.push_back({t, 0});
    else
      gpu.samples.push_back({now.monotonic, *last_period});
  }
  if (!gpu.samples.empty()) last_s_ = gpu.samples.back().time_s;
}

void UtilSamples::poll(Device device, double now_s) {
  if (buffers_ || polled_because_.empty()) return;
  const double last = polled_.empty() ? last_s_ : polled_.back().time_s;
  if (now_s - last < kPollEvery || polled_.size() >= kMostSamples) return;
  Utilization rates{};
  if (library_->utilization(device, &rates) == kSuccess && to_percent(rates.gpu))
    polled_.push_back({now_s, static_cast<double>(rates.gpu)});
}

Status UtilSamples::take(Device device, const Clocks& now, GpuSeen& gpu) {
  Utilization rates{};
  const Status status = library_->utilization(device, &rates);
  if (status != kSuccess) {
    gpu.util_percent = gpu.memory_util_percent = Reading<double>::unknown(library_->why(status));
  } else {
    gpu.util_percent = to_percent(rates.gpu);
    gpu.memory_util_percent = to_percent(rates.memory);
  }
  if (polled_because_.empty()) take_buffered(device, now, gpu.util_percent, gpu);
  if (polled_because_.empty()) {
    gpu.sample_interval_s = interval_s_ > 0 ? Reading<double>(interval_s_)
                                            : Reading<double>::unknown("the driver has no samples yet");
    return status;
  }
  if (last_s_ >= 0 && now.monotonic > last_s_) {
    if (gpu.util_percent) polled_.push_back({now.monotonic, *gpu.util_percent});
    gpu.samples.swap(polled_);
    gpu.sample_interval_s = gpu.samples.empty()
                                ? Reading<double>::unknown(gpu.util_percent.why())
                                : (now.monotonic - last_s_) / static_cast<double>(gpu.samples.size());
  } else {
    gpu.sample_interval_s = Reading<double>::unknown("from the second look on");
  }
  polled_.clear();
  last_s_ = now.monotonic;
  return status;
}

}  // namespace stoker::watch::nvml
