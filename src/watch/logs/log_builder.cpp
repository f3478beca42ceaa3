#include "watch/logs/log_builder.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>
#include <utility>

#include "base/quantile.hpp"
#include "base/units.hpp"
#include "watch/logs/log_text.hpp"

namespace stoker::watch {

namespace {

constexpr std::size_t kMostGpuReadings = 32'768;  // about 80 MB
constexpr std::size_t kMostGpus = 1024;           // of one snapshot
constexpr double kDay = 86400;
constexpr double kLongestStep_s = 3650 * kDay;  // no log goes on behind a longer pause

}  // namespace

LogBuilder::LogBuilder(std::string kind, std::string vendor) : vendor_(std::move(vendor)) {
  trace_.kind = std::move(kind);
}

// Seconds on the trace's clock, which begins at 0 and goes on as before where the stamps go back, or ahead by
// years.
double LogBuilder::clock_of(const LogTime& time) {
  if (!last_) {
    last_ = time;
    shift_s_ = -time.seconds;
    return 0;
  }
  double step = time.seconds - last_->seconds;
  if (time.kind == TimeKind::time_of_day && step < -kDay / 2) {  // midnight
    step += kDay;
    shift_s_ += kDay;
    last_->seconds -= kDay;
  }
  // Rows that overtook each other by less than a second: no clock was set.
  if (time.kind == last_->kind && step < 0 && step > -1) return last_->seconds + shift_s_;
  if (time.kind != last_->kind || step < 0 || step > kLongestStep_s) {
    ++clock_set_;
    shift_s_ += last_->seconds + last_step_s_ - time.seconds;
  } else if (step > 0) {
    last_step_s_ = step;
  }
  last_ = time;
  return time.seconds + shift_s_;
}

// By chance, for a fixed step would show one phase of an oscillation alone. The first is always kept.
bool LogBuilder::is_kept(std::size_t tick) const {
  std::uint64_t x = tick;  // Source: Steele, Lea, Flood 2014, SplitMix64's finaliser
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return ((x ^ (x >> 31)) & (keep_one_in_ - 1)) == 0;
}

// About every second snapshot goes.
void LogBuilder::thin_out() {
  keep_one_in_ *= 2;
  std::vector<Snapshot>& all = trace_.snapshots;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!is_kept(tick_of_[i])) continue;
    if (kept < i) all[kept] = std::move(all[i]);
    tick_of_[kept++] = tick_of_[i];
  }
  all.resize(kept);
  tick_of_.resize(kept);
  gpus_ = 0;
  for (const Snapshot& snapshot : all) gpus_ += snapshot.gpus.size();
}

void LogBuilder::begin(const std::optional<LogTime>& time) {
  Snapshot next;
  if (time) {
    now_s_ = std::max(now_s_, clock_of(*time));
    if (time->kind == TimeKind::wall) next.wall_s = time->seconds;
  } else {
    if (has_begun()) now_s_ += assumed_period_s_;
    ++without_time_;
  }
  next.time_s = now_s_;
  if (gpus_ >= kMostGpuReadings || trace_.snapshots.size() >= kMostGpuReadings) thin_out();
  kept_ = is_kept(ticks_);
  if (kept_) {
    trace_.snapshots.push_back(std::move(next));
    tick_of_.push_back(ticks_);
  } else {
    passed_over_ = std::move(next);
  }
  ++ticks_;
}

void LogBuilder::assume_period(double seconds, std::string why) {
  assumed_period_s_ = seconds;
  assumed_why_ = std::move(why);
}

GpuSeen& LogBuilder::gpu(int index, std::string_view instance) {
  for (GpuSeen& seen : snapshot().gpus)
    if (seen.index == index && (instance.empty() ? seen.mig_parent.empty() : seen.uuid == instance))
      return seen;
  if (snapshot().gpus.size() >= kMostGpus) {
    full_ = true;
    return snapshot().gpus.back();
  }
  if (kept_) ++gpus_;
  GpuSeen& added = snapshot().gpus.emplace_back();
  added.index = index;
  added.vendor = vendor_;
  added.uuid = instance;
  return added;
}

bool LogBuilder::has_gpu(int index) const {
  const Snapshot& last = kept_ && has_begun() ? trace_.snapshots.back() : passed_over_;
  return std::ranges::any_of(last.gpus, [index](const GpuSeen& seen) { return seen.index == index; });
}

void LogBuilder::leave_out(std::size_t line, std::string_view text) {
  if (left_out_++ > 0) return;
  first_left_out_ = fmt::format("line {}: \"{}\"", line, quoted_words(text, 80));
}

void LogBuilder::cannot_tell(std::string what, std::string why) {
  trace_.not_seen.push_back({std::move(what), std::move(why)});
}

void LogBuilder::cannot_tell_beyond_gpus() {
  bool processes = false, cpu = false, io = false;
  for (const Snapshot& seen : trace_.snapshots) {
    cpu = cpu || seen.host.cpu_percent.known();
    io = io || !seen.devices.empty();
    for (const GpuSeen& gpu : seen.gpus) processes = processes || gpu.processes.known();
  }
  const std::string why = fmt::format("{} does not hold it", trace_.kind);
  if (!processes) cannot_tell("processes", why);
  if (!cpu) cannot_tell("CPU", why);
  if (!io) cannot_tell("I/O", why);
  cannot_tell("images/s", why);
}

// A machine that slept, a log that was stopped and taken up again.
void LogBuilder::tell_gaps() {
  std::vector<double> steps;
  for (std::size_t i = 1; i < trace_.snapshots.size(); ++i)
    steps.push_back(trace_.snapshots[i].time_s - trace_.snapshots[i - 1].time_s);
  if (steps.empty()) return;
  const auto longest = *std::ranges::max_element(steps);
  const double least = std::max(60.0, 20 * upper_median(steps));
  const auto gaps = std::ranges::count_if(steps, [least](double step) { return step > least; });
  if (gaps > 0)
    cannot_tell("gaps", fmt::format("the log pauses {}, for up to {}",
                                    gaps == 1 ? std::string("once") : fmt::format("{} times", gaps),
                                    format_duration(longest)));
}

Result<Trace> LogBuilder::finish(const std::string& path) {
  if (full_)
    return fail(ErrorCode::out_of_resources,
                {.operation = "read trace",
                 .object = path,
                 .found = fmt::format("more than {} GPUs at one moment", kMostGpus),
                 .allowed = fmt::format("up to {}", kMostGpus),
                 .next_step = "name one time, and one GPU, a row"});
  trace_.source = path;
  std::erase_if(trace_.snapshots, [](const Snapshot& snapshot) {
    return snapshot.gpus.empty() && snapshot.host == HostSeen{};
  });
  if (trace_.snapshots.empty())
    return fail(ErrorCode::corrupt_data, {.operation = "read trace",
                                          .object = path,
                                          .found = fmt::format("{} without a row of values{}", trace_.kind,
                                                               left_out_ ? ", " + first_left_out_ : ""),
                                          .allowed = "at least one"});
  for (Snapshot& snapshot : trace_.snapshots)
    std::ranges::sort(snapshot.gpus, {}, [](const GpuSeen& gpu) {
      return std::tuple(gpu.index, !gpu.mig_parent.empty(), std::string_view(gpu.uuid));
    });
  if (without_time_ > 0 && trace_.snapshots.size() > 1) cannot_tell("time", assumed_why_);
  if (clock_set_ > 0)
    cannot_tell("time",
                fmt::format("the clock was set {}; the snapshots are put one behind the other",
                            clock_set_ == 1 ? std::string("once") : fmt::format("{} times", clock_set_)));
  if (keep_one_in_ > 1)
    cannot_tell("all of the log", fmt::format("it is long: one look in {} is kept by chance, {} of {}",
                                              keep_one_in_, trace_.snapshots.size(), ticks_));
  tell_gaps();
  if (left_out_ > 0)
    cannot_tell(left_out_ == 1 ? std::string("one line") : fmt::format("{} lines", left_out_),
                fmt::format("no row of values: {}", first_left_out_));
  return std::move(trace_);
}

}  // namespace stoker::watch
