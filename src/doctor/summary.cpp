#include "doctor/summary.hpp"

#include <fmt/format.h>

namespace stoker::doctor {

namespace {

constexpr double kWaitsLeast = 0.01;  // of the time: below it a training does not wait for data

std::string gpus_text(std::size_t gpus) {
  return gpus == 1 ? "The GPU is" : fmt::format("The {} GPUs are", gpus);
}

// "; no CPU quota …: about 2.1 times the images/s (400 → 840)"
std::string promise(const Report& report) {
  if (report.fixes.empty() || !report.fixes.front().predicted_gain) return "";
  const Fix& fix = report.fixes.front();
  const double gain = *fix.predicted_gain;
  const char* label = fix.label == GainLabel::up_to      ? "up to"
                      : fix.label == GainLabel::at_least ? "at least"
                                                         : "about";
  std::string text = gain >= 0.995
                         ? fmt::format("; {}: {} {:.2g} times the images/s", fix.what, label, 1 + gain)
                         : fmt::format("; {}: {} {:.0f} % more images/s", fix.what, label, 100 * gain);
  if (report.images_per_s && fix.predicted_images_per_s)
    text += fmt::format(" ({}{:.0f} → {:.0f})", report.images_per_s_about ? "about " : "",
                        *report.images_per_s, *fix.predicted_images_per_s);
  return text;
}

}  // namespace

std::string summary_of(const Report& report, const std::string& why, std::size_t gpus,
                       std::optional<double> busy) {
  const std::string idle =
      busy ? fmt::format("{} idle {:.0f} % of the time", gpus_text(gpus), 100 * (1 - *busy)) : "";
  const std::string busy_text =
      busy ? fmt::format("{} busy {:.0f} % of the time", gpus_text(gpus), 100 * *busy) : "";
  switch (report.verdict) {
    case Verdict::healthy:
    case Verdict::gpu_bound:
      return busy ? fmt::format("{}: {}.", busy_text, why) : fmt::format("The GPU is the limit: {}.", why);
    case Verdict::gpu_unused:
      return fmt::format("{}{}.", why, promise(report));
    case Verdict::hang:
      return fmt::format("The training stands still: {}.", why);
    case Verdict::unknown:
      if (why.starts_with("no training")) return fmt::format("N{}.", why.substr(1));
      return fmt::format("Why the GPU waits, or whether, is unknown: {}.", why);
    default:
      break;
  }
  std::string text = idle;
  if (text.empty() && report.verdict == Verdict::main_thread)
    return fmt::format("The main thread is the limit: {}{}.", why, promise(report));
  const bool loads_itself = report.verdict == Verdict::io_wait && report.cpu.workers.value_or(1) == 0;
  if (text.empty() && (loads_itself || report.stall_share.value_or(1) < kWaitsLeast))
    return fmt::format("The training is held up: {}{}.", why, promise(report));
  if (text.empty())
    text = report.stall_share
               ? fmt::format("The training waits for data {:.0f} % of the time", 100 * *report.stall_share)
               : "The training waits for data";
  if (report.verdict == Verdict::data_bound) return fmt::format("{}: {}{}.", text, why, promise(report));
  return fmt::format("{} because {}{}.", text, why, promise(report));
}

}  // namespace stoker::doctor
