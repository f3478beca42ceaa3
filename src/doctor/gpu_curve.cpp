#include "doctor/gpu_curve.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

#include "doctor/rates.hpp"
#include "doctor/waveform.hpp"

namespace stoker::doctor {

namespace {

bool plausible(double percent) { return percent >= 0 && percent <= 100; }

GpuCurve& curve_of(std::vector<GpuCurve>& curves, const GpuSeen& gpu) {
  const auto same = [&gpu](const GpuCurve& curve) {
    return !gpu.uuid.empty() && !curve.uuid.empty() ? curve.uuid == gpu.uuid : curve.index == gpu.index;
  };
  const auto found = std::ranges::find_if(curves, same);
  if (found != curves.end()) return *found;
  GpuCurve& curve = curves.emplace_back();
  curve.index = gpu.index;
  curve.name = gpu.name;
  curve.uuid = gpu.uuid;
  return curve;
}

void add_samples(GpuCurve& curve, const GpuSeen& gpu, double time_s) {
  if (!gpu.samples.empty()) {
    for (const GpuSample& sample : gpu.samples)
      if (plausible(sample.percent) && std::isfinite(sample.time_s) &&
          (curve.samples.empty() || sample.time_s >= curve.samples.back().time_s))
        curve.samples.push_back(sample);
    return;
  }
  const Reading<double>* source = &gpu.util_percent;
  if (!source->known())
    source = gpu.engine_active_percent ? &gpu.engine_active_percent : &gpu.sm_active_percent;
  if (!source->known() || !plausible(**source)) return;
  curve.samples.push_back({.time_s = time_s, .percent = **source});
}

// Most looks say that the clocks are down for want of work.
bool clocks_idle(const std::vector<const GpuSeen*>& seen) {
  std::size_t told = 0, idle = 0;
  for (const GpuSeen* gpu : seen) {
    if (!gpu->slow_reasons) continue;
    ++told;
    idle += (*gpu->slow_reasons & kSlowIdle) != 0 ? 1U : 0U;
  }
  return idle * 2 > told;
}

void note_users(GpuCurve& curve, const std::set<std::int64_t>& watched) {
  for (const GpuSeen* gpu : curve.seen) {
    if (!gpu->processes) continue;
    curve.listed = curve.listed || !gpu->processes->empty();
    for (const GpuProcess& process : *gpu->processes) {
      curve.ours = curve.ours || (process.here && watched.contains(process.pid));
      const std::string user =
          fmt::format("{} (pid {})", process.name.empty() ? "?" : process.name, process.pid);
      auto& users = curve.summary.users;
      if (users.size() < 16 && std::ranges::find(users, user) == users.end()) users.push_back(user);
    }
  }
}

void summarise(GpuCurve& curve, const Trace& trace) {
  GpuSummary& summary = curve.summary;
  summary.index = curve.index;
  summary.name = curve.name;
  const auto count = static_cast<double>(curve.samples.size());
  if (curve.samples.empty()) {
    const std::string why = curve.seen.empty() || curve.seen.back()->util_percent.why().empty()
                                ? "no utilisation was read"
                                : curve.seen.back()->util_percent.why();
    summary.util_mean = summary.below_10_share = summary.above_90_share = Reading<double>::unknown(why);
  } else {
    double sum = 0, low = 0, high = 0;
    for (const GpuSample& sample : curve.samples) {
      sum += sample.percent;
      low += sample.percent < 10 ? 1 : 0;
      high += sample.percent >= 90 ? 1 : 0;
    }
    summary.util_mean = sum / count;
    summary.below_10_share = low / count;
    summary.above_90_share = high / count;
  }
  Mean sm, power;
  for (const GpuSeen* gpu : curve.seen) {
    if (gpu->sm_active_percent && plausible(*gpu->sm_active_percent)) sm.add(gpu->sm_active_percent);
    power.add(gpu->power_w);
    if (gpu->power_limit_w) summary.power_limit_w = gpu->power_limit_w;
    if (gpu->memory_used_bytes) summary.memory_used_bytes = gpu->memory_used_bytes;
    if (gpu->memory_total_bytes) summary.memory_total_bytes = gpu->memory_total_bytes;
  }
  summary.sm_active_mean = reading(sm.value(), "needs GPM (Hopper and later) or DCGM");
  summary.power_mean_w = reading(power.value(), "no power was read");
  if (!curve.seen.empty() && curve.seen.back()->energy_j) {
    // The driver is loaded at boot or later: the uptime makes this a lower bound.
    const Snapshot& last = trace.snapshots.back();
    if (last.host.uptime_s && *last.host.uptime_s > 0)
      summary.power_since_load_w = *curve.seen.back()->energy_j / *last.host.uptime_s;
  }
  const Waveform wave = waveform_of(
      curve.samples, curve.seen.empty() ? Reading<double>() : curve.seen.back()->sample_interval_s);
  summary.period_s = wave.period_s;
  summary.duty_share = wave.duty_share;
  curve.slow_one_in = wave.slow_one_in;
}

}  // namespace

bool GpuCurve::used() const {
  if (samples.empty()) return false;
  double most = 0;
  for (const GpuSample& sample : samples) most = std::max(most, sample.percent);
  return summary.util_mean.value_or(0) >= 0.5 || most >= 5;
}

std::optional<double> GpuCurve::mean(double from_s, double to_s) const {
  double sum = 0;
  std::size_t count = 0;
  for (const GpuSample& sample : samples)
    if (sample.time_s > from_s && sample.time_s <= to_s) {
      sum += sample.percent;
      ++count;
    }
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

std::optional<double> busy_share(const std::vector<const GpuCurve*>& curves, double from_s, double to_s) {
  double sum = 0;
  int count = 0;
  for (const GpuCurve* curve : curves)
    if (const auto mean = curve->mean(from_s, to_s)) {
      sum += *mean / 100;
      ++count;
    }
  return count == 0 ? std::nullopt : std::optional(sum / count);
}

std::vector<GpuCurve> gpu_curves(const Trace& trace) {
  std::vector<GpuCurve> whole, instances;
  for (const Snapshot& snapshot : trace.snapshots)
    for (const GpuSeen& gpu : snapshot.gpus) {
      GpuCurve& curve = curve_of(gpu.mig_parent.empty() ? whole : instances, gpu);
      curve.seen.push_back(&gpu);
      add_samples(curve, gpu, snapshot.time_s);
    }
  // An instance of a GPU that has its own curve is the same silicon.
  for (GpuCurve& instance : instances) {
    const std::string& parent = instance.seen.front()->mig_parent;
    const auto found = std::ranges::find(whole, parent, &GpuCurve::uuid);
    if (found == whole.end() || found->samples.empty()) whole.push_back(std::move(instance));
  }
  std::erase_if(whole, [&](const GpuCurve& curve) {
    return curve.samples.empty() && std::ranges::any_of(whole, [&](const GpuCurve& other) {
             return !other.seen.empty() && !curve.uuid.empty() &&
                    other.seen.front()->mig_parent == curve.uuid;
           });
  });
  std::set<std::int64_t> watched;
  for (const Snapshot& snapshot : trace.snapshots)
    for (const ProcessSeen& process : snapshot.processes) watched.insert(process.pid);
  for (GpuCurve& curve : whole) {
    curve.idle_by_clocks = curve.samples.empty() && clocks_idle(curve.seen);
    note_users(curve, watched);
    summarise(curve, trace);
  }
  return whole;
}

std::vector<const GpuCurve*> training_curves(const std::vector<GpuCurve>& curves) {
  std::vector<const GpuCurve*> ours, used, all;
  for (const GpuCurve& curve : curves) {
    if (curve.samples.empty()) continue;
    all.push_back(&curve);
    if (curve.used()) used.push_back(&curve);
    if (curve.ours && curve.used()) ours.push_back(&curve);
  }
  if (!ours.empty()) return ours;
  return used.empty() ? all : used;
}

}  // namespace stoker::doctor
