#include "watch/logs/log_time.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <string>

#include "watch/logs/log_text.hpp"

namespace stoker::watch {

namespace {

// Takes a whole number of `least` to `most` digits off the text's front.
std::optional<int> take_digits(std::string_view& text, std::size_t least, std::size_t most) {
  std::size_t digits = 0;
  int value = 0;
  for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
    if (digits == most) return std::nullopt;
    value = 10 * value + (text[digits] - '0');
  }
  if (digits < least) return std::nullopt;
  text.remove_prefix(digits);
  return value;
}

bool take(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

struct Parts {
  std::optional<int> year, month, day;
  std::optional<double> clock_s;  // since midnight, in UTC where a zone is told
  int hour = 0;
};

// "03:48:33.493", with "Z", "+02:00" or "-0500" behind it or not.
bool read_clock(std::string_view text, Parts& parts) {
  const auto hour = take_digits(text, 1, 2);
  if (!hour || *hour > 23 || !take(text, ":")) return false;
  const auto minute = take_digits(text, 2, 2);
  if (!minute || *minute > 59) return false;
  double seconds = *hour * 3600.0 + *minute * 60.0;
  if (take(text, ":")) {
    const auto second = take_digits(text, 2, 2);
    if (!second || *second > 60) return false;
    seconds += *second;
    if (take(text, ".,:")) {
      double place = 0.1;
      for (; !text.empty() && text[0] >= '0' && text[0] <= '9'; text.remove_prefix(1), place /= 10)
        seconds += place * (text[0] - '0');
    }
  }
  if (text.starts_with('+') || text.starts_with('-')) {
    const double sign = text[0] == '+' ? -1 : 1;
    text.remove_prefix(1);
    const auto zone_hour = take_digits(text, 2, 4);
    if (!zone_hour) return false;
    const bool together = *zone_hour > 24;  // "0500"
    take(text, ":");
    const int zone_minute = together ? *zone_hour % 100 : take_digits(text, 2, 2).value_or(0);
    seconds += sign * ((together ? *zone_hour / 100 : *zone_hour) * 3600.0 + zone_minute * 60.0);
  } else {
    take(text, "Z");
  }
  parts.clock_s = seconds;
  parts.hour = *hour;
  return text.empty();
}

// "2024/11/23", "23.11.2024", "11/23/2024", "20241123".
bool read_date(std::string_view text, Parts& parts) {
  if (text.size() == 8 && text.find_first_not_of("0123456789") == std::string_view::npos) {
    std::string_view year = text.substr(0, 4), month = text.substr(4, 2), day = text.substr(6);
    parts.year = take_digits(year, 4, 4);
    parts.month = take_digits(month, 2, 2);
    parts.day = take_digits(day, 2, 2);
    return true;
  }
  std::array<int, 3> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0 && !take(text, "-/.")) return false;
    const auto number = take_digits(text, 1, 4);
    if (!number) return false;
    numbers[i] = *number;
  }
  if (!text.empty()) return false;
  if (numbers[0] > 31) {
    parts.year = numbers[0], parts.month = numbers[1], parts.day = numbers[2];
  } else {
    // Month first, as in the United States, unless there is no such month.
    const bool day_first = numbers[0] > 12;
    parts.year = numbers[2];
    parts.month = numbers[day_first ? 1 : 0];
    parts.day = numbers[day_first ? 0 : 1];
  }
  return true;
}

std::optional<int> month_named(const std::string& word) {
  constexpr std::string_view kMonths = "jan feb mar apr may jun jul aug sep oct nov dec";
  const std::size_t at = word.size() >= 3 ? kMonths.find(word.substr(0, 3)) : std::string_view::npos;
  if (at == std::string_view::npos || at % 4 != 0) return std::nullopt;
  return static_cast<int>(at / 4) + 1;
}

bool read_word(std::string_view word, Parts& parts) {
  if (word.ends_with(',')) word.remove_suffix(1);
  if (word.find(':') != std::string_view::npos) return !parts.clock_s && read_clock(word, parts);
  const std::string name = lower(word);
  if (name == "am" || name == "pm") {
    if (!parts.clock_s || parts.hour > 12) return false;
    if (name == "pm" && parts.hour < 12) *parts.clock_s += 43200;
    if (name == "am" && parts.hour == 12) *parts.clock_s -= 43200;
    return true;
  }
  if (name.find_first_not_of("abcdefghijklmnopqrstuvwxyz") == std::string::npos) {
    if (const auto month = month_named(name)) {
      if (!parts.month) parts.month = month;
      return true;
    }
    constexpr std::string_view kWeekdays = "mon tue wed thu fri sat sun";
    const bool zone =
        word.size() <= 5 && word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string_view::npos;
    return zone || (name.size() >= 3 && kWeekdays.find(name.substr(0, 3)) % 4 == 0);
  }
  std::string_view digits = word;
  const auto number = take_digits(digits, 1, 4);
  if (number && digits.empty()) {
    std::optional<int>& part = word.size() == 4 ? parts.year : parts.day;
    if (part) return false;
    part = number;
    return true;
  }
  return !parts.year && read_date(word, parts);
}

std::optional<LogTime> parse_number_of_seconds(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value) || value < 0)
    return std::nullopt;
  if (value >= 1e20) return std::nullopt;
  if (value >= 1e17) return LogTime{value / 1e9, TimeKind::wall};
  if (value >= 1e14) return LogTime{value / 1e6, TimeKind::wall};
  if (value >= 1e11) return LogTime{value / 1e3, TimeKind::wall};
  return LogTime{value, value >= 1e8 ? TimeKind::wall : TimeKind::elapsed};
}

}  // namespace

std::optional<LogTime> parse_log_time(std::string_view text) {
  text = trimmed(text);
  if (text.empty() || text.size() > 64) return std::nullopt;
  if (const auto number = parse_number_of_seconds(text)) return number;
  std::string spaced(text);
  for (std::size_t i = 1; i + 1 < spaced.size(); ++i) {
    const auto is_digit = [&](std::size_t at) { return spaced[at] >= '0' && spaced[at] <= '9'; };
    if (spaced[i] == 'T' && is_digit(i - 1) && is_digit(i + 1)) spaced[i] = ' ';
  }
  Parts parts;
  for (const std::string_view word : words_of(spaced))
    if (!read_word(word, parts)) return std::nullopt;
  if (!parts.clock_s) return std::nullopt;
  if (!parts.year && !parts.month && !parts.day) return LogTime{*parts.clock_s, TimeKind::time_of_day};
  if (!parts.year || !parts.month || !parts.day || *parts.year < 1970) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*parts.year),
                                         std::chrono::month(static_cast<unsigned>(*parts.month)),
                                         std::chrono::day(static_cast<unsigned>(*parts.day))};
  if (!date.ok()) return std::nullopt;
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  return LogTime{static_cast<double>(days) * 86400 + *parts.clock_s, TimeKind::wall};
}

}  // namespace stoker::watch
