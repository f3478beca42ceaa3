#include "doctor/fixes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>

#include "doctor/how.hpp"
#include "doctor/predict.hpp"
#include "doctor/rates.hpp"

namespace stoker::doctor {

namespace {

constexpr int kMostWaitingWorkers = 64;  // that mostly wait: more than CPUs, not without end
constexpr double kSpins = 0.8;           // of the GPU's time on a CPU: the main thread waits for it so
constexpr double kMostTimes = 20;        // near a stall of 1: what the consumer could take is not visible
constexpr double kMostSaved = 0.9;       // of a decode, by smaller images
constexpr double kStokerOverhead = 0.1;  // delivery and reading, of the decode time

class Planner {
 public:
  Planner(const Finding& finding, const FixInput& in) : finding_(finding), in_(in), m_(in.m) {
    stall_ = m_.stall();
    limit_ = stall_ ? consumer_limit(*stall_) : m_.busy ? 1 / std::max(1e-3, *m_.busy) : 1;
  }

  std::vector<Fix> plan();

 private:
  // A synchronise that spins loses nothing by giving way: where all CPUs are wanted it has its fair share of
  // them, beside as many workers.
  double main_cpus_needed(double cpus) const {
    const double all = m_.main_cpu.value_or(0);
    const double busy = m_.busy.value_or(0);
    const double spins = all >= kSpins * busy ? std::min(all, busy) : 0;
    return (all - spins + spins * cpus / (cpus + 1)) * std::max(1, m_.mains);
  }
  // Today's producers, on `cpus` that the training may use less what others take.
  Producers producers(std::optional<double> cpus, double others) const {
    const double used = m_.workers_cpu.value_or(0) + m_.main_cpus();
    double free = cpus.value_or(used);
    if (m_.online) free = std::min(free, *m_.online - others);
    free = in_units_of_cores(free);
    // What it gets today it can have.
    return {.cpu = m_.workers_cpu.value_or(0),
            .main_cpu = main_cpus_needed(std::max(free, 1.0)),
            .waits = 0,
            .cpus = std::max(free, used)};
  }
  // Two hyper-threads of a core do less than twice as much, where it was measured how much less.
  double in_units_of_cores(double cpus) const {
    if (!in_.probe || !in_.probe->second_thread_gain || !m_.cores || cpus <= *m_.cores) return cpus;
    return *m_.cores + (cpus - *m_.cores) * std::clamp(*in_.probe->second_thread_gain - 1, 0.0, 1.0);
  }
  // Beyond what cores alone do, an estimate is an upper bound unless that was measured.
  GainLabel estimate(const Producers& p, double rate) const {
    const bool measured = in_.probe && in_.probe->second_thread_gain;
    const bool needs_hyper_threads =
        m_.cores && m_.online && *m_.cores < *m_.online && (p.cpu + p.main_cpu) * rate + others() > *m_.cores;
    return needs_hyper_threads && !measured ? GainLabel::up_to : GainLabel::estimate;
  }
  Producers today() const { return producers(m_.allowed_with_quota(), others()); }
  double others() const { return m_.others_cpu.value_or(0); }
  bool known() const { return m_.workers_cpu.has_value() && stall_.has_value(); }
  int workers() const { return std::max(1, m_.workers); }

  void add(std::string what, Hows how, std::optional<double> rate, GainLabel label, std::string why = {}) {
    Fix fix{.what = std::move(what),
            .how = std::move(how),
            .predicted_gain = {},
            .predicted_images_per_s = {},
            .label = label};
    if (rate && *rate > kMostTimes) {
      rate.reset();
      why = "the training waits nearly all the time: what it could take is not visible";
    }
    if (rate) {
      fix.predicted_gain = std::max(0.0, *rate - 1);
      fix.predicted_images_per_s =
          in_.images_per_s ? Reading<double>(*in_.images_per_s * std::max(1.0, *rate)) : in_.images_per_s;
    } else {
      fix.label = GainLabel::unknown;
      fix.predicted_gain =
          Reading<double>::unknown(why.empty() ? "too little was seen to predict it" : std::move(why));
      fix.predicted_images_per_s = fix.predicted_gain;
    }
    fixes_.push_back(std::move(fix));
  }

  // With as many workers as now, and limit `consumer` where another is not given.
  std::optional<double> rate(const Producers& p) const {
    if (!known()) return std::nullopt;
    return soft_minimum(limit_, producer_limit(p, workers()));
  }
  // As far as the consumer goes, whatever the producers cost then.
  std::optional<double> most() const { return stall_ ? std::optional(limit_) : std::nullopt; }

  void more_workers();
  void lift_quota();
  void cheaper_decode();
  void all_cpus();
  void no_neighbour();
  void more_cpus();
  void one_thread_each();
  void fewer_workers();
  void storage(Verdict kind);
  void waiting_workers(GainLabel label);
  void main_thread();
  void hang();
  void watch();

  const Finding& finding_;
  const FixInput& in_;
  const Measures& m_;
  std::optional<double> stall_;
  double limit_ = 1;
  std::vector<Fix> fixes_;
};

void Planner::more_workers() {
  const Producers p = today();
  const double allowed = m_.allowed_with_quota().value_or(workers() + 1);
  const int cpus = std::max(1, whole(allowed + 1e-6));
  if (!known()) {
    const int guess = std::max(workers() + 1, cpus);
    add(fmt::format("more workers: {} → {}", m_.workers, guess), how_workers(m_, guess), std::nullopt,
        GainLabel::unknown);
    return;
  }
  int enough = enough_workers(p, limit_, workers(), std::max(workers(), cpus), false);
  if (enough <= workers()) {
    cheaper_decode();
    return;
  }
  // A thread that idles costs next to nothing, and a second hyper-thread of a core brings less than the
  // first: twice what the estimate needs, to a power of two.
  if (m_.kind == WorkerKind::threads)
    enough =
        std::min(std::max(enough, cpus), static_cast<int>(std::bit_ceil(2U * static_cast<unsigned>(enough))));
  const double rate = soft_minimum(limit_, producer_limit(p, enough));
  add(fmt::format("more {}: {} → {}", m_.kind == WorkerKind::processes ? "workers" : "loader threads",
                  workers(), enough),
      how_workers(m_, enough), rate, estimate(p, rate));
}

void Planner::lift_quota() {
  const auto worst = std::ranges::max_element(
      m_.quotas, {}, [](const Quota& quota) { return quota.throttled_cpus.value_or(0); });
  if (worst == m_.quotas.end()) return;
  std::optional<double> next = m_.allowed;
  std::string behind;
  for (const Quota& quota : m_.quotas)
    if (quota.path != worst->path && (!next || quota.cpus < *next)) {
      next = quota.cpus;
      behind = fmt::format("; the next is {:.3g} CPUs (cgroup {})", quota.cpus, quota.path);
    }
  const Producers p = producers(next, others());
  const double needed = std::ceil((p.cpu + p.main_cpu) * limit_ + 0.5);
  add(fmt::format("no CPU quota of {:.3g} CPUs on cgroup {}{}", worst->cpus, worst->path, behind),
      how_quota(*worst, fmt::format("{:.0f}", std::max(1.0, next ? std::min(*next, needed) : needed))),
      rate(p), estimate(p, rate(p).value_or(1)));
}

void Planner::cheaper_decode() {
  const auto& probe = in_.probe;
  std::optional<double> smaller, stokers;
  const bool probed = probe && probe->decode_ms;
  if (known() && in_.images_per_s && probed) {
    Producers p = today();
    const double now = p.cpu;
    if (probe->decode_small_ms) {
      // What a smaller image saves, at most nine tenths of what there is.
      p.cpu = std::max((1 - kMostSaved) * now,
                       now - *in_.images_per_s * (*probe->decode_ms - *probe->decode_small_ms) / 1e3);
      smaller = rate(p);
    }
    if (probe->stoker_ms) {
      p.cpu = std::min(now, *in_.images_per_s * *probe->stoker_ms / 1e3 * (1 + kStokerOverhead));
      stokers = soft_minimum(limit_, producer_limit(p, p.cpus));
    }
  }
  // Unprobed, the GPU that is seen to idle bounds it, and nothing else.
  const auto bound = m_.busy ? most() : std::nullopt;
  const std::string why = probed ? "" : "--probe tells: it decodes some of the files";
  add(fmt::format("images packed at a short side of 256: cheaper to decode{}",
                  probed ? "" : ", --probe tells by how much"),
      how_smaller_images(m_), smaller ? smaller : bound, smaller ? GainLabel::estimate : GainLabel::up_to,
      why);
  if (m_.kind != WorkerKind::stoker)
    add("Stoker's loader in the place of this one", how_stokers_loader(), stokers ? stokers : bound,
        GainLabel::up_to, why);
}

void Planner::all_cpus() {
  std::optional<double> cpus = m_.online;
  if (!m_.quotas.empty() && cpus) cpus = std::min(*cpus, m_.quotas.front().cpus);
  const int online = whole(m_.online.value_or(0));
  const Producers p = producers(cpus, others());
  add(fmt::format("all {} CPUs in the place of {:.0f} ({})", online, m_.allowed.value_or(0), m_.allowed_by),
      how_all_cpus(in_.pid, online, m_.allowed_by), rate(p), GainLabel::estimate);
  if (!known()) return;
  const int enough = enough_workers(p, limit_, workers(), std::max(workers(), online), false);
  if (enough > workers())
    add(fmt::format("all {} CPUs, and more workers: {} → {}", online, workers(), enough),
        how_workers(m_, enough), soft_minimum(limit_, producer_limit(p, enough)), GainLabel::estimate);
}

void Planner::no_neighbour() {
  add(fmt::format("the CPUs to itself: other processes use {:.1f}", others()), how_neighbour(in_.pid),
      rate(producers(m_.allowed_with_quota(), 0)), GainLabel::estimate);
}

void Planner::more_cpus() {
  const double needed = (m_.workers_cpu.value_or(0) + m_.main_cpus()) * limit_;
  add(fmt::format("more CPUs: about {:.0f} would feed the GPU", std::ceil(needed)),
      {{"shell", "a machine with more CPUs for each GPU"}}, m_.busy ? most() : std::nullopt, GainLabel::up_to,
      "no GPU was seen: what it could take is not known");
}

void Planner::one_thread_each() {
  add("one thread in each worker", how_one_thread_each(), std::nullopt, GainLabel::unknown,
      "at least 0: how much threads cost each other is not visible from outside");
}

void Planner::fewer_workers() {
  const int fewer = std::max(1, whole(m_.allowed_with_quota().value_or(1)));
  if (fewer < workers())
    add(fmt::format("fewer workers: {} → {}", workers(), fewer), how_workers(m_, fewer), std::nullopt,
        GainLabel::unknown, "at least 0: what switching between them costs is not visible from outside");
}

// Workers that wait long: more of them, queued for the CPUs.
void Planner::waiting_workers(GainLabel label) {
  if (!known() || !m_.worker_io) {
    add(fmt::format("more workers: {} → {}", workers(), 2 * workers()), how_workers(m_, 2 * workers()),
        std::nullopt, GainLabel::unknown);
    return;
  }
  Producers p = today();
  p.waits = *m_.worker_io * workers();
  const int most = std::min(kMostWaitingWorkers, std::max(2 * workers(), whole(8 * p.cpus)));
  const int enough = enough_workers(p, limit_, workers(), std::max(workers(), most), true);
  if (enough <= workers()) return;
  add(fmt::format("more workers, so that more reads are under way: {} → {}", workers(), enough),
      how_workers(m_, enough), soft_minimum(limit_, queued_limit(p, enough)), label);
}

void Planner::storage(Verdict kind) {
  const IoMeasures& io = in_.io;
  if (m_.kind == WorkerKind::none) {
    main_thread();
    add("fewer bytes an image, a cache, or a faster store", how_faster_store(), std::nullopt,
        GainLabel::unknown, "how long each read of the main thread waits is not visible");
    return;
  }
  if (kind == Verdict::io_latency) waiting_workers(GainLabel::estimate);
  if (kind == Verdict::io_bandwidth && io.limit_reached)
    add(fmt::format("no limit on reading: {}", io.summary.limited_by),
        how_io_limit(io.limit_level, io.limit_device, io.limit_of_bytes, io.limit_version), rate(today()),
        GainLabel::up_to);
  if (kind == Verdict::io_wait) waiting_workers(GainLabel::up_to);
  add(kind == Verdict::io_latency ? "records packed into few large files: one read brings many images"
                                  : "fewer bytes an image, a cache, or a faster store",
      how_faster_store(), rate(today()), GainLabel::up_to);
  if (kind == Verdict::io_wait)
    add("find out which it is: bandwidth or latency",
        {{"shell", "stoker doctor --probe reads the data set with 1 and 4 readers"}}, std::nullopt,
        GainLabel::unknown, "it tells, and changes nothing");
}

void Planner::main_thread() {
  Producers p = today();
  p.main_cpu = 0;
  const double consumer = m_.busy ? 1 / std::max(1e-3, *m_.busy) : limit_;
  std::optional<double> rate;
  if (m_.kind == WorkerKind::none)
    rate = m_.busy ? std::optional(consumer) : std::nullopt;
  else if (known() && m_.busy)
    rate = soft_minimum(consumer, producer_limit(p, workers()));
  const int cpus = std::max(1, whole(m_.allowed_with_quota().value_or(2)));
  add(m_.kind == WorkerKind::none ? "workers that load the data beside the main thread"
                                  : "less work in the main thread",
      how_main_thread(m_, cpus), rate, GainLabel::up_to);
}

void Planner::hang() {
  const bool stopped = m_.worker_stopped.value_or(0) > 0;
  add(stopped ? "let the stopped worker go on" : "find where it stands, and start it again",
      how_stopped(in_.pid, stopped), std::nullopt, GainLabel::unknown,
      "nothing moves, so there is no rate to compare with");
}

void Planner::watch() {
  if (finding_.verdict == Verdict::data_bound || finding_.verdict == Verdict::cpu_bound)
    add("watch the training itself", {{"shell", "stoker doctor --pid PID, while it runs"}}, std::nullopt,
        GainLabel::unknown, "curves alone do not tell what would bring how much");
}

std::vector<Fix> Planner::plan() {
  if (m_.mains == 0) {
    watch();
    return std::move(fixes_);
  }
  switch (finding_.verdict) {
    case Verdict::too_few_workers:
      more_workers();
      break;
    case Verdict::quota_throttled:
      lift_quota();
      cheaper_decode();
      break;
    case Verdict::narrow_affinity:
      all_cpus();
      break;
    case Verdict::noisy_neighbour:
      no_neighbour();
      cheaper_decode();
      break;
    case Verdict::cpu_bound:
      cheaper_decode();
      more_cpus();
      if (finding_.too_many_workers) fewer_workers();
      break;
    case Verdict::oversubscribed:
      one_thread_each();
      fewer_workers();
      break;
    case Verdict::io_bandwidth:
    case Verdict::io_latency:
    case Verdict::io_wait:
      storage(finding_.verdict);
      break;
    case Verdict::main_thread:
      main_thread();
      break;
    case Verdict::hang:
      hang();
      break;
    case Verdict::data_bound:
      more_workers();
      break;
    default:
      break;
  }
  return std::move(fixes_);
}

}  // namespace

Fix without_gain(std::string what, std::vector<Fix::How> how, std::string why) {
  Fix fix;
  fix.what = std::move(what);
  fix.how = std::move(how);
  fix.predicted_gain = Reading<double>::unknown(std::move(why));
  fix.predicted_images_per_s = fix.predicted_gain;
  return fix;
}

std::vector<Fix> fixes_for(const Finding& finding, const FixInput& input) {
  return Planner(finding, input).plan();
}

}  // namespace stoker::doctor
