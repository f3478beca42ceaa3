#include "base/units.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <vector>

namespace stoker {

namespace {

tl::unexpected<Error> bad_value(std::string_view text, std::string allowed) {
  return fail(
      ErrorCode::invalid_argument,
      {.operation = "read value", .object = fmt::format("'{}'", text), .allowed = std::move(allowed)});
}

// The number that text begins with, and what stands behind it.
bool split_number(std::string_view text, double& number, std::string_view& rest) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number)) return false;
  rest = text.substr(static_cast<std::size_t>(end - text.data()));
  return true;
}

struct Unit {
  std::string_view name;
  double factor;
};

constexpr std::array<Unit, 9> kCountUnits{{{"", 1},
                                           {"K", 1e3},
                                           {"M", 1e6},
                                           {"G", 1e9},
                                           {"T", 1e12},
                                           {"Ki", 0x1p10},
                                           {"Mi", 0x1p20},
                                           {"Gi", 0x1p30},
                                           {"Ti", 0x1p40}}};
constexpr std::array<Unit, 8> kDurationUnits{
    {{"", 1e9}, {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}, {"d", 86400e9}}};

}  // namespace

Result<std::uint64_t> parse_count(std::string_view text) {
  const std::string allowed = "a number with K, M, G, T or Ki, Mi, Gi, Ti, and B or not: 64MiB, 256M";
  double number = 0;
  std::string_view rest;
  if (!split_number(text, number, rest) || number < 0) return bad_value(text, allowed);
  if (!rest.empty() && rest.back() == 'B') rest.remove_suffix(1);
  for (const Unit& unit : kCountUnits) {
    if (rest != unit.name) continue;
    const double value = number * unit.factor;
    if (value >= 0x1p63 || value != std::floor(value)) return bad_value(text, "a whole number below 2^63");
    return static_cast<std::uint64_t>(value);
  }
  return bad_value(text, allowed);
}

Result<std::chrono::nanoseconds> parse_duration(std::string_view text) {
  const std::string allowed = "a number with ns, us, ms, s, m, h or d: 200ms, 10m";
  double number = 0;
  std::string_view rest;
  if (!split_number(text, number, rest) || number < 0) return bad_value(text, allowed);
  for (const Unit& unit : kDurationUnits) {
    if (rest != unit.name) continue;
    if (number * unit.factor >= 0x1p63) return bad_value(text, "less than 292 years");
    return std::chrono::nanoseconds(static_cast<std::int64_t>(std::llround(number * unit.factor)));
  }
  return bad_value(text, allowed);
}

Result<double> parse_number(std::string_view text) {
  double number = 0;
  std::string_view rest;
  if (!split_number(text, number, rest) || !rest.empty()) return bad_value(text, "a number");
  return number;
}

Result<std::pair<double, double>> parse_range(std::string_view text) {
  const std::string allowed = "LOW..HIGH with LOW <= HIGH: 0.08..1";
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) return bad_value(text, allowed);
  const Result<double> low = parse_number(text.substr(0, dots));
  const Result<double> high = parse_number(text.substr(dots + 2));
  if (!low || !high || *low > *high) return bad_value(text, allowed);
  return std::pair(*low, *high);
}

std::string format_bytes(std::uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  static constexpr std::array<const char*, 5> kNames{"KiB", "MiB", "GiB", "TiB", "PiB"};
  double value = static_cast<double>(bytes) / 1024;
  std::size_t name = 0;
  while (value >= 1024 && name + 1 < kNames.size()) {
    value /= 1024;
    ++name;
  }
  return fmt::format("{:.{}f} {}", value, value < 10 ? 2 : value < 100 ? 1 : 0, kNames[name]);
}

std::string format_duration(double seconds) {
  if (!(seconds >= 0)) return "unknown";
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  if (seconds >= 1e12) return "> 30000 years";
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 120) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}m {:02}s", whole / 60, whole % 60);
  if (whole < 48 * 3600) return fmt::format("{}h {:02}m", whole / 3600, whole / 60 % 60);
  return fmt::format("{}d {:02}h", whole / 86400, whole / 3600 % 24);
}

std::string format_number(double value) { return fmt::format("{}", value); }

std::string nearest_name(std::string_view name, std::span<const std::string_view> candidates) {
  std::string best;
  std::size_t best_distance = std::numeric_limits<std::size_t>::max();
  for (const std::string_view candidate : candidates) {
    std::vector<std::size_t> row(candidate.size() + 1);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= name.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i;
      for (std::size_t j = 1; j < row.size(); ++j) {
        const std::size_t substitute = diagonal + (name[i - 1] == candidate[j - 1] ? 0 : 1);
        diagonal = row[j];
        row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
      }
    }
    if (row.back() < best_distance && row.back() * 2 <= std::max(name.size(), candidate.size())) {
      best_distance = row.back();
      best = candidate;
    }
  }
  return best;
}

}  // namespace stoker
