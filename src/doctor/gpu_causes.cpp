#include "doctor/gpu_causes.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "doctor/fixes.hpp"
#include "doctor/rates.hpp"

namespace stoker::doctor {

namespace {

constexpr double kBusy = 90;              // percent: a kernel runs all the time
constexpr double kLinkBusy = 50;          // an idle GPU's link falls back to save power
constexpr double kSmallKernels = 25;      // percent of SMs active
constexpr double kLowPower = 0.4;         // of the limit
constexpr double kAtPowerLimit = 0.97;    // of the limit
constexpr double kClockBelow = 0.85;      // of the highest
constexpr double kPowerPlateau = 0.04;    // relative spread of the upper half
constexpr std::size_t kLeastBusy = 5;     // snapshots
constexpr double kStragglerSpread = 0.6;  // of the hardest working GPU's

double util_of(const GpuSeen& gpu) {
  if (!gpu.samples.empty()) {
    double sum = 0;
    for (const GpuSample& sample : gpu.samples) sum += sample.percent;
    return sum / static_cast<double>(gpu.samples.size());
  }
  if (gpu.util_percent) return *gpu.util_percent;
  return gpu.engine_active_percent.value_or(gpu.sm_active_percent.value_or(0));
}

// One GPU, of the snapshots in which it was busy.
struct Busy {
  const GpuCurve* curve = nullptr;
  std::size_t count = 0, link_count = 0;
  Mean util, sm, engine, power, limit, clock, clock_max;
  std::vector<double> powers;
  std::size_t reasons_seen = 0, power_cap = 0, thermal = 0, hardware = 0;
  int low_generation = 0, low_width = 0;  // counts
  int generation = 0, generation_max = 0, width = 0, width_max = 0;

  std::optional<double> power_share() const {
    const auto p = power.value(), l = limit.value();
    return p && l && *l > 0 ? std::optional(*p / *l) : std::nullopt;
  }
  double part(std::size_t n) const {
    return reasons_seen == 0 ? 0 : static_cast<double>(n) / static_cast<double>(reasons_seen);
  }
};

void note_link(const GpuSeen& gpu, Busy& busy) {
  ++busy.link_count;
  if (gpu.pcie_generation && gpu.pcie_generation_max && *gpu.pcie_generation < *gpu.pcie_generation_max) {
    ++busy.low_generation;
    busy.generation = *gpu.pcie_generation;
    busy.generation_max = *gpu.pcie_generation_max;
  }
  if (gpu.pcie_width && gpu.pcie_width_max && *gpu.pcie_width < *gpu.pcie_width_max) {
    ++busy.low_width;
    busy.width = *gpu.pcie_width;
    busy.width_max = *gpu.pcie_width_max;
  }
}

Busy look(const GpuCurve& curve) {
  Busy busy{.curve = &curve};
  for (const GpuSeen* gpu : curve.seen) {
    const double util = util_of(*gpu);
    busy.clock_max.add(gpu->sm_clock_max_mhz);
    if (util >= kLinkBusy) note_link(*gpu, busy);
    // The highest clock seen stands for the card's where the log does not name it.
    if (!gpu->sm_clock_max_mhz) busy.clock_max.add(gpu->sm_clock_mhz);
    if (util < kBusy) continue;
    ++busy.count;
    busy.util.add(Reading<double>(util));
    busy.sm.add(gpu->sm_active_percent);
    busy.engine.add(gpu->engine_active_percent);
    busy.power.add(gpu->power_w);
    if (gpu->power_w) busy.powers.push_back(*gpu->power_w);
    busy.limit.add(gpu->power_limit_w);
    busy.clock.add(gpu->sm_clock_mhz);
    if (!gpu->slow_reasons) continue;
    ++busy.reasons_seen;
    const std::uint64_t reasons = *gpu->slow_reasons;
    busy.power_cap += (reasons & (kSlowPowerCap | kSlowPowerBrake)) != 0 ? 1U : 0U;
    busy.thermal += (reasons & (kSlowThermal | kSlowHardwareThermal)) != 0 ? 1U : 0U;
    busy.hardware += (reasons & kSlowHardware) != 0 ? 1U : 0U;
  }
  return busy;
}

// The most power lies on a plateau, which a limit makes and work does not.
bool on_plateau(std::vector<double> powers) {
  if (powers.size() < 2 * kLeastBusy) return false;
  std::ranges::sort(powers);
  const double middle = powers[powers.size() / 2], most = powers[powers.size() * 95 / 100];
  return most > 0 && (most - middle) / most < kPowerPlateau;
}

bool power_capped(const Busy& busy) {
  if (busy.reasons_seen > 0) return busy.part(busy.power_cap) > 0.2;
  if (const auto part = busy.power_share()) return *part >= kAtPowerLimit;
  const auto clock = busy.clock.value();
  return clock && busy.clock_max.most > 0 && *clock < kClockBelow * busy.clock_max.most &&
         on_plateau(busy.powers);
}

Fix clock_fix(const Busy& busy, std::string what, std::vector<Fix::How> how) {
  Fix fix = without_gain(std::move(what), std::move(how), "the clock it would reach is not known");
  const auto clock = busy.clock.value();
  if (clock && *clock > 0 && busy.clock_max.most > *clock) {
    fix.predicted_gain = busy.clock_max.most / *clock - 1;
    fix.predicted_images_per_s = Reading<double>::unknown("only if its clock is all that holds it back");
    fix.label = GainLabel::up_to;
  }
  return fix;
}

void note_clocks(const Busy& busy, GpuCauses& out) {
  const int gpu = busy.curve->index;
  const std::string clock =
      busy.clock.value() && busy.clock_max.most > 0
          ? fmt::format(", SM clock {:.0f} of {:.0f} MHz", *busy.clock.value(), busy.clock_max.most)
          : "";
  if (power_capped(busy)) {
    out.power_capped = true;
    const auto limit = busy.limit.value();
    const std::string power = busy.power.value()
                                  ? fmt::format(": {:.0f} W", *busy.power.value()) +
                                        (limit ? fmt::format(" of {:.0f} W allowed", *limit) : std::string())
                                  : std::string();
    out.causes.push_back(fmt::format("GPU {} is power-capped{}{}", gpu, power, clock));
    out.fixes.push_back(clock_fix(
        busy, "a higher power limit",
        {{"shell",
          fmt::format("nvidia-smi -i {} -pl WATTS (root); nvidia-smi -q -d POWER shows what is allowed",
                      gpu)}}));
  }
  if (busy.part(busy.thermal) > 0.05) {
    out.causes.push_back(fmt::format("GPU {} is slowed down by its temperature{}", gpu, clock));
    out.fixes.push_back(clock_fix(
        busy, "cooling", {{"shell", "check fans, filters and the room; nvidia-smi -q -d TEMPERATURE"}}));
  }
  if (busy.part(busy.hardware) > 0.05)
    out.causes.push_back(
        fmt::format("GPU {} is slowed down by its hardware (power supply or temperature){}", gpu, clock));
}

void note_link_causes(const Busy& busy, GpuCauses& out) {
  const auto mostly = [&busy](int count) { return static_cast<std::size_t>(count) * 2 > busy.link_count; };
  std::string link;
  if (mostly(busy.low_generation))
    link = fmt::format("generation {} of {}", busy.generation, busy.generation_max);
  if (mostly(busy.low_width))
    link += fmt::format("{}x{} of x{}", link.empty() ? "" : ", ", busy.width, busy.width_max);
  if (link.empty()) return;
  out.causes.push_back(fmt::format("GPU {}: PCIe link at {} while it is busy", busy.curve->index, link));
  out.fixes.push_back(without_gain(
      "the whole PCIe link",
      {{"shell", "reseat the card or riser, another slot; the BIOS's link speed; lspci -vv shows LnkSta"}},
      "it gains what copies to the GPU take, which is not visible"));
}

void note_small_kernels(const Busy& busy, GpuCauses& out) {
  const auto util = busy.util.value();
  const auto sm = busy.sm.value(), engine = busy.engine.value();
  const auto active = sm ? sm : engine;
  if (util && engine && *engine < 1) {
    out.contradictions.push_back(
        {.what = fmt::format("whether GPU {} works", busy.curve->index),
         .why = fmt::format("its sources contradict each other: utilisation {:.0f} %, engine active {:.0f} %",
                            *util, *engine)});
    return;
  }
  const auto power = busy.power_share();
  if (active && *active < kSmallKernels)
    out.causes.push_back(
        fmt::format("GPU {}: small kernels: {:.0f} % of the SMs are active at {:.0f} % utilisation",
                    busy.curve->index, *active, util.value_or(0)));
  else if (!active && power && *power < kLowPower)
    out.causes.push_back(
        fmt::format("GPU {}: small kernels or waiting ones: {:.0f} % of its power at {:.0f} % utilisation",
                    busy.curve->index, 100 * *power, util.value_or(0)));
  else
    return;
  out.fixes.push_back(without_gain(
      "larger kernels",
      {{"PyTorch", "a larger batch; torch.compile(model, mode=\"reduce-overhead\") (CUDA graphs)"}},
      "how much faster larger kernels are is not visible"));
}

// Ranks that wait in NCCL look busy: utilisation 100 at little power, beside one that works.
void note_straggler(const std::vector<Busy>& all, GpuCauses& out) {
  // Two GPUs of a log may as well be two jobs.
  const bool one_training = std::ranges::all_of(all, [](const Busy& busy) { return busy.curve->ours; });
  if (all.size() < (one_training ? 2U : 3U)) return;
  const Busy* late = nullptr;
  std::size_t full = 0;
  for (const Busy& busy : all) {
    const double util = busy.curve->summary.util_mean.value_or(0);
    if (util >= 95) ++full;
    if (util < 80) late = &busy;
  }
  if (late && full + 1 == all.size()) {
    out.causes.push_back(fmt::format(
        "the other ranks seem to wait in NCCL for GPU {}, the straggler: it is busy {:.0f} % of the "
        "time, they 95 % and more",
        late->curve->index, late->curve->summary.util_mean.value_or(0)));
    return;
  }
  if (full < all.size()) return;
  std::vector<double> work;
  for (const Busy& busy : all) {
    const auto power = busy.power_share() ? busy.power_share() : busy.power.value();
    const auto works = busy.sm.value() ? busy.sm.value() : power;
    if (!works) return;
    work.push_back(*works);
  }
  const auto hardest = std::ranges::max_element(work);
  const auto lazy = std::ranges::count_if(work, [&](double x) { return x < kStragglerSpread * *hardest; });
  if (static_cast<std::size_t>(lazy) + 1 != all.size()) return;
  out.causes.push_back(fmt::format(
      "the other ranks seem to wait in NCCL for GPU {}, the straggler: all are at 95 % utilisation "
      "and more, it alone works hard",
      all[static_cast<std::size_t>(hardest - work.begin())].curve->index));
}

}  // namespace

GpuCauses causes_of_busy(const std::vector<const GpuCurve*>& curves) {
  GpuCauses out;
  std::vector<Busy> all;
  for (const GpuCurve* curve : curves) all.push_back(look(*curve));
  note_straggler(all, out);
  if (!out.causes.empty())
    out.fixes.push_back(without_gain("equal work for each rank",
                                     {{"PyTorch",
                                       "equal shards and batches; see this rank's own workers and clocks: "
                                       "stoker doctor --pid of that rank"}},
                                     "how far behind it is, is not visible"));
  const bool straggler = !out.causes.empty();
  for (const Busy& busy : all) {
    if (busy.link_count >= kLeastBusy) note_link_causes(busy, out);
    if (busy.count < kLeastBusy) continue;
    note_clocks(busy, out);
    if (!straggler) note_small_kernels(busy, out);
  }
  return out;
}

std::vector<Fix> fixes_for_busy(const GpuCauses& causes) {
  std::vector<Fix> fixes = causes.fixes;
  const char* why = "what the model gains is not visible from outside";
  fixes.push_back(without_gain(
      "less work a step on the GPU",
      {{"PyTorch", "torch.autocast(\"cuda\", dtype=torch.bfloat16), channels_last, torch.compile(model)"},
       {"MXNet", "--dtype float16"},
       {"Stoker", "stoker train --dtype bfloat16"}},
      why));
  return fixes;
}

}  // namespace stoker::doctor
