#include <algorithm>
#include <fmt/format.h>

#include "doctor/gpu_causes.hpp"
#include "doctor/roles.hpp"

namespace stoker::doctor {

namespace {

constexpr std::uint64_t kContextBytes = 300ULL << 20;  // a CUDA context alone takes about as much
constexpr std::size_t kLeastSilent = 10;               // samples

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

Fix without_gain(std::string what, std::vector<Fix::How> how, const char* why) {
  Fix fix;
  fix.what = std::move(what);
  fix.how = std::move(how);
  fix.predicted_gain = Reading<double>::unknown(why);
  fix.predicted_images_per_s = fix.predicted_gain;
  return fix;
}

void explain_partly_used(const Trace& trace, std::size_t used, std::size_t all, UnusedGpus& unused) {
  const ProcessSeen* process = main_process(trace);
  const auto visible = visible_gpus(process);
  unused.why = fmt::format("the training uses {} of {}", used, all);
  if (visible && *visible < all)
    unused.causes.push_back(fmt::format("CUDA_VISIBLE_DEVICES={} covers {} of {} GPUs",
                                        *process->cuda_visible_devices, *visible, all));
  else if (visible && *visible > used)
    unused.causes.push_back(
        fmt::format("{} GPUs are visible to the training and it uses {}", *visible, used));
  Fix fix;
  fix.what = fmt::format("use all GPUs: {} → {}", used, all);
  const std::string numbers = fmt::format("0-{}", all - 1);
  fix.how = {
      {"PyTorch", fmt::format("torchrun --nproc_per_node={} train.py, with DistributedDataParallel", all)},
      {"shell", "unset CUDA_VISIBLE_DEVICES, or name every GPU in it"},
      {"MXNet", fmt::format("--gpus {} (a list: 0,1,…)", numbers)},
      {"Stoker", fmt::format("stoker train --gpus 0..{}", all - 1)}};
  fix.predicted_gain = static_cast<double>(all) / static_cast<double>(used) - 1;
  fix.predicted_images_per_s = Reading<double>::unknown("only where the data keeps up with all of them");
  fix.label = GainLabel::up_to;
  unused.fixes.push_back(std::move(fix));
}

void explain_all_unused(const Trace& trace, const std::vector<const GpuCurve*>& silent, const Measures& m,
                        UnusedGpus& unused) {
  const ProcessSeen* process = main_process(trace);
  const auto visible = visible_gpus(process);
  std::vector<std::string> holders;
  bool held = false, fell = false;
  for (const GpuCurve* curve : silent) {
    held = held || holds_memory(*curve) || curve->listed;
    fell = fell || curve->used();
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
  unused.why = fell ? "the job has ended and the machine idles" : "nobody is on it";
  unused.fixes.push_back(without_gain(
      "start a training, or give the machine back",
      {{"shell", "stop the instance: an idle GPU costs as much as a busy one"}}, "nothing is trained"));
}

}  // namespace

std::optional<UnusedGpus> find_unused(const Trace& trace, const std::vector<GpuCurve>& curves,
                                      const Measures& m) {
  std::vector<const GpuCurve*> silent;
  std::size_t used = 0, all = 0;
  const bool watched = !trace.snapshots.empty() && !trace.snapshots.back().processes.empty();
  for (const GpuCurve& curve : curves) {
    if (curve.samples.empty()) continue;
    ++all;
    const bool idle = !curve.used() || (!watched && fell_silent(curve));
    if (!idle) ++used;
    // Held by somebody else: theirs to use.
    else if (!(watched && curve.listed && !curve.ours))
      silent.push_back(&curve);
  }
  if (silent.empty()) return std::nullopt;
  if (used == 0 && training_is_alive(m)) {
    const bool held = std::ranges::any_of(
        silent, [](const GpuCurve* curve) { return curve->ours || holds_memory(*curve); });
    const bool lists = std::ranges::all_of(silent, [](const GpuCurve* curve) {
      return !curve->seen.empty() && curve->seen.back()->processes.known() &&
             curve->summary.memory_used_bytes.known();
    });
    if (held || !lists) return std::nullopt;
  }
  UnusedGpus unused;
  unused.share = static_cast<double>(silent.size()) / static_cast<double>(all);
  for (const GpuCurve* curve : silent) unused.indexes.push_back(curve->index);
  if (used > 0) {
    explain_partly_used(trace, used, all, unused);
    unused.causes.push_back(fmt::format("unused: GPU {}", list_of(unused.indexes)));
  } else {
    explain_all_unused(trace, silent, m, unused);
  }
  return unused;
}

}  // namespace stoker::doctor
