#include "doctor/window.hpp"

#include <cmath>
#include <optional>

#include "doctor/rates.hpp"
#include "doctor/roles.hpp"

namespace stoker::doctor {

namespace {

constexpr double kLeastLeft_s = 8;     // never cut below it
constexpr double kDiffers = 0.15;      // of a share
constexpr double kAfterStart_s = 2.5;  // workers fill their queues

Window between(const Trace& trace, std::size_t first, std::size_t last) {
  return {.first = first,
          .last = last,
          .from_s = trace.snapshots[first].time_s,
          .to_s = trace.snapshots[last].time_s};
}

std::size_t at_or_after(const Trace& trace, double time_s) {
  std::size_t i = 0;
  while (i + 1 < trace.snapshots.size() && trace.snapshots[i].time_s < time_s) ++i;
  return i;
}

// How busy the GPUs are from one time to another, else the training's CPUs in relation to all of its time.
std::optional<double> activity(const Trace& trace, const std::vector<const GpuCurve*>& curves, double from_s,
                               double to_s) {
  if (const auto busy = busy_share(curves, from_s, to_s)) return busy;
  Growth cpu;
  const std::size_t first = at_or_after(trace, from_s), last = at_or_after(trace, to_s);
  for (const ProcessSeen& before : trace.snapshots[first].processes)
    for (const ProcessSeen& after : trace.snapshots[last].processes)
      if (before.pid == after.pid && before.start_ticks == after.start_ticks)
        cpu.add(before.user_s, after.user_s);
  return cpu.per(to_s - from_s);
}

bool has_training(const Snapshot& snapshot) {
  return !snapshot.loaders.empty() || !roles_of(snapshot).workers.empty();
}

}  // namespace

Window choose_window(const Trace& trace, const std::vector<const GpuCurve*>& curves) {
  if (trace.snapshots.empty()) return {};
  Window window = between(trace, 0, trace.snapshots.size() - 1);
  const auto watched = [&trace](std::size_t i) { return !trace.snapshots[i].processes.empty(); };
  std::size_t last = window.last;
  while (last > 0 && !watched(last)) --last;
  if (!watched(last)) return window;  // curves alone: all of them
  window.ended = last < window.last;
  const auto set = [&](std::size_t first) {
    const bool ended = window.ended, cut = window.warm_up_left_out;
    window = between(trace, first, last);
    window.ended = ended;
    window.warm_up_left_out = cut;
  };
  set(0);
  std::size_t start = 0;
  while (start <= last && !has_training(trace.snapshots[start])) ++start;
  if (start > 0 && start < last) {
    const std::size_t even = at_or_after(trace, trace.snapshots[start].time_s + kAfterStart_s);
    set(window.to_s - trace.snapshots[even].time_s >= kLeastLeft_s ? even : start);
    window.warm_up_left_out = true;
  }
  if (window.seconds() < 1.5 * kLeastLeft_s) return window;
  const double third = window.seconds() / 3;
  const auto a = activity(trace, curves, window.from_s, window.from_s + third);
  const auto b = activity(trace, curves, window.from_s + third, window.from_s + 2 * third);
  const auto c = activity(trace, curves, window.from_s + 2 * third, window.to_s);
  if (a && b && c && std::abs(*a - *c) > kDiffers && std::abs(*b - *c) < std::abs(*a - *c) / 2) {
    const std::size_t even = at_or_after(trace, window.from_s + third);
    if (even < last) {
      set(even);
      window.warm_up_left_out = true;
    }
  }
  return window;
}

Window last_third(const Trace& trace, const Window& window) {
  if (window.last <= window.first) return window;
  std::size_t first = at_or_after(trace, window.to_s - window.seconds() / 3);
  if (first >= window.last) first = window.last - 1;
  return between(trace, std::max(first, window.first), window.last);
}

}  // namespace stoker::doctor
