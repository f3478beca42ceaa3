#include "bench/decode_picture.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <vector>

namespace stoker::bench {

namespace {

constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --ground: #ffffff; --text: #1b1f23; --muted: #5b6570; --line: #d5dae0;
  --unit: #9aa4ae; --exact: #2f6fb0; --near: #c06a2b; }
@media (prefers-color-scheme: dark) { :root { --ground: #14171a; --text: #e4e7ea; --muted: #9aa4ae; --line: #353c43;
  --unit: #66707a; --exact: #66a6e6; --near: #e0965c; } }
body { margin: 2rem auto; padding: 0 1rem; max-width: 60rem; background: var(--ground); color: var(--text);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.3rem; margin: 0; } p { color: var(--muted); margin: .4rem 0; }
svg { width: 100%; height: auto; margin: 1rem 0; } svg text { font: 13px system-ui, sans-serif; fill: var(--text); }
svg .group { font-weight: 600; } svg .tick, svg .about { fill: var(--muted); font-size: 11px; }
svg .grid { stroke: var(--line); } svg .one { stroke: var(--muted); stroke-dasharray: 3 3; }
svg .spread { stroke: var(--text); stroke-width: 1.5; fill: none; }
.unit { fill: var(--unit); } .exact { fill: var(--exact); } .near { fill: var(--near); }
.key { display: inline-block; width: .8em; height: .8em; border-radius: 2px; margin: 0 .35em 0 .9em; }
.key.unit { background: var(--unit); } .key.exact { background: var(--exact); } .key.near { background: var(--near); }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .2rem .7rem; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
)";

// Of the drawing, in its own units.
constexpr double kWidth = 930, kLabelEnd = 300, kBarsEnd = 760, kRow = 34, kGroup = 36, kBar = 16, kTop = 8;

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        // XML allows no other control characters, and a name may hold any byte.
        out += static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7F ? '?' : c;
    }
  }
  return out;
}

const char* colour_of(const DecodeRow& row) {
  if (row.name == row.baseline || row.name.starts_with("turbo_")) return "unit";
  return row.check.exact ? "exact" : "near";
}

// What the bars of one group are divided by: the routes that do one work.
struct Group {
  const DecodeRow* unit = nullptr;
  std::vector<const DecodeRow*> rows;
};

std::vector<Group> groups_of(const DecodeBenchReport& report) {
  std::vector<Group> groups;
  for (const DecodeRow& row : report.rows) {
    const auto names_it = [&row](const Group& group) { return group.unit->name == row.baseline; };
    const auto own = std::find_if(groups.begin(), groups.end(), names_it);
    if (row.name.starts_with("turbo_")) {
      groups.push_back({&row, {}});
    } else if (own != groups.end()) {
      own->rows.push_back(&row);
    }
  }
  std::erase_if(groups, [](const Group& group) { return group.rows.empty(); });
  return groups;
}

std::string work_of(const Group& group, const DecodeBenchReport& report) {
  if (group.unit->name == "turbo_full") return "The whole picture";
  if (group.unit->name == "turbo_eval_resize")
    return fmt::format("Evaluation: short side {}, centre {}", std::lround(report.output_size * 256.0 / 224),
                       report.output_size);
  return fmt::format("Training: random resized crop to {}", report.output_size);
}

class Drawing {
 public:
  explicit Drawing(const DecodeBenchReport& report) {
    double most = 1;
    for (const DecodeRow& row : report.rows) most = std::max(most, row.ratio_to_turbo.max);
    step_ = most <= 2 ? 0.5 : most <= 8 ? 1 : std::ceil(most / 8);
    end_ = std::ceil(most / step_) * step_;
  }

  void group(const std::string& title) {
    y_ += kGroup;
    body_ += fmt::format("<text class=\"group\" x=\"0\" y=\"{:.0f}\">{}</text>\n", y_ - 10, escaped(title));
  }

  void bar(const DecodeRow& row, const Spread& ratio) {
    const double top = y_ + (kRow - kBar) / 2, middle = y_ + kRow / 2;
    body_ += fmt::format("<text x=\"0\" y=\"{:.0f}\">{}</text>\n", middle - 1, escaped(row.name));
    body_ += fmt::format("<text class=\"about\" x=\"0\" y=\"{:.0f}\">{}</text>\n", middle + 12,
                         escaped(row.about));
    body_ += fmt::format(
        "<rect class=\"{}\" x=\"{:.0f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.0f}\" rx=\"2\"/>\n",
        colour_of(row), kLabelEnd, top, x_of(ratio.median) - kLabelEnd, kBar);
    body_ += fmt::format(
        "<path class=\"spread\" d=\"M{0:.1f} {2:.1f}H{1:.1f}M{0:.1f} {3:.1f}V{4:.1f}M{1:.1f} "
        "{3:.1f}V{4:.1f}\"/>\n",
        x_of(ratio.min), x_of(ratio.max), middle, middle - 4, middle + 4);
    body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.0f}\">{:.2f}×, {:.0f} images/s</text>\n",
                         x_of(ratio.max) + 8, middle + 4, ratio.median, row.images_per_s.median);
    y_ += kRow;
  }

  std::string svg() const {
    std::string grid;
    for (double tick = 0; tick <= end_ + step_ / 2; tick += step_) {
      grid += fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.0f}V{:.0f}\"/>\n", tick == 1 ? "one" : "grid",
                          x_of(tick), kTop + kGroup, y_);
      grid +=
          fmt::format("<text class=\"tick\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{:.0f}\">{:g}×</text>\n",
                      x_of(tick), y_ + 16, tick);
    }
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" "
        "aria-label=\"Decode rates beside libjpeg-turbo; the table below holds the figures\">\n{}{}</svg>\n",
        kWidth, y_ + 24, grid, body_);
  }

 private:
  double x_of(double ratio) const { return kLabelEnd + (kBarsEnd - kLabelEnd) * ratio / end_; }

  double end_ = 1, step_ = 1;
  double y_ = kTop;
  std::string body_;
};

std::string drawn(const DecodeBenchReport& report) {
  constexpr Spread kOne{1, 1, 1};
  Drawing drawing(report);
  for (const Group& group : groups_of(report)) {
    drawing.group(work_of(group, report));
    drawing.bar(*group.unit, kOne);
    for (const DecodeRow* row : group.rows) drawing.bar(*row, row->ratio_to_turbo);
  }
  return drawing.svg();
}

std::string error_cells(const RouteCheck& check) {
  if (check.exact) return "<td>all equal</td><td></td><td></td><td></td>";
  if (!check.error) return "<td>another shape</td><td></td><td></td><td></td>";
  return fmt::format("<td>{:.3f}</td><td>{}</td><td>{:.1f} dB</td><td>{:.1f} dB</td>", check.error->mean,
                     check.error->max, check.error->psnr_db, check.error->worst_psnr_db);
}

std::string table(const DecodeBenchReport& report) {
  std::string out =
      "<div class=\"scroll\"><table>\n<tr><th>route</th><th>images/s</th><th>ratio (min–max)</th><th>to</th>"
      "<th>mean error</th><th>max</th><th>PSNR</th><th>worst image</th><th>by libjpeg-turbo</th></tr>\n";
  for (const DecodeRow& row : report.rows) {
    out += fmt::format(
        "<tr><td>{}</td><td>{:.0f}</td><td>{:.2f} ({:.2f}–{:.2f})</td><td>{}</td>{}<td>{}</td></tr>\n",
        escaped(row.name), row.images_per_s.median, row.ratio_to_turbo.median, row.ratio_to_turbo.min,
        row.ratio_to_turbo.max, escaped(row.baseline), error_cells(row.check), row.check.turbo_images);
  }
  return out + "</table></div>\n";
}

std::string from_words(const DecodeBenchReport& report) {
  switch (report.from) {
    case SampleSource::memory:
      return "from memory, CPU time of one thread";
    case SampleSource::cache:
      return "read from the page cache, wall time of one thread";
    case SampleSource::cold:
      return "read from storage, page cache dropped, wall time of one thread";
  }
  return "";
}

}  // namespace

std::string decode_picture(const DecodeBenchReport& report, const std::string& version) {
  const Machine& machine = report.machine;
  const std::string form =
      report.as == SampleForm::keep
          ? ""
          : fmt::format(", made {} at quality {}", to_string(report.as), kTranscodeQuality);
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n"
      "<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" content=\"width=device-width\"/>\n"
      "<title>Stoker: JPEG decoding beside libjpeg-turbo</title>\n<style>{}</style>\n</head>\n<body>\n"
      "<h1>JPEG bytes to pixels, beside libjpeg-turbo</h1>\n"
      "<p>{} images{}, {:.0f} kB and {:.2f} Mpixel on average; {}; {} runs in turns after a warm-up; a bar "
      "is "
      "the median, its whisker the least and the most.</p>\n"
      "<p><span class=\"key unit\"></span>libjpeg-turbo <span class=\"key exact\"></span>every pixel equal "
      "<span class=\"key near\"></span>close, see the table</p>\n"
      "{}{}"
      "<p>{}, {} CPUs, {}; stoker {}, libjpeg-turbo {}, {}; {}.</p>\n</body>\n</html>\n",
      kStyle, report.images, form, report.mean_bytes / 1000, report.mean_megapixels, from_words(report),
      report.runs, drawn(report), table(report),
      machine.processor.empty() ? "unknown processor" : escaped(machine.processor), machine.cpus,
      escaped(machine.instructions), escaped(version), escaped(machine.turbo), escaped(machine.compiler),
      escaped(machine.date));
}

}  // namespace stoker::bench
