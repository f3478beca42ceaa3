#include "doctor/training_seen.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>

#include "doctor/rates.hpp"
#include "doctor/roles.hpp"

namespace stoker::doctor {

namespace {

constexpr double kWorks = 0.05;            // CPUs: below it nothing is prepared
constexpr double kReadsChars_per_s = 1e5;  // a handful of images a second
constexpr double kReceives_per_s = 1e5;
constexpr std::int64_t kLoaderPoll_ms = 5000;  // PyTorch's, of main thread and workers alike

// A GPU whose driver lists the training, or lists nobody whom we could know.
bool may_hold(const GpuCurve& curve) {
  if (curve.ours || (curve.used() && !curve.listed)) return true;
  if (!curve.used()) return false;
  return std::ranges::any_of(curve.seen, [](const GpuSeen* gpu) {
    return gpu->processes &&
           std::ranges::any_of(*gpu->processes, [](const GpuProcess& process) { return !process.here; });
  });
}

bool is_loaders_name(std::string_view name) {
  constexpr std::array<std::string_view, 7> kNames = {"pt_data_", "DALI",  "[DALI]", "tf_data",
                                                      "mxnet",    "MXNet", "stoker-"};
  return std::ranges::any_of(kNames, [name](std::string_view begin) { return name.starts_with(begin); });
}

bool polls_as_a_loader(const ThreadsSeen& threads) {
  return std::ranges::any_of(threads.tallies, [](const ThreadTally& tally) {
    return tally.timeout_ms == kLoaderPoll_ms && (tally.target == "pipe" || tally.target == "unix_socket");
  });
}

bool shows_a_loader(const Snapshot& snapshot) {
  if (!snapshot.loaders.empty()) return true;
  return std::ranges::any_of(snapshot.processes, [](const ProcessSeen& process) {
    return is_loaders_name(process.name) ||
           std::ranges::any_of(process.threads, [](const ThreadsSeen& threads) {
             return is_loaders_name(threads.name) || polls_as_a_loader(threads);
           });
  });
}

// Of the languages that trainings are written in: a compiler or a copy reads and works as well.
bool is_python(const Snapshot& snapshot) {
  const Roles roles = roles_of(snapshot);
  return std::ranges::any_of(roles.mains, [&snapshot](std::size_t i) {
    const ProcessSeen& process = snapshot.processes[i];
    const auto has = [&process](std::string_view word) {
      return process.name.find(word) != std::string::npos || process.command.find(word) != std::string::npos;
    };
    return has("python") || has("julia");
  });
}

// What comes in over all networks, the machine's own talk with itself apart.
double received_per_s(const Trace& trace, const Window& window) {
  Growth bytes;
  for (std::size_t i = window.first + 1; i <= window.last; ++i)
    for (const NetworkSeen& before : trace.snapshots[i - 1].networks)
      for (const NetworkSeen& after : trace.snapshots[i].networks)
        if (before.name == after.name && after.name != "lo")
          bytes.add(static_cast<double>(before.received_bytes), static_cast<double>(after.received_bytes));
  return bytes.per(window.seconds()).value_or(0);
}

std::string instead_of_training(const Measures& m, bool reads) {
  const double waits = m.main_waits.value_or(0) + m.main_socket.value_or(0);
  const double net = m.main_network.value_or(0);
  const char* data = reads ? "reads files, as many programs do" : "reads no data to speak of";
  if (m.main_cpu.value_or(0) >= 0.5)
    return fmt::format("the process computes {:.0f} % of the time and {}", 100 * share(*m.main_cpu), data);
  if (net >= 0.5) return fmt::format("the process waits at a socket {:.0f} % of the time", 100 * share(net));
  if (m.job_cpu.value_or(0) >= kWorks)
    return fmt::format("what was watched uses {:.2g} CPUs and {}", *m.job_cpu, data);
  if (waits >= 0.5) return fmt::format("the process sleeps {:.0f} % of the time", 100 * share(waits));
  return "the process does next to nothing";
}

}  // namespace

TrainingSeen look_for_training(const Trace& trace, const Window& window, const std::vector<GpuCurve>& curves,
                               const Measures& m, const IoMeasures& io) {
  using Sign = TrainingSeen::Sign;
  if (std::ranges::any_of(curves, may_hold)) return {.sign = Sign::certain, .instead = {}};
  for (std::size_t i = window.first; i <= window.last && i < trace.snapshots.size(); ++i)
    if (shows_a_loader(trace.snapshots[i])) return {.sign = Sign::certain, .instead = {}};
  const Snapshot& last = trace.snapshots[window.last];
  const double worker_works = m.workers_cpu.value_or(0) + m.worker_io.value_or(0) * m.workers +
                              m.worker_delay.value_or(0) * m.workers + m.worker_stopped.value_or(0);
  if (m.kind == WorkerKind::processes && is_python(last) && worker_works > kWorks)
    return {.sign = Sign::likely, .instead = {}};
  const double works = m.job_cpu.value_or(0) + m.main_delay.value_or(0);
  const bool reads = io.summary.read_chars_per_s.value_or(0) > kReadsChars_per_s;
  const bool receives =
      m.main_network.value_or(0) > kWorks && received_per_s(trace, window) > kReceives_per_s;
  if (is_python(last) && works > kWorks && (reads || receives)) return {.sign = Sign::likely, .instead = {}};
  return {.sign = Sign::none, .instead = instead_of_training(m, reads)};
}

}  // namespace stoker::doctor
