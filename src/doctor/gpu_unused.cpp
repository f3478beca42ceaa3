#include <algorithm>
#include <fmt/format.h>

#include "doctor/fixes.hpp"
#include "doctor/gpu_causes.hpp"
#include "doctor/roles.hpp"

namespace stoker::doctor {

namespace {

constexpr std::uint64_t kContextBytes = 300ULL << 20;  // a CUDA context alone takes about as much
constexpr double kFeedsMore = 0.2;        // stall share: below it the data may keep up with more GPUs
constexpr std::size_t kLeastSilent = 10;  // samples

// Whether the last half of the curve, or more, shows nothing at all.
bool fell_silent(const GpuCurve& curve) {
  std::size_t silent = 0;
  for (auto sample = curve.samples.rbegin(); sample != curve.samples.rend() && sample->percent < 2; ++sample)
    ++silent;
  return silent >= kLeastSilent && silent * 2 >= curve.samples.size();
}

bool holds_memory(const GpuCurve& curve) {
  return curve.summary.memory_used_bytes && *curve.summary.memory_used_bytes > kContextBytes;
}

std::string list_of(const std::vector<int>& indexes) {
  std::string text;
  for (const int index : indexes) text += (text.empty() ? "" : ", ") + std::to_string(index);
  return text;
}

std::vector<int> indexes_of(const std::vector<const GpuCurve*>& curves) {
  std::vector<int> indexes;
  for (const GpuCurve* curve : curves) indexes.push_back(curve->index);
  return indexes;
}

// "6 of 8 GPUs are unused (GPU 2, 3, 4, 5, 6, 7)"
std::string headline(const UnusedGpus& unused) {
  const std::size_t count = unused.indexes.size();
  if (unused.of == 1) return "The GPU is unused";
  if (count == unused.of) return fmt::format("All {} GPUs are unused", count);
  return fmt::format("{} of {} GPUs {} unused (GPU {})", count, unused.of, count == 1 ? "is" : "are",
                     list_of(unused.indexes));
}

const ProcessSeen* main_process(const Trace& trace) {
  for (std::size_t i = trace.snapshots.size(); i-- > 0;) {
    const Roles roles = roles_of(trace.snapshots[i]);
    if (!roles.mains.empty()) return &trace.snapshots[i].processes[roles.mains.front()];
  }
  return nullptr;
}

// How many GPUs CUDA_VISIBLE_DEVICES names; absent where it is not set or not read.
std::optional<std::size_t> visible_gpus(const ProcessSeen* process) {
  if (!process || !process->cuda_visible_devices || process->cuda_visible_devices->empty())
    return std::nullopt;
  const std::string& text = *process->cuda_visible_devices;
  if (text == "-1" || text == "NoDevFiles" || text == "none") return 0;
  return static_cast<std::size_t>(std::ranges::count(text, ',')) + 1;
}

bool training_is_alive(const Measures& m) {
  return m.mains > 0 &&
         (m.stall().value_or(0) > 0.3 || m.workers_cpu.value_or(0) > 0.2 || m.worker_io.value_or(0) > 0.2);
}

// What stands in the way where some GPUs work and others do not.
void explain_partly_used(const Trace& trace, const std::vector<const GpuCurve*>& used, const Measures& m,
                         UnusedGpus& unused) {
  const ProcessSeen* process = main_process(trace);
  const auto visible = visible_gpus(process);
  const std::size_t now = used.size(), then = now + unused.indexes.size();
  const std::string who = process ? "the training uses" : "work was seen on";
  unused.why = fmt::format("{} GPU {} only", who, list_of(indexes_of(used)));
  if (visible && *visible < then)
    unused.causes.push_back(fmt::format("CUDA_VISIBLE_DEVICES={} covers {} of {} GPUs",
                                        *process->cuda_visible_devices, *visible, then));
  else if (visible && *visible > now)
    unused.causes.push_back(fmt::format("{} GPUs are visible to the training and it uses {}", *visible, now));
  Fix fix = without_gain(
      fmt::format("use all GPUs: {} → {}", now, then),
      {{"PyTorch", fmt::format("torchrun --nproc_per_node={} train.py, with DistributedDataParallel", then)},
       {"shell", "unset CUDA_VISIBLE_DEVICES, or name every GPU in it"},
       {"MXNet", fmt::format("--gpus 0,…,{}", then - 1)},
       {"Stoker", fmt::format("stoker train --gpus 0..{}", then - 1)}},
      "the used ones wait already: more of them would wait too");
  double busy = 0;
  for (const GpuCurve* curve : used) busy += curve->summary.util_mean.value_or(0) / static_cast<double>(now);
  if (m.stall().value_or(0) < kFeedsMore && busy > 50) {
    fix.predicted_gain = static_cast<double>(then) / static_cast<double>(now) - 1;
    fix.predicted_images_per_s = Reading<double>::unknown("only where the data keeps up with all of them");
    fix.label = GainLabel::up_to;
  }
  unused.fixes.push_back(std::move(fix));
}

void explain_all_unused(const Trace& trace, const std::vector<const GpuCurve*>& silent, const Measures& m,
                        UnusedGpus& unused) {
  const ProcessSeen* process = main_process(trace);
  const auto visible = visible_gpus(process);
  std::vector<std::string> holders;
  bool held = false, fell = false, by_clocks = false, memory_seen = false;
  for (const GpuCurve* curve : silent) {
    by_clocks = by_clocks || curve->idle_by_clocks;
    held = held || holds_memory(*curve) || curve->listed;
    fell = fell || curve->used();
    memory_seen = memory_seen || curve->summary.memory_used_bytes.known();
    for (const std::string& user : curve->summary.users)
      if (std::ranges::find(holders, user) == holders.end()) holders.push_back(user);
  }
  if (process && m.mains > 0 && !held) {
    unused.why = "the training holds no GPU: it computes on the CPU";
    if (visible && *visible == 0)
      unused.causes.push_back(
          fmt::format("CUDA_VISIBLE_DEVICES={} hides every GPU from it", *process->cuda_visible_devices));
    else if (visible)
      unused.causes.push_back(fmt::format("CUDA_VISIBLE_DEVICES={} may name a GPU that is not there",
                                          *process->cuda_visible_devices));
    unused.fixes.push_back(
        without_gain("put the model on a GPU",
                     {{"PyTorch", "model.to(\"cuda\"); torch.cuda.is_available() says whether it can"},
                      {"shell", "unset CUDA_VISIBLE_DEVICES, or name a GPU that is there"}},
                     "its speed there is not known"));
    return;
  }
  if (held) {
    unused.why = holders.empty()
                     ? "memory is held and no kernel runs"
                     : fmt::format("{} hold{} memory and run{} no kernel", holders.front(),
                                   holders.size() == 1 ? "s" : "", holders.size() == 1 ? "s" : "");
    if (fell)
      unused.causes.push_back(
          "kernels ran before, and none since: the job has finished or died and still holds its memory");
    unused.fixes.push_back(without_gain("end what holds the GPU, or give the machine back",
                                        {{"shell", "nvidia-smi shows who holds it; kill PID"}},
                                        "nothing is trained"));
    return;
  }
  unused.why = fell          ? "the job has ended and the machine idles"
               : by_clocks   ? "the clocks are down because nothing runs"
               : memory_seen ? "nothing runs, and no memory is held"
                             : "nothing runs";
  unused.fixes.push_back(without_gain(
      "start a training, or give the machine back",
      {{"shell", "stop the instance: an idle GPU costs as much as a busy one"}}, "nothing is trained"));
}

}  // namespace

std::optional<UnusedGpus> find_unused(const Trace& trace, const std::vector<GpuCurve>& curves,
                                      const Measures& m) {
  std::vector<const GpuCurve*> silent, used;
  std::size_t all = 0;
  const bool watched = std::ranges::any_of(
      trace.snapshots, [](const Snapshot& snapshot) { return !snapshot.processes.empty(); });
  UnusedGpus unused;
  for (const GpuCurve& curve : curves) {
    if (curve.samples.empty() && !curve.idle_by_clocks) continue;
    ++all;
    if (curve.used() && (watched || !fell_silent(curve))) {
      used.push_back(&curve);
      continue;
    }
    // Held by somebody else: theirs to use.
    if (watched && curve.listed && !curve.ours)
      unused.shared = true;
    else
      silent.push_back(&curve);
  }
  if (silent.empty()) return std::nullopt;
  if (used.empty() && training_is_alive(m)) {
    const bool held = std::ranges::any_of(
        silent, [](const GpuCurve* curve) { return curve->ours || holds_memory(*curve); });
    const bool lists = std::ranges::all_of(silent, [](const GpuCurve* curve) {
      return !curve->seen.empty() && curve->seen.back()->processes.known() &&
             curve->summary.memory_used_bytes.known();
    });
    if (held || !lists) return std::nullopt;
  }
  unused.of = all;
  unused.share = static_cast<double>(silent.size()) / static_cast<double>(all);
  unused.indexes = indexes_of(silent);
  // Where the driver tells whose they are, the others' are not this training's.
  if (watched && std::ranges::any_of(used, &GpuCurve::ours)) {
    const std::size_t before = used.size();
    std::erase_if(used, [](const GpuCurve* curve) { return !curve->ours; });
    unused.shared = unused.shared || used.size() < before;
  }
  if (used.empty())
    explain_all_unused(trace, silent, m, unused);
  else
    explain_partly_used(trace, used, m, unused);
  unused.why = fmt::format("{}: {}", headline(unused), unused.why);
  return unused;
}

}  // namespace stoker::doctor
