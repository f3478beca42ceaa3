#include "doctor/rules.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "doctor/rates.hpp"

namespace stoker::doctor {

namespace {

// The rules' thresholds, in their order.
constexpr double kStoppedShare = 0.02;
constexpr double kIdleLeast = 0.08;
constexpr double kIdleUnexplained = 0.3;
constexpr double kStallLeast = 0.05;
constexpr double kMainCpuLeast = 0.05;
constexpr double kMainWorksMost = 0.5;
constexpr double kThrottledPeriods = 0.25;
constexpr double kThrottledCpus = 0.05;
constexpr double kIoShare = 0.4;
constexpr int kThreadsOfAWorker = 3;
constexpr double kRunnableOver = 1.5;
constexpr double kAffinityUsed = 0.8;
constexpr double kOthers = 0.3;
constexpr double kDelayed = 0.15;
constexpr double kFree = 0.25;
constexpr double kAllUsed = 0.85;
constexpr double kWorkersOver = 2;
constexpr double kWorkerBusy = 0.75;

// Keeps how near the evidence came to a threshold: the verdict is as sure as the nearest of them is far.
class Nearness {
 public:
  bool above(double value, double threshold) {
    note(value, threshold);
    return value > threshold;
  }
  bool below(double value, double threshold) {
    note(value, threshold);
    return value < threshold;
  }
  double margin() const { return margin_; }

 private:
  void note(double value, double threshold) {
    margin_ = std::min(margin_, std::abs(value - threshold) / std::max(threshold, 1e-9));
  }
  double margin_ = 1;
};

std::string workers_text(const Measures& m) {
  if (m.kind == WorkerKind::none) return "the training";
  const char* what = m.kind == WorkerKind::processes ? "worker" : "loader thread";
  if (m.workers == 1) return fmt::format("the one {}", what);
  if (m.workers == 2) return fmt::format("both {}s", what);
  return fmt::format("all {} {}s", m.workers, what);
}

std::string percent(double x) { return fmt::format("{:.0f} %", 100 * x); }

const Quota* throttling(const Measures& m) {
  const Quota* worst = nullptr;
  for (const Quota& quota : m.quotas)
    if (!worst || quota.throttled_cpus.value_or(0) > worst->throttled_cpus.value_or(0)) worst = &quota;
  return worst;
}

// Nothing moves: no kernel, no CPU, no image, and the main thread waits.
bool nothing_moves(const Measures& tail) {
  if (tail.kind == WorkerKind::none || tail.seconds < 4) return false;
  const bool waits = tail.main_waits.value_or(0) + tail.main_socket.value_or(0) > 0.9;
  return waits && tail.busy.value_or(0) < 0.005 && tail.workers_cpu.value_or(1) < 0.01 &&
         tail.main_cpu.value_or(1) < 0.02 && tail.worker_io.value_or(0) < 0.05;
}

Finding hang(const Measures& m, const Measures& tail) {
  const double stopped = std::max(m.worker_stopped.value_or(0), tail.worker_stopped.value_or(0));
  const double margin = std::min(1.0, stopped / kStoppedShare - 1);
  if (stopped > kStoppedShare)
    return {.verdict = Verdict::hang,
            .margin = margin,
            .why = m.workers > 1
                       ? "a worker is stopped (state T), and as batches come in order all wait for it"
                       : "the worker is stopped (state T)"};
  return {.verdict = Verdict::hang,
          .margin = 0.5,
          .why = "neither GPU nor workers nor the main thread do anything"};
}

// What the main thread does all the time. One that loads its data itself, over a network, waits for storage.
Finding works_itself(const Measures& m, double margin) {
  const bool alone = m.kind == WorkerKind::none;
  const double io = m.main_io.value_or(0), network = m.main_network.value_or(0);
  Finding finding{.verdict = Verdict::main_thread, .margin = margin, .why = {}};
  if (io <= m.main_cpu.value_or(0)) {
    finding.why =
        fmt::format("the main thread itself computes {} of the time", percent(share(m.main_cpu.value_or(0))));
  } else if (network > io / 2) {
    if (alone) finding.verdict = Verdict::io_wait;
    finding.why = fmt::format("the main thread waits at a network socket {} of the time", percent(network));
  } else {
    finding.why = fmt::format("the main thread is in its own files {} of the time", percent(io));
  }
  if (alone) finding.why += " and there are no workers";
  return finding;
}

// Rules 2 and 3: where nobody waits for data.
std::optional<Finding> not_for_data(const Measures& m, Nearness& near) {
  const auto stall = m.stall();
  const double main_works = m.main_cpu.value_or(0) + m.main_io.value_or(0);
  if (m.busy && near.below(m.idle(), kIdleLeast))
    return Finding{
        .verdict = Verdict::gpu_bound, .margin = near.margin(), .why = "the data waits for the GPU"};
  if (!stall) return std::nullopt;
  // Without sight of a GPU, a main thread that works now and then says nothing of what it waits for.
  if (*stall < kStallLeast && main_works < (m.busy ? kMainCpuLeast : kMainWorksMost)) {
    // Without sight of a GPU, workers that feed something speak for one.
    if (!m.busy && m.kind != WorkerKind::none)
      return Finding{.verdict = Verdict::gpu_bound,
                     .margin = 0.2,
                     .why = "the training waits neither for data nor for a CPU, so for its GPU"};
    if (!m.busy)
      return Finding{.verdict = Verdict::unknown,
                     .margin = 0,
                     .why = "it waits neither for data nor for a CPU, and no GPU could be seen"};
    if (m.idle() < kIdleUnexplained)
      return Finding{.verdict = Verdict::gpu_bound,
                     .margin = near.margin(),
                     .why = "the training hardly ever waits for data"};
    return Finding{.verdict = Verdict::unknown,
                   .margin = 0,
                   .why = "the training waits, but neither for data nor for a CPU"};
  }
  const double idle = m.busy ? m.idle() : 1;
  if (near.below(*stall, 0.5 * idle) && near.above(main_works, 0.5 * idle)) {
    return works_itself(m, near.margin());
  }
  return std::nullopt;
}

std::optional<Finding> throttled(const Measures& m, Nearness& near) {
  const Quota* quota = throttling(m);
  if (!quota || !quota->throttled_share) return std::nullopt;
  const bool periods = near.above(*quota->throttled_share, kThrottledPeriods);
  if (!periods || quota->throttled_cpus.value_or(1) <= kThrottledCpus) return std::nullopt;
  return Finding{
      .verdict = Verdict::quota_throttled,
      .margin = near.margin(),
      .why = fmt::format("{} {} throttled by a CPU quota of {:.3g} CPUs (cgroup {}) in {} of its periods",
                         workers_text(m), m.workers < 2 ? "is" : "are", quota->cpus, quota->path,
                         percent(*quota->throttled_share))};
}

std::optional<Finding> waits_for_storage(const Measures& m, const IoMeasures& io,
                                         const std::optional<ProbeSeen>& probe, Nearness& near) {
  if (!m.worker_io) return std::nullopt;
  const double works = m.worker_cpu.value_or(0) + m.worker_delay.value_or(0);
  const bool most = *m.worker_io > works && *m.worker_io > 0.1;
  if (!most && !near.above(*m.worker_io, kIoShare)) return std::nullopt;
  const Verdict verdict = kind_of_wait(io, probe, m.workers);
  const std::string from = io.summary.mount.empty() ? io.summary.device : io.summary.mount;
  std::string why =
      fmt::format("{} wait{} for storage {} of the time{}", workers_text(m), m.workers == 1 ? "s" : "",
                  percent(*m.worker_io), from.empty() ? "" : " (" + from + ")");
  if (verdict == Verdict::io_bandwidth)
    why += io.limit_reached
               ? fmt::format(", which delivers all that the limit allows ({})", io.summary.limited_by)
               : ", which delivers all it can";
  if (verdict == Verdict::io_latency) why += ", which could deliver more: each read waits long";
  return Finding{.verdict = verdict, .margin = near.margin(), .why = std::move(why)};
}

// Rules 6 to 8: CPUs that are there and do not reach the workers.
std::optional<Finding> cpus_elsewhere(const Measures& m, Nearness& near) {
  const double allowed = m.allowed.value_or(0);
  if (m.threads_per_worker > kThreadsOfAWorker && m.runnable && m.runnable_beside && allowed > 0 &&
      *m.runnable_beside > 0.3 * *m.runnable && near.above(*m.runnable, kRunnableOver * allowed))
    return Finding{.verdict = Verdict::oversubscribed,
                   .margin = near.margin(),
                   .why = fmt::format(
                       "{:.0f} threads of the workers want to run on {:.0f} CPUs ({} threads in a worker)",
                       *m.runnable, allowed, m.threads_per_worker)};
  if (m.allowed && m.online && *m.allowed < *m.online && m.job_cpu &&
      near.above(*m.job_cpu, kAffinityUsed * allowed))
    return Finding{
        .verdict = Verdict::narrow_affinity,
        .margin = near.margin(),
        .why = fmt::format("the training may use {:.0f} of {:.0f} CPUs only ({}) and they are busy", allowed,
                           *m.online, m.allowed_by)};
  if (m.others_cpu && near.above(*m.others_cpu, kOthers)) {
    const bool alone = m.kind == WorkerKind::none;
    const std::optional<double>& delay = alone ? m.main_delay : m.worker_delay;
    const bool delayed = delay && near.above(*delay, kDelayed);
    if (delayed || (m.free_cpu && *m.free_cpu < kFree))
      return Finding{
          .verdict = Verdict::noisy_neighbour,
          .margin = near.margin(),
          .why = fmt::format(
              "other processes use {:.1f} of the {:.0f} CPUs{}", *m.others_cpu, m.online.value_or(0),
              delay
                  ? fmt::format(" and {} for one {} of the time",
                                alone ? "the main thread waits" : "the workers wait", percent(share(*delay)))
                  : "")};
  }
  return std::nullopt;
}

// Rules 9 and 10: all CPUs are busy, or the workers are.
std::optional<Finding> cpus_or_workers(const Measures& m, Nearness& near) {
  const double allowed = m.allowed_with_quota().value_or(0);
  const bool used = m.job_cpu && allowed > 0 && near.above(*m.job_cpu, kAllUsed * allowed);
  if (used || (m.free_cpu && *m.free_cpu < kFree)) {
    const bool quota = used && m.allowed && allowed < *m.allowed;
    Finding finding{.verdict = quota ? Verdict::quota_throttled : Verdict::cpu_bound,
                    .margin = near.margin()};
    finding.too_many_workers = m.workers > kWorkersOver * allowed;
    finding.why = quota ? fmt::format("the training uses all of a CPU quota of {:.3g} CPUs (cgroup {})",
                                      allowed, m.quotas.front().path)
                        : fmt::format("the training's {:.1f} CPUs are all that it may use ({:.3g})",
                                      m.job_cpu.value_or(0), allowed);
    return finding;
  }
  if (m.worker_cpu && near.above(*m.worker_cpu, kWorkerBusy))
    return Finding{.verdict = Verdict::too_few_workers,
                   .margin = near.margin(),
                   .why = fmt::format(
                       "{} {} busy all the time, and {} free", workers_text(m), m.workers == 1 ? "is" : "are",
                       m.free_cpu ? fmt::format("{:.1f} CPUs are", *m.free_cpu) : "CPUs may be")};
  return std::nullopt;
}

}  // namespace

Finding decide(const Measures& m, const Measures& tail, const IoMeasures& io,
               const std::optional<ProbeSeen>& probe) {
  if (std::max(m.worker_stopped.value_or(0), tail.worker_stopped.value_or(0)) > kStoppedShare ||
      nothing_moves(tail))
    return hang(m, tail);
  Nearness near;
  if (auto finding = not_for_data(m, near)) return *finding;
  const auto stall = m.stall();
  if (!stall && !m.busy)
    return {
        .verdict = Verdict::unknown, .margin = 0, .why = "neither the GPU nor the main thread could be seen"};
  if (auto finding = throttled(m, near)) return *finding;
  if (auto finding = waits_for_storage(m, io, probe, near)) return *finding;
  if (auto finding = cpus_elsewhere(m, near)) return *finding;
  if (auto finding = cpus_or_workers(m, near)) return *finding;
  if (m.kind == WorkerKind::none && !stall)
    return {.verdict = Verdict::data_bound, .margin = 0, .why = "what it waits for is not visible"};
  return {.verdict = Verdict::data_bound, .margin = 0, .why = "why the data comes late is not visible"};
}

}  // namespace stoker::doctor
