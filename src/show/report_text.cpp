#include "show/report_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "show/text.hpp"

namespace stoker::show {

namespace {

constexpr std::string_view kUnknown = "-";
constexpr std::size_t kGpusShown = 16;

// How much is shown, from all that a screen may hold to what it must.
struct Measure {
  std::size_t evidence, fixes, hows, unknown;
  bool blanks;
};
constexpr std::array<Measure, 4> kMeasures = {
    {{6, 3, 3, 2, true}, {4, 3, 1, 1, true}, {3, 2, 1, 1, false}, {0, 2, 1, 1, false}}};

// Colours that stay apart for the colour-blind: blue is well, yellow is not.
class Painter {
 public:
  explicit Painter(bool colours) : colours_(colours) {}
  std::string bold(const std::string& text) const { return painted("1", text); }
  std::string dim(const std::string& text) const { return painted("2", text); }
  std::string verdict(const std::string& text, bool well) const {
    return painted(well ? "1;34" : "1;33", text);
  }

 private:
  std::string painted(std::string_view code, const std::string& text) const {
    return colours_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
  }
  bool colours_;
};

// What each verdict means, as a headline.
std::string_view headline(Verdict verdict) {
  switch (verdict) {
    case Verdict::healthy:
      return "healthy: the GPU is busy";
    case Verdict::gpu_bound:
      return "GPU-bound: the data waits for the GPU";
    case Verdict::gpu_unused:
      return "a GPU is not used";
    case Verdict::data_bound:
      return "data-bound: the GPU waits for data";
    case Verdict::cpu_bound:
      return "CPU-bound: preparing the data takes all CPUs";
    case Verdict::quota_throttled:
      return "throttled by a CPU quota";
    case Verdict::noisy_neighbour:
      return "other processes take the CPUs";
    case Verdict::oversubscribed:
      return "oversubscribed: more threads than CPUs";
    case Verdict::narrow_affinity:
      return "CPUs exist that the training may not use";
    case Verdict::too_few_workers:
      return "too few data workers";
    case Verdict::io_bandwidth:
      return "I/O-bound: storage delivers all it can";
    case Verdict::io_latency:
      return "I/O-bound: every read waits";
    case Verdict::io_wait:
      return "I/O-bound: the workers wait for storage";
    case Verdict::main_thread:
      return "the training's main thread is the limit";
    case Verdict::hang:
      return "it hangs";
    case Verdict::unknown:
      return "not known";
  }
  return "";
}

// "0.57", "12.3 MB/s", "0": three digits, without zeroes that tell nothing.
std::string number(const Reading<double>& value, std::string_view unit = "") {
  if (!value.known()) return std::string(kUnknown);
  std::string digits = short_number(*value);
  if (digits.find('.') != std::string::npos) digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.ends_with('.')) digits.pop_back();
  return digits + (unit.empty() ? "" : " ") + std::string(unit);
}

std::string whole(const Reading<double>& value, double scale = 1) {
  return value.known() ? fmt::format("{:.0f}", *value * scale) : std::string(kUnknown);
}

std::string gigabytes(const Reading<std::uint64_t>& bytes) {
  return bytes.known() ? short_number(static_cast<double>(*bytes) / (1024.0 * 1024.0 * 1024.0))
                       : std::string(kUnknown);
}

std::string confidence_word(double confidence) {
  return confidence >= 0.75 ? "high" : confidence >= 0.4 ? "fair" : "low";
}

// "+110 %", "up to +110 %", "at least +0 %"; "not known".
std::string gain_text(const Fix& fix) {
  if (!fix.predicted_gain.known()) return "not known";
  const std::string gain = fmt::format("{:+.0f} %", *fix.predicted_gain * 100);
  if (fix.label == GainLabel::up_to) return "up to " + gain;
  if (fix.label == GainLabel::at_least) return "at least " + gain;
  return gain;
}

struct Part {
  const char* what;
  Reading<double> share;
};

// Parts of one whole that add up to 100 %, where all of the first four are known: counters and samples tell
// them, which do not quite agree. Of the later ones those that are there.
std::string parts_text(const std::vector<Part>& parts) {
  constexpr std::size_t kAlways = 4;
  double sum = 0;
  bool all = true;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    sum += parts[i].share.value_or(0);
    all = all && (i >= kAlways || parts[i].share.known());
  }
  const bool whole = all && sum > 0.9;
  const double scale = whole ? 100 / sum : 100;
  std::string text;
  double before = 0;  // rounding the running sum, the parts add up
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double value = parts[i].share.value_or(0) * scale;
    const double shown = whole ? std::round(before + value) - std::round(before) : std::round(value);
    before += value;
    if (i >= kAlways && shown < 1) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                        parts[i].share.known() ? fmt::format("{:.0f} %", shown) : std::string(kUnknown),
                        parts[i].what);
  }
  return text;
}

class Page {
 public:
  Page(const Report& report, const TextStyle& style)
      : report_(report), style_(style), paint_(style.colours) {}

  std::vector<std::string> lines(const std::string& subject) {
    for (const Measure& measure : kMeasures) {
      measure_ = measure;
      std::vector<std::string> page = at_measure(subject);
      if (page.size() < style_.rows || &measure == &kMeasures.back()) return page;
      lines_.clear();
    }
    return {};
  }

 private:
  std::vector<std::string> at_measure(const std::string& subject) {
    head(subject);
    gpus();
    machine();
    evidence();
    fixes();
    unknown();
    return std::exchange(lines_, {});
  }

  void line(std::string text) { lines_.push_back(std::move(text)); }
  void gap() {
    if (measure_.blanks) lines_.emplace_back();
  }

  // Words that continue on further lines, set in behind `first`.
  void paragraph(const std::string& first, const std::string& text) {
    const std::size_t indent = display_width(first);
    std::string begin = first;
    const std::size_t room = style_.columns > indent + 20 ? style_.columns - indent : 20;
    for (const std::string& part : wrap(printable(text), room)) {
      line(begin + part);
      begin.assign(indent, ' ');
    }
  }

  void head(const std::string& subject) {
    paragraph("", fmt::format("{}, {:.0f} s watched; confidence: {}", subject, report_.seconds,
                              confidence_word(report_.confidence)));
    const bool well = report_.verdict == Verdict::healthy || report_.verdict == Verdict::gpu_bound;
    line(paint_.verdict(fmt::format("{} ({})", headline(report_.verdict), to_string(report_.verdict)), well));
    if (!report_.summary.empty()) paragraph("", report_.summary);
    for (const std::string& cause : report_.causes) paragraph("also: ", cause);
    if (report_.cost) {
      const Cost& cost = *report_.cost;
      const std::string lost =
          cost.lost_per_hour.known()
              ? fmt::format("{:.2f} {} of {:.2f} an hour buy waiting", *cost.lost_per_hour, cost.currency,
                            cost.per_hour)
              : fmt::format("{:.2f} {} an hour; how much of it buys waiting is not known", cost.per_hour,
                            cost.currency);
      paragraph("money: ",
                lost + (cost.prices_dated.empty() ? "" : " (prices of " + cost.prices_dated + ")"));
    }
  }

  void gpus() {
    if (report_.gpus.empty()) return;
    gap();
    Table table({"GPU", "name", "util %", "<10 %", ">=90 %", "SM %", "GiB", "of", "W", "of", "period"});
    for (std::size_t i = 0; i < report_.gpus.size() && i < kGpusShown; ++i) {
      const GpuSummary& gpu = report_.gpus[i];
      table.row({fmt::format("{}", gpu.index),
                 gpu.name.empty() ? std::string(kUnknown) : printable(gpu.name).substr(0, 18),
                 whole(gpu.util_mean), whole(gpu.below_10_share, 100), whole(gpu.above_90_share, 100),
                 whole(gpu.sm_active_mean), gigabytes(gpu.memory_used_bytes),
                 gigabytes(gpu.memory_total_bytes), whole(gpu.power_mean_w), whole(gpu.power_limit_w),
                 number(gpu.period_s, "s")});
    }
    std::vector<std::string> rows = table.lines();
    rows.front() = paint_.dim(rows.front());
    lines_.insert(lines_.end(), rows.begin(), rows.end());
    if (report_.gpus.size() > kGpusShown)
      line(fmt::format("and {} more; --json has all", report_.gpus.size() - kGpusShown));
  }

  void machine() {
    const CpuSummary& cpu = report_.cpu;
    if (cpu.allowed.known() || cpu.training.known()) {
      gap();
      paragraph(
          "cpus  ",
          fmt::format(
              "{} may be used{}; the training uses {}, others {}", number(cpu.allowed),
              cpu.limited_by.empty() ? "" : fmt::format(" of {} ({})", number(cpu.online), cpu.limited_by),
              number(cpu.training), number(cpu.others)));
    }
    if (cpu.workers.known() && *cpu.workers > 0 && cpu.workers_on_cpu.known()) {
      paragraph("work  ", fmt::format("{}: {}", counted(static_cast<std::size_t>(*cpu.workers), "worker"),
                                      parts_text({{"on a CPU", cpu.workers_on_cpu},
                                                  {"waiting for one", cpu.workers_waiting_for_cpu},
                                                  {"in I/O", cpu.workers_in_io},
                                                  {"idle", cpu.workers_idle},
                                                  {"stopped", cpu.workers_stopped},
                                                  {"otherwise asleep", cpu.workers_asleep}})));
    }
    const IoSummary& io = report_.io;
    if (io.read_chars_per_s.known()) {
      constexpr double kMB = 1e6;
      const auto rate = [](const Reading<double>& value) {
        return value.known() ? number(*value / kMB, "MB/s") : std::string(kUnknown);
      };
      std::string text =
          fmt::format("{} read, {} of it from devices", rate(io.read_chars_per_s), rate(io.read_bytes_per_s));
      if (io.limit_bytes_per_s.known())
        text += fmt::format("; limit {} ({})", rate(io.limit_bytes_per_s), io.limited_by);
      if (!io.mount.empty()) text += "; " + io.mount;
      paragraph("i/o   ", text);
    }
  }

  // What speaks for the verdict; sources are in the JSON.
  void evidence() {
    if (report_.evidence.empty()) return;
    std::string text;
    std::size_t shown = 0;
    for (const Evidence& one : report_.evidence) {
      if (!one.value.known()) continue;
      if (shown++ == measure_.evidence) break;
      text += fmt::format("{}{} {}", text.empty() ? "" : "; ", one.what, number(one.value, one.unit));
    }
    if (!text.empty()) paragraph("seen  ", text);
  }

  void fixes() {
    if (report_.fixes.empty()) return;
    gap();
    line(paint_.bold("What would help"));
    for (std::size_t i = 0; i < report_.fixes.size() && i < measure_.fixes; ++i) {
      const Fix& fix = report_.fixes[i];
      std::string text = fmt::format("{}: {}", fix.what, gain_text(fix));
      if (fix.predicted_images_per_s.known())
        text += fmt::format(", {}{} images/s", report_.images_per_s_about ? "about " : "",
                            short_number(*fix.predicted_images_per_s));
      paragraph(fmt::format("{}  ", i + 1), text);
      if (!fix.how.empty() && i < measure_.hows)
        paragraph("     ", fmt::format("{}: {}", fix.how[0].tool, fix.how[0].text));
    }
  }

  void unknown() {
    if (report_.unknown.empty()) return;
    gap();
    for (std::size_t i = 0; i < report_.unknown.size() && i < measure_.unknown; ++i)
      paragraph("?     ", fmt::format("not known: {} ({})", report_.unknown[i].what, report_.unknown[i].why));
    if (report_.unknown.size() > measure_.unknown)
      line(fmt::format("and {} more; --json has all", report_.unknown.size() - measure_.unknown));
  }

  const Report& report_;
  TextStyle style_;
  Measure measure_ = kMeasures.front();
  Painter paint_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> report_text(const Report& report, const std::string& subject,
                                     const TextStyle& style) {
  return Page(report, style).lines(subject);
}

}  // namespace stoker::show
