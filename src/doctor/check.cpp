#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <functional>

#include "stoker/doctor.hpp"

#include "base/result.hpp"
#include "base/units.hpp"
#include "base/words.hpp"

namespace stoker {

namespace {

constexpr std::array<std::string_view, 9> kNames = {
    "gpu", "gpu_min", "stall", "cpu", "images_per_s", "confidence", "unused", "throttled", "sm_active"};
constexpr std::array<std::string_view, 6> kSigns = {">=", "<=", "==", "!=", ">", "<"};

bool is_used(const GpuSummary& gpu) { return gpu.util_mean.value_or(0) >= 0.5; }

// The mean utilisation of the GPUs that are used (of all where none is), or the lowest.
Reading<double> gpu_percent(const Report& report, bool lowest) {
  const bool any = std::ranges::any_of(report.gpus, is_used);
  double sum = 0, least = 100;
  int count = 0;
  for (const GpuSummary& gpu : report.gpus) {
    if (!gpu.util_mean || (any && !is_used(gpu))) continue;
    sum += *gpu.util_mean;
    least = std::min(least, *gpu.util_mean);
    ++count;
  }
  if (count == 0) return Reading<double>::unknown("no GPU's utilisation was read");
  return lowest ? least : sum / count;
}

Reading<double> value_of(std::string_view name, const Report& report) {
  if (name == "gpu") return gpu_percent(report, false);
  if (name == "gpu_min") return gpu_percent(report, true);
  if (name == "stall") return report.stall_share;
  if (name == "images_per_s") return report.images_per_s;
  if (name == "confidence") return report.confidence;
  if (name == "throttled") return report.cpu.throttled_share;
  if (name == "unused") {
    double unused = 0;
    bool seen = false;
    for (const GpuSummary& gpu : report.gpus)
      if (gpu.util_mean) {
        seen = true;
        unused += is_used(gpu) ? 0 : 1;
      }
    return seen ? Reading<double>(unused) : Reading<double>::unknown("no GPU's utilisation was read");
  }
  if (name == "sm_active") {
    double sum = 0;
    int count = 0;
    for (const GpuSummary& gpu : report.gpus)
      if (gpu.sm_active_mean && is_used(gpu)) {
        sum += *gpu.sm_active_mean;
        ++count;
      }
    return count > 0 ? Reading<double>(sum / count) : Reading<double>::unknown("needs GPM or DCGM");
  }
  if (!report.cpu.training) return report.cpu.training;
  if (!report.cpu.allowed || *report.cpu.allowed <= 0)
    return Reading<double>::unknown("the allowed CPUs are not known");
  return 100 * *report.cpu.training / *report.cpu.allowed;
}

bool holds(double found, std::string_view sign, double asked) {
  if (sign == ">=") return found >= asked;
  if (sign == "<=") return found <= asked;
  if (sign == "==") return found == asked;
  if (sign == "!=") return found != asked;
  return sign == ">" ? found > asked : found < asked;
}

Error refused(std::string_view condition, std::string found, std::string allowed,
              std::string next_step = {}) {
  return Error(ErrorCode::invalid_argument, {.operation = "read a condition",
                                             .object = fmt::format("`{}`", condition),
                                             .found = std::move(found),
                                             .allowed = std::move(allowed),
                                             .next_step = std::move(next_step)});
}

Check check_one(std::string_view condition, const Report& report) {
  std::string_view sign;
  std::size_t at = std::string_view::npos;
  for (const std::string_view candidate : kSigns)
    if (at = condition.find(candidate); at != std::string_view::npos) {
      sign = candidate;
      break;
    }
  if (sign.empty())
    throw refused(condition, "no comparison", "NAME>=NUMBER, with >= <= > < == or !=", "for example gpu>=80");
  const std::string_view name = trimmed(condition.substr(0, at), " ");
  const std::string_view number = trimmed(condition.substr(at + sign.size()), " ");
  if (name == "verdict") {
    const std::string_view is = to_string(report.verdict);
    if (sign != "==" && sign != "!=")
      throw refused(condition, fmt::format("verdict {}", sign), "verdict==NAME or verdict!=NAME");
    return {.text = std::string(condition),
            .met = (is == number) == (sign == "=="),
            .found = fmt::format("verdict is {}", is)};
  }
  if (std::ranges::find(kNames, name) == kNames.end()) {
    const std::string nearest = nearest_name(name, kNames);
    throw refused(condition, fmt::format("`{}`", name), fmt::format("{}, verdict", fmt::join(kNames, ", ")),
                  nearest.empty() ? "" : fmt::format("did you mean {}?", nearest));
  }
  const Result<double> asked = parse_number(number);
  if (!asked)
    throw refused(condition, fmt::format("`{}`", number), "a number behind the comparison",
                  "for example gpu>=80");
  const Reading<double> found = value_of(name, report);
  if (!found)
    return {.text = std::string(condition),
            .met = false,
            .found = fmt::format("{} is unknown: {}", name, found.why())};
  return {.text = std::string(condition),
          .met = holds(*found, sign, *asked),
          .found = fmt::format("{} is {:.3g}", name, *found)};
}

}  // namespace

std::vector<Check> check_report(std::string_view conditions, const Report& report) {
  std::vector<Check> checks;
  for (const std::string_view condition : split(conditions, ','))
    checks.push_back(check_one(trimmed(condition, " "), report));
  return checks;
}

}  // namespace stoker
