#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>

#include "stoker/doctor.hpp"

#include "base/result.hpp"
#include "base/units.hpp"
#include "base/words.hpp"

namespace stoker {

namespace {

// What may be compared, and within what: a share written as a percent would hold for ever, or never.
struct Name {
  std::string_view name, unit;
  double most;
};
constexpr double kNoMost = 1e9;
constexpr std::array<Name, 9> kNames = {{{"gpu", "percent", 100},
                                         {"gpu_min", "percent", 100},
                                         {"stall", "a share", 1},
                                         {"cpu", "percent", 100},
                                         {"images_per_s", "images/s", kNoMost},
                                         {"confidence", "a share", 1},
                                         {"unused", "GPUs", 4096},
                                         {"throttled", "a share", 1},
                                         {"sm_active", "percent", 100}}};
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

std::vector<std::string_view> names() {
  std::vector<std::string_view> all;
  for (const Name& one : kNames) all.push_back(one.name);
  all.push_back("verdict");
  return all;
}

std::vector<std::string_view> verdicts() {
  std::vector<std::string_view> all;
  for (int i = 0; i <= static_cast<int>(Verdict::unknown); ++i)
    all.push_back(to_string(static_cast<Verdict>(i)));
  return all;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& words) {
  const std::string nearest = nearest_name(word, words);
  return nearest.empty() ? "" : fmt::format("did you mean `{}`?", nearest);
}

Check check_verdict(std::string_view condition, std::string_view sign, std::string_view word,
                    const Report& report) {
  if (sign != "==" && sign != "!=")
    throw refused(condition, fmt::format("verdict {}", sign), "verdict==NAME or verdict!=NAME");
  const std::vector<std::string_view> words = verdicts();
  if (std::ranges::find(words, word) == words.end())
    throw refused(condition, fmt::format("`{}`, which is no verdict", word),
                  fmt::format("{}", fmt::join(words, ", ")), did_you_mean(word, words));
  const std::string_view is = to_string(report.verdict);
  return {.text = std::string(condition),
          .met = (is == word) == (sign == "=="),
          .found = fmt::format("verdict is {}", is)};
}

double number_within(std::string_view condition, std::string_view text, const Name& name) {
  const std::string range = name.most == kNoMost
                                ? fmt::format("a number from 0, {}", name.unit)
                                : fmt::format("a number from 0 to {:.0f}, {}", name.most, name.unit);
  const bool percent = text.ends_with('%');
  const Result<double> asked = parse_number(text);
  if (!asked)
    throw refused(condition,
                  text.empty() ? std::string("nothing behind the comparison") : fmt::format("`{}`", text),
                  fmt::format("`{}` is {}", name.name, range),
                  percent ? "write it without a sign: 80, or a share as 0.8" : "for example gpu>=80");
  if (!(*asked >= 0 && *asked <= name.most))
    throw refused(condition, fmt::format("{}", text), fmt::format("`{}` is {}", name.name, range),
                  name.most == 1 && *asked > 1 && *asked <= 100
                      ? fmt::format("for {:.3g} % write {:.3g}", *asked, *asked / 100)
                      : "");
  return *asked;
}

Check check_one(std::string_view condition, const Report& report) {
  if (condition.empty())
    throw refused(condition, "nothing between, before or behind commas", "NAME>=NUMBER,NAME<NUMBER,…");
  std::string_view sign;
  std::size_t at = std::string_view::npos;
  for (const std::string_view candidate : kSigns)
    if (at = condition.find(candidate); at != std::string_view::npos) {
      sign = candidate;
      break;
    }
  if (sign.empty())
    throw refused(condition, fmt::format("`{}`, without a comparison", condition),
                  "NAME>=NUMBER, with >= <= > < == or !=", "for example gpu>=80");
  const std::string_view name = trimmed(condition.substr(0, at), " ");
  const std::string_view number = trimmed(condition.substr(at + sign.size()), " ");
  if (name == "verdict") return check_verdict(condition, sign, number, report);
  const auto known = std::ranges::find(kNames, name, &Name::name);
  if (known == kNames.end())
    throw refused(condition, fmt::format("`{}`", name), fmt::format("`{}`", fmt::join(names(), "`, `")),
                  did_you_mean(name, names()));
  const double asked = number_within(condition, number, *known);
  const Reading<double> found = value_of(name, report);
  const bool about = name == "images_per_s" && report.images_per_s_about;
  if (!found)
    return {.text = std::string(condition),
            .met = false,
            .found = fmt::format("{} is unknown: {}", name, found.why())};
  return {.text = std::string(condition),
          .met = holds(*found, sign, asked),
          .found = fmt::format("{} is {}{:.3g}", name, about ? "about " : "", *found)};
}

}  // namespace

std::vector<Check> check_report(std::string_view conditions, const Report& report) {
  std::vector<Check> checks;
  for (const std::string_view condition : split(conditions, ','))
    checks.push_back(check_one(trimmed(condition, " "), report));
  return checks;
}

}  // namespace stoker
