#include "train/advice.hpp"

#include <atomic>
#include <fmt/format.h>

namespace stoker::training {

namespace {

constexpr double kWorthTellingShare = 0.05;
constexpr double kWorthTellingS = 1;
// Workers that spend less than this share of their time at work wait for bytes.
constexpr double kBusy = 0.5;

const StageCounters& stage(const CountersFile& counters, Stage which) {
  return counters.stages[static_cast<std::size_t>(which)];
}

double nanoseconds(const std::atomic<std::uint64_t>& counter) {
  return static_cast<double>(counter.load(std::memory_order_relaxed));
}

}  // namespace

WaitEvidence wait_evidence(double wait_s, double wall_s, const CountersFile& counters, int decode_threads,
                           int allowed_cpus) {
  const StageCounters& decode = stage(counters, Stage::decode);
  const StageCounters& transform = stage(counters, Stage::transform);
  const double busy = nanoseconds(decode.busy_ns) + nanoseconds(transform.busy_ns);
  const double waiting = nanoseconds(decode.blocked_on_input_ns);
  return {.wait_s = wait_s,
          .wall_s = wall_s,
          .decode_busy_share = busy + waiting > 0 ? busy / (busy + waiting) : 1,
          .decode_threads = decode_threads,
          .allowed_cpus = allowed_cpus};
}

std::optional<std::string> wait_advice(const WaitEvidence& evidence) {
  if (evidence.wait_s < kWorthTellingS || evidence.wait_s <= kWorthTellingShare * evidence.wall_s)
    return std::nullopt;
  const std::string waited = fmt::format("the model waited for data {:.0f} % of the time: ",
                                         100 * evidence.wait_s / evidence.wall_s);
  if (evidence.decode_busy_share < kBusy)
    return waited + fmt::format(
                        "the decode workers waited for bytes {:.0f} % of theirs, so storage is the limit; "
                        "what helps is a "
                        "packed .rec (`stoker pack`) on a faster or local disk",
                        100 * (1 - evidence.decode_busy_share));
  if (evidence.decode_threads < evidence.allowed_cpus)
    return waited +
           fmt::format(
               "{} decode worker{} ran where {} CPUs may be used; what helps is a larger --data-nthreads, or "
               "smaller images (`stoker pack --resize-short N`)",
               evidence.decode_threads, evidence.decode_threads == 1 ? "" : "s", evidence.allowed_cpus);
  return waited + fmt::format(
                      "decoding takes all of the {} CPU{} that may be used; what helps is smaller images "
                      "(`stoker pack "
                      "--resize-short N`), or more CPUs",
                      evidence.allowed_cpus, evidence.allowed_cpus == 1 ? "" : "s");
}

}  // namespace stoker::training
