#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "stoker/doctor.hpp"

#include "doctor/evidence.hpp"
#include "doctor/fixes.hpp"
#include "doctor/gpu_causes.hpp"
#include "doctor/logs_only.hpp"
#include "doctor/rates.hpp"
#include "doctor/rules.hpp"
#include "doctor/speed.hpp"
#include "doctor/summary.hpp"
#include "doctor/training_seen.hpp"

namespace stoker {

namespace doctor {
namespace {

constexpr double kEnoughSeconds = 30;
constexpr double kEnoughSteps = 20;

// Everything that is derived from a trace, once.
struct Case {
  const Trace& trace;
  const DiagnoseOptions& options;
  std::vector<GpuCurve> curves;
  std::vector<const GpuCurve*> training;
  Window window;
  Measures m, tail;
  IoMeasures io;
  Speed speed;
  bool watched = false;
  TrainingSeen seen;  // of what was watched

  Case(const Trace& t, const DiagnoseOptions& o) : trace(t), options(o), curves(gpu_curves(t)) {
    training = training_curves(curves);
    window = choose_window(trace, training);
    m = measure(trace, window, training);
    tail = measure(trace, last_third(trace, window), training);
    io = measure_io(trace, window);
    speed = speed_of(trace, window, training, io, options);
    watched = std::ranges::any_of(trace.snapshots,
                                  [](const Snapshot& snapshot) { return !snapshot.processes.empty(); });
    if (watched) seen = look_for_training(trace, window, curves, m, io);
  }
  // Something was watched, and nothing speaks for a training.
  bool no_training() const { return watched && seen.sign == TrainingSeen::Sign::none; }
};

// How much evidence there is, 0..1: time, or steps of the training where the curve shows them.
double amount(const Case& c) {
  double part = c.m.seconds / kEnoughSeconds;
  for (const GpuCurve* curve : c.training)
    if (curve->summary.period_s && *curve->summary.period_s > 0)
      part = std::max(part, c.m.seconds / *curve->summary.period_s / kEnoughSteps);
  if (c.options.batch_size && *c.options.batch_size > 0 && c.speed.images_per_s)
    part = std::max(part, c.m.seconds * *c.speed.images_per_s / *c.options.batch_size / kEnoughSteps);
  double weight = 0.5 + 0.5 * std::min(1.0, part);
  if (c.watched) {
    if (!c.m.busy) weight *= 0.7;
    if (c.seen.sign != TrainingSeen::Sign::certain) weight *= 0.5;
    if (c.m.waits_guessed || (!c.m.main_waits && !c.m.stall_counted)) weight *= 0.7;
  }
  return weight;
}

double confidence_of(const Finding& finding, const Case& c) {
  if (finding.verdict == Verdict::unknown) return 0;
  return share((0.4 + 0.6 * share(finding.margin)) * amount(c));
}

// Processes outside the watched tree that compute on GPUs, beside the training's own.
bool other_ranks(const Case& c) {
  return std::ranges::any_of(c.curves, &GpuCurve::ours) &&
         std::ranges::any_of(
             c.curves, [](const GpuCurve& curve) { return curve.listed && !curve.ours && curve.used(); });
}

void note_fewer_cpus(const Measures& m, std::vector<std::string>& causes) {
  if (m.allowed && m.online && *m.allowed < *m.online)
    causes.push_back(
        fmt::format("the training may use {:.0f} of {:.0f} CPUs ({})", *m.allowed, *m.online, m.allowed_by));
}

void add_causes(Report& report, const Case& c, const Finding& finding) {
  const Measures& m = c.m;
  auto& causes = report.causes;
  if (finding.too_many_workers)
    causes.push_back(
        fmt::format("{} workers on {:.3g} CPUs are too many", m.workers, m.allowed_with_quota().value_or(0)));
  if (m.steal.value_or(0) > 0.05)
    causes.push_back(fmt::format(
        "the hypervisor takes {:.0f} % of the CPU time: a neighbour on the same host", 100 * *m.steal));
  for (const Quota& quota : m.quotas)
    if (finding.verdict != Verdict::quota_throttled && quota.throttled_share.value_or(0) > 0.05)
      causes.push_back(fmt::format("cgroup {} is throttled in {:.0f} % of its periods (quota {:.3g} CPUs)",
                                   quota.path, 100 * *quota.throttled_share, quota.cpus));
  if (finding.verdict != Verdict::narrow_affinity) note_fewer_cpus(m, causes);
  if (c.io.refaults_per_s.value_or(0) > 100 && c.io.summary.cache_hit_share.value_or(1) < 0.9)
    causes.push_back(
        "the memory limit throws out pages that are read again: the page cache is too small for the data");
  if (c.watched && c.seen.sign == TrainingSeen::Sign::likely)
    causes.push_back(
        "no GPU was seen with it and no loader that is known: it is taken for a training because it reads "
        "and "
        "works");
  if (c.window.ended) causes.push_back("the training ended while it was watched");
  if (c.window.warm_up_left_out && !c.no_training())
    causes.push_back("the training's warm-up is left out of the rates");
  if (finding.verdict == Verdict::noisy_neighbour && other_ranks(c))
    causes.push_back(
        "other processes hold GPUs here: they may be ranks of this training; watch their launcher instead");
  const auto stall = m.stall();
  if (m.busy && stall && m.idle() > 0.2 && m.idle() - *stall > 0.15 &&
      finding.verdict != Verdict::main_thread && finding.verdict != Verdict::hang)
    causes.push_back(fmt::format("the GPU idles {:.0f} % of the time beyond what the training waits for data",
                                 100 * (m.idle() - *stall)));
  for (const GpuCurve* curve : c.training) {
    const std::optional<int> n = curve->slow_one_in;
    if (!n || (c.watched && (m.kind != WorkerKind::processes || m.workers != *n))) continue;
    causes.push_back(fmt::format(
        "one step in {} is long, as {} workers make it that deliver in order and take longer than {} steps",
        *n, *n, *n));
    break;
  }
  const bool jpeg_idle = std::ranges::any_of(c.training, [](const GpuCurve* curve) {
    return !curve->seen.empty() && curve->seen.back()->jpeg_percent && *curve->seen.back()->jpeg_percent < 1;
  });
  if (jpeg_idle && (finding.verdict == Verdict::cpu_bound || finding.verdict == Verdict::quota_throttled))
    causes.push_back("the GPU's JPEG engine is idle: DALI's device=\"mixed\" decodes on it");
}

void add_cost(Report& report, const Case& c, const std::optional<UnusedGpus>& unused) {
  if (!c.options.price_per_hour) return;
  Cost cost{.per_hour = *c.options.price_per_hour,
            .lost_per_hour = {},
            .currency = c.options.currency,
            .prices_dated = c.options.prices_dated};
  const double gone = unused ? unused->share : 0;
  if (report.verdict == Verdict::hang)
    cost.lost_per_hour = cost.per_hour;
  else if (report.stall_share)
    cost.lost_per_hour = cost.per_hour * (gone + (1 - gone) * *report.stall_share);
  else if (unused)
    cost.lost_per_hour = cost.per_hour * gone;
  else if (report.verdict == Verdict::data_bound && c.m.busy)  // by its curve: what it idles it waits
    cost.lost_per_hour = cost.per_hour * c.m.idle();
  else
    cost.lost_per_hour = Reading<double>::unknown("how long the training waits for data is not known");
  report.cost = cost;
}

void fill_common(Report& report, const Case& c) {
  for (const GpuCurve& curve : c.curves) report.gpus.push_back(curve.summary);
  report.cpu = cpu_summary(c.m);
  report.io = c.io.summary;
  report.seconds = c.m.seconds;
  report.unknown = unknowns_of(c.trace, c.m, c.watched);
  report.evidence = evidence_of(c.m, c.io, c.speed);
  if (c.no_training())
    std::erase_if(report.evidence, [](const Evidence& one) { return one.what == kWaitsForData; });
  report.images_per_s = c.speed.images_per_s;
  report.images_per_s_about = c.speed.about;
  report.stall_share = reading(c.watched && !c.no_training() ? c.m.stall() : std::nullopt,
                               c.no_training() ? "no training is to be seen"
                               : c.watched     ? "the main thread's states were not seen"
                                               : "no process was watched");
  if (c.watched && !c.speed.images_per_s) report.unknown.push_back({"images/s", c.speed.images_per_s.why()});
}

void append(std::vector<std::string>& to, const std::vector<std::string>& from) {
  for (const std::string& text : from)
    if (std::ranges::find(to, text) == to.end()) to.push_back(text);
}

// Limits and counters since boot are certain at once; rates are not.
void one_snapshot(Report& report, const Case& c) {
  for (const CgroupLevel& level : c.trace.snapshots.back().cgroups)
    if (level.quota_cpus && level.periods && *level.periods > 0 && level.throttled_periods)
      report.causes.push_back(fmt::format(
          "cgroup {} (quota {:.3g} CPUs) was throttled in {:.0f} % of its periods since it began", level.path,
          *level.quota_cpus,
          100.0 * static_cast<double>(*level.throttled_periods) / static_cast<double>(*level.periods)));
  note_fewer_cpus(c.m, report.causes);
  report.verdict = Verdict::unknown;
  const std::string why =
      c.training.empty() ? "one look tells no rates; watch for some seconds"
                         : fmt::format("at that one moment the GPU was {:.0f} % busy; watch for some seconds",
                                       c.training.front()->samples.back().percent);
  report.summary = summary_of(report, why, c.training.size(), std::nullopt);
}

// Unused GPUs come first, unless others work on this machine too: then they may be others' to use.
void put_unused_first(const UnusedGpus& unused, Finding& finding, std::vector<Fix>& fixes, Report& report) {
  if (finding.verdict == Verdict::hang) return;
  append(report.causes, unused.causes);
  const bool partly = unused.share < 1;
  if (partly && unused.shared && finding.verdict != Verdict::gpu_bound) {
    report.causes.push_back(unused.why);
    return;
  }
  // What the used GPUs suffer from is said beside it.
  if (partly && finding.verdict != Verdict::unknown)
    report.causes.push_back(fmt::format("{}: {}", to_string(finding.verdict), finding.why));
  if (!partly) fixes.clear();
  fixes.insert(fixes.begin(), unused.fixes.begin(), unused.fixes.end());
  finding = {.verdict = Verdict::gpu_unused, .margin = 0.8, .why = unused.why};
}

Finding no_training(const TrainingSeen& seen) {
  return {.verdict = Verdict::unknown,
          .margin = 0,
          .why = fmt::format("no training is to be seen: {}, and neither a GPU nor a data loader is at work",
                             seen.instead)};
}

Report report_of(const Case& c) {
  Report report;
  fill_common(report, c);
  if (c.trace.snapshots.empty()) {
    report.summary = summary_of(report, "the trace is empty", 0, std::nullopt);
    report.unknown.push_back({"everything", "the trace holds no snapshot"});
    return report;
  }
  if (c.trace.snapshots.size() < 2) {
    one_snapshot(report, c);
    return report;
  }
  const GpuCauses busy = causes_of_busy(c.training);
  const bool shares = !c.watched && look_like_shares(c.curves);
  const std::optional<UnusedGpus> unused = shares ? std::nullopt : find_unused(c.trace, c.curves, c.m);
  Finding finding = c.no_training() ? no_training(c.seen)
                    : c.watched     ? decide(c.m, c.tail, c.io, c.trace.probe)
                                    : decide_by_curves(c.trace, c.curves, busy);
  std::vector<Fix> fixes = finding.verdict == Verdict::gpu_bound
                               ? fixes_for_busy(busy)
                               : fixes_for(finding, {.pid = c.trace.pid,
                                                     .m = c.m,
                                                     .io = c.io,
                                                     .images_per_s = c.speed.images_per_s,
                                                     .probe = c.trace.probe});
  if (unused) put_unused_first(*unused, finding, fixes, report);
  report.verdict = finding.verdict;
  report.fixes = std::move(fixes);
  report.confidence = confidence_of(finding, c);
  append(report.causes, busy.causes);
  for (const NotSeen& contradiction : busy.contradictions) {
    report.unknown.push_back(contradiction);
    report.causes.push_back(contradiction.why);
    report.confidence *= 0.6;
  }
  add_causes(report, c, finding);
  add_cost(report, c, unused);
  report.summary = summary_of(report, finding.why, c.training.size(), c.m.busy);
  return report;
}

}  // namespace
}  // namespace doctor

Report diagnose(const Trace& trace, const DiagnoseOptions& options) {
  return doctor::report_of(doctor::Case(trace, options));
}

}  // namespace stoker
