#include "doctor/loader_counters.hpp"

#include <algorithm>
#include <string_view>

#include "doctor/measures.hpp"
#include "doctor/rates.hpp"

namespace stoker::doctor {

namespace {

const LoaderStage* stage_of(const LoaderSeen& loader, std::string_view name) {
  const auto found = std::ranges::find(loader.stages, name, &LoaderStage::name);
  return found == loader.stages.end() ? nullptr : &*found;
}

// Calls each(before, after) for each loader that two snapshots in a row show.
template <class Each>
void each_pair(const Trace& trace, const Window& window, Each&& each) {
  for (std::size_t i = window.first + 1; i <= window.last && i < trace.snapshots.size(); ++i)
    for (const LoaderSeen& before : trace.snapshots[i - 1].loaders)
      for (const LoaderSeen& after : trace.snapshots[i].loaders)
        if (before.pid == after.pid && after.images >= before.images) each(before, after);
}

}  // namespace

std::optional<double> images_counted(const Trace& trace, const Window& window) {
  Growth images;
  each_pair(trace, window, [&images](const LoaderSeen& before, const LoaderSeen& after) {
    images.add(static_cast<double>(before.images), static_cast<double>(after.images));
  });
  const auto rate = images.per(window.seconds());
  return rate && *rate > 0 ? rate : std::nullopt;
}

void take_loader_counters(const Trace& trace, const Window& window, Measures& m) {
  Growth waited, no_input, no_output;
  each_pair(trace, window, [&](const LoaderSeen& before, const LoaderSeen& after) {
    const LoaderStage* consume[2] = {stage_of(before, "consume"), stage_of(after, "consume")};
    const LoaderStage* decode[2] = {stage_of(before, "decode"), stage_of(after, "decode")};
    if (consume[0] && consume[1]) waited.add(consume[0]->blocked_on_input_s, consume[1]->blocked_on_input_s);
    if (decode[0] && decode[1]) {
      no_input.add(decode[0]->blocked_on_input_s, decode[1]->blocked_on_input_s);
      no_output.add(decode[0]->blocked_on_output_s, decode[1]->blocked_on_output_s);
    }
  });
  const auto loaders = static_cast<double>(trace.snapshots[window.last].loaders.size());
  int threads = 0;
  for (const LoaderSeen& loader : trace.snapshots[window.last].loaders)
    threads = whole(static_cast<double>(threads) + loader.threads);
  if (!waited.total() || loaders < 1 || threads < 1) return;
  m.kind = WorkerKind::stoker;
  m.threads_named = "stoker-decode";
  m.stall_counted = share(*waited.per(m.seconds) / loaders);
  m.workers = threads;
  m.threads_per_worker = 1;
  if (!no_input.total()) return;
  m.worker_idle = share(*no_output.per(m.seconds) / threads);
  m.worker_io = share(*no_input.per(m.seconds) / threads);
  m.worker_other = 0;
  // The rest a worker works, or waits for a CPU.
  const double works = share(1 - *m.worker_idle - *m.worker_io);
  m.worker_delay = std::min(m.worker_delay.value_or(0), works);
  m.worker_cpu = works - *m.worker_delay;
  if (!m.workers_cpu) m.workers_cpu = *m.worker_cpu * threads;
}

}  // namespace stoker::doctor
