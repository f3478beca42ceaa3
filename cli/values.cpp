#include "cli/values.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/units.hpp"

namespace stoker::cli {

namespace {

constexpr int kMaxThreads = 1024;
constexpr int kMaxSide = 4096;  // of a training picture

[[noreturn]] void refuse(std::string_view text, std::string_view allowed, const std::string& nearest = "") {
  throw UsageError(fmt::format("'{}': allowed: {}{}", text, allowed, did_you_mean(nearest)));
}

std::string lower(std::string_view text) {
  std::string small(text);
  for (char& c : small) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return small;
}

// For "64mb": "64MB". Empty where `text` has no number in front or no unit is near.
std::string with_nearest_unit(std::string_view text, std::span<const std::string_view> units) {
  const std::size_t unit = text.find_first_not_of("0123456789.");
  if (unit == 0 || unit == std::string_view::npos) return "";
  std::size_t begin = unit;
  while (begin < text.size() && text[begin] == ' ') ++begin;
  const std::string nearest = nearest_spelling(text.substr(begin), units);
  return nearest.empty() ? "" : std::string(text.substr(0, unit)) + nearest;
}

}  // namespace

std::string did_you_mean(const std::string& nearest) {
  return nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest);
}

std::string nearest_spelling(std::string_view text, std::span<const std::string_view> names) {
  for (const std::string_view name : names) {
    if (lower(name) == lower(text)) return std::string(name);
  }
  constexpr std::size_t kTelling = 2;  // letters that are more than a coincidence, dashes apart
  const std::size_t letters = text.size() - std::min(text.size(), text.find_first_not_of('-'));
  for (const std::string_view name : names) {
    if (letters >= kTelling && name.starts_with(text)) return std::string(name);
  }
  // "--epochs" for "--num-epochs": nearer than any name that a few letters would make of it.
  const std::string_view bare = text.substr(text.size() - letters);
  for (const std::string_view name : names) {
    if (letters > kTelling && name.find(bare) != std::string_view::npos) return std::string(name);
  }
  return nearest_name(text, names);
}

std::string describe(const Range& range, bool whole) {
  std::string what = whole ? "a whole number" : "a number";
  const bool has_low = range.low != Range{}.low;
  const bool has_high = range.high != Range{}.high;
  const std::string low = format_number(range.low);
  const std::string high = format_number(range.high);
  if (has_low && has_high && range.low_open) return fmt::format("{} above {}, at most {}", what, low, high);
  if (has_low && has_high) return fmt::format("{} in {}..{}", what, low, high);
  if (has_low) return fmt::format("{} {} {}", what, range.low_open ? "above" : "of at least", low);
  if (has_high) return fmt::format("{} of at most {}", what, high);
  return what;
}

std::int64_t parse_integer(std::string_view text, const Range& range) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  const double real = static_cast<double>(value);
  if (!whole || real < range.low || real > range.high || (range.low_open && real == range.low))
    refuse(text, describe(range, true));
  return value;
}

std::uint64_t parse_unsigned(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    refuse(text, "a whole number in 0..18446744073709551615");
  return value;
}

double parse_real(std::string_view text, const Range& range) {
  const Result<double> value = parse_number(text);
  if (!value || *value < range.low || *value > range.high || (range.low_open && *value == range.low))
    refuse(text, describe(range, false));
  return *value;
}

std::string spelled_count(std::uint64_t count) {
  constexpr std::array<std::string_view, 4> kLetters{"K", "M", "G", "T"};
  std::string_view letter;
  for (std::size_t i = 0; i < kLetters.size() && count >= 1000 && count % 1000 == 0; ++i) {
    count /= 1000;
    letter = kLetters[i];
  }
  return fmt::format("{}{}", count, letter);
}

std::uint64_t parse_size(std::string_view text, std::uint64_t low, std::uint64_t high) {
  static constexpr std::array<std::string_view, 17> kUnits{
      "K", "M", "G", "T", "Ki", "Mi", "Gi", "Ti", "KB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB", "B"};
  const Result<std::uint64_t> value = parse_count(text);
  const std::string range = fmt::format("a whole number in {}..{}", spelled_count(low), spelled_count(high));
  if (!value) {
    const std::string& allowed = value.error().parts().allowed;
    const bool is_number = allowed.starts_with("a whole number");  // and too large, or a fraction
    if (is_number) refuse(text, range);
    refuse(text, allowed, with_nearest_unit(text, kUnits));
  }
  if (*value < low || *value > high) refuse(text, range);
  return *value;
}

double parse_seconds(std::string_view text) {
  static constexpr std::array<std::string_view, 7> kUnits{"ns", "us", "ms", "s", "m", "h", "d"};
  const Result<std::chrono::nanoseconds> value = parse_duration(text);
  if (!value) refuse(text, value.error().parts().allowed, with_nearest_unit(text, kUnits));
  if (value->count() <= 0) refuse(text, "a duration above 0: 200ms, 10s, 2m");
  return std::chrono::duration<double>(*value).count();
}

double parse_price(std::string_view text) {
  constexpr std::string_view kPerHour = "/h";
  if (!text.ends_with(kPerHour))
    throw UsageError(fmt::format("'{}'; allowed: a price per hour, as in 3.06/h", text));
  return parse_real(text.substr(0, text.size() - kPerHour.size()), {.low = 0, .high = 1e6});
}

int parse_threads(std::string_view text) {
  if (text == "auto") return 0;
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value >= 1 && value <= kMaxThreads)
    return value;
  static constexpr std::array<std::string_view, 1> kNames{"auto"};
  refuse(text, fmt::format("auto, or a whole number in 1..{}", kMaxThreads), nearest_spelling(text, kNames));
}

std::vector<int> parse_thread_list(std::string_view text) {
  std::vector<int> threads;
  for (const std::string_view part : split(text, ',')) threads.push_back(parse_threads(part));
  return threads;
}

Size parse_image_shape(std::string_view text) {
  const auto parts = split(text, ',');
  std::array<int, 3> shape{};
  bool good = parts.size() == shape.size();
  for (std::size_t i = 0; good && i < shape.size(); ++i) {
    const auto [end, error] = std::from_chars(parts[i].data(), parts[i].data() + parts[i].size(), shape[i]);
    good = error == std::errc() && end == parts[i].data() + parts[i].size() && shape[i] >= 1 &&
           shape[i] <= kMaxSide;
  }
  if (!good || shape[0] != 3)
    refuse(text, fmt::format("3,HEIGHT,WIDTH with sides of 1..{}: 3,64,64", kMaxSide));
  return {.width = shape[2], .height = shape[1]};
}

std::size_t parse_name(std::string_view text, std::span<const std::string_view> names) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end())
    refuse(text, fmt::format("{}", fmt::join(names, ", ")), nearest_spelling(text, names));
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace stoker::cli
