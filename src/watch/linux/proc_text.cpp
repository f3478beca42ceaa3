#include "watch/linux/proc_text.hpp"

#include <algorithm>
#include <charconv>

namespace stoker::watch {

namespace {

constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }

template <class T>
std::optional<T> whole_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "some avg10=0.00 avg60=0.00 avg300=0.00 total=123": the total in seconds.
std::optional<double> pressure_total(std::string_view text, std::string_view key) {
  const auto line = value_of(text, key);
  if (!line) return std::nullopt;
  const std::size_t at = line->find("total=");
  if (at == std::string_view::npos) return std::nullopt;
  const auto total = to_unsigned(line->substr(at + 6));
  if (!total) return std::nullopt;
  return static_cast<double>(*total) * 1e-6;
}

std::optional<std::uint64_t> to_hexadecimal(std::string_view text) {
  if (!text.starts_with("0x")) return std::nullopt;
  text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::string_view Words::next() {
  std::size_t begin = 0;
  while (begin < rest_.size() && is_blank(rest_[begin])) ++begin;
  std::size_t end = begin;
  while (end < rest_.size() && !is_blank(rest_[end])) ++end;
  const std::string_view word = rest_.substr(begin, end - begin);
  rest_.remove_prefix(end);
  return word;
}

template <class T>
std::optional<T> Words::next_number() {
  return whole_number<T>(next());
}
template std::optional<std::int64_t> Words::next_number();
template std::optional<std::uint64_t> Words::next_number();
template std::optional<int> Words::next_number();
template std::optional<double> Words::next_number();

void Words::skip(int words) {
  for (; words > 0; --words) next();
}

std::optional<std::int64_t> to_integer(std::string_view text) { return whole_number<std::int64_t>(text); }
std::optional<std::uint64_t> to_unsigned(std::string_view text) { return whole_number<std::uint64_t>(text); }
std::optional<double> to_double(std::string_view text) { return whole_number<double>(text); }

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::optional<std::string_view> value_of(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!line.starts_with(key)) continue;
    line.remove_prefix(key.size());
    if (!line.empty() && line[0] != ':' && line[0] != ' ' && line[0] != '\t') continue;
    const std::size_t begin = line.find_first_not_of(": \t");
    return begin == std::string_view::npos ? std::string_view() : line.substr(begin);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> number_of(std::string_view text, std::string_view key) {
  const auto value = value_of(text, key);
  if (!value) return std::nullopt;
  return Words(*value).next_number<std::uint64_t>();
}

std::optional<StatHead> parse_stat_head(std::string_view text) {
  const std::size_t open = text.find('(');
  const std::size_t close = text.rfind(')');  // numbers alone stand behind the name
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return std::nullopt;
  Words words(text.substr(close + 1));
  const std::string_view state = words.next();  // field 3
  if (state.size() != 1) return std::nullopt;
  return StatHead{text.substr(open + 1, close - open - 1), state[0]};
}

std::optional<StatLine> parse_stat(std::string_view text) {
  const auto head = parse_stat_head(text);
  if (!head) return std::nullopt;
  StatLine stat;
  stat.name = head->name;
  stat.state = head->state;
  Words words(text.substr(text.rfind(')') + 1));
  words.skip(1);
  const auto parent = words.next_number<std::int64_t>();
  words.skip(9);
  const auto user = words.next_number<std::uint64_t>();  // field 14
  const auto system = words.next_number<std::uint64_t>();
  words.skip(4);
  const auto threads = words.next_number<int>();  // field 20
  words.skip(1);
  const auto start = words.next_number<std::uint64_t>();
  words.skip(1);
  const auto resident = words.next_number<std::uint64_t>();  // field 24
  words.skip(17);
  const auto block_io = words.next_number<std::uint64_t>();  // field 42
  if (!parent || !user || !system || !threads || !start || !resident) return std::nullopt;
  stat.parent = *parent;
  stat.user_ticks = *user;
  stat.system_ticks = *system;
  stat.threads = *threads;
  stat.start_ticks = *start;
  stat.resident_pages = *resident;
  stat.block_io_ticks = block_io.value_or(0);
  return stat;
}

std::optional<SchedTimes> parse_schedstat(std::string_view text) {
  Words words(text);
  const auto cpu_ns = words.next_number<std::uint64_t>();
  const auto delay_ns = words.next_number<std::uint64_t>();
  const auto slices = words.next_number<std::uint64_t>();
  if (!cpu_ns || !delay_ns || !slices || (*cpu_ns == 0 && *delay_ns == 0 && *slices == 0)) {
    return std::nullopt;
  }
  return SchedTimes{static_cast<double>(*cpu_ns) * 1e-9, static_cast<double>(*delay_ns) * 1e-9};
}

std::optional<ProcessIo> parse_io(std::string_view text) {
  const auto read_chars = number_of(text, "rchar");
  const auto written_chars = number_of(text, "wchar");
  const auto read_calls = number_of(text, "syscr");
  const auto read_bytes = number_of(text, "read_bytes");
  const auto written_bytes = number_of(text, "write_bytes");
  if (!read_chars || !written_chars || !read_calls || !read_bytes || !written_bytes) return std::nullopt;
  return ProcessIo{*read_chars, *read_calls, *read_bytes, *written_chars, *written_bytes};
}

std::optional<Pressure> parse_pressure(std::string_view text) {
  const auto some = pressure_total(text, "some");
  if (!some) return std::nullopt;
  return Pressure{*some, pressure_total(text, "full").value_or(0)};
}

CpuTimes parse_cpu_times(std::string_view text, double ticks_per_s) {
  Words words(text);
  const auto next_s = [&] {
    return static_cast<double>(words.next_number<std::uint64_t>().value_or(0)) / ticks_per_s;
  };
  CpuTimes times;
  times.user_s = next_s();
  times.user_s += next_s();  // nice
  times.system_s = next_s();
  times.idle_s = next_s();
  times.iowait_s = next_s();
  times.system_s += next_s();  // irq
  times.system_s += next_s();  // softirq
  times.steal_s = next_s();
  return times;
}

std::string parse_command(std::string text) {
  while (text.ends_with('\0')) text.pop_back();
  std::replace(text.begin(), text.end(), '\0', ' ');
  if (text.size() > kCommandBytes) text.resize(kCommandBytes);
  return text;
}

std::optional<int> count_cpus(std::string_view list) {
  while (!list.empty() && is_blank(list.back())) list.remove_suffix(1);
  if (list.empty()) return std::nullopt;
  std::int64_t count = 0;
  while (!list.empty()) {
    const std::string_view part = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), part.size() + 1));
    const std::size_t dash = part.find('-');
    const auto first = to_integer(part.substr(0, dash));
    const auto end = dash == std::string_view::npos ? first : to_integer(part.substr(dash + 1));
    constexpr std::int64_t kMost = 1 << 20;
    if (!first || !end || *first < 0 || *end < *first || *end > kMost) return std::nullopt;
    count += *end - *first + 1;
  }
  return static_cast<int>(count);
}

std::optional<BlockedCall> parse_syscall(std::string_view text) {
  Words words(text);
  const std::string_view first = words.next();
  BlockedCall call;
  if (first == "running") {
    call.running = true;
    return call;
  }
  const auto number = to_integer(first);
  if (!number || *number < -1) return std::nullopt;
  call.number = static_cast<long>(*number);
  if (call.number < 0) return call;
  for (std::uint64_t& argument : call.arguments) {
    const auto value = to_hexadecimal(words.next());
    if (!value) return std::nullopt;
    argument = *value;
  }
  return call;
}

}  // namespace stoker::watch
