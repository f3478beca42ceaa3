#include "fake_nvml/events.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

namespace stoker::fake_nvml {

namespace {

constexpr std::size_t kMaxLine = 64 << 10;
constexpr int kMaxGpus = 64;
constexpr double kMinLoop = 0.1;

const std::set<std::string>& known_facts() {
  static const std::set<std::string> known = {"name",
                                              "uuid",
                                              "memory_total_mib",
                                              "power_limit_w",
                                              "pcie_generation_max",
                                              "pcie_width_max",
                                              "sm_clock_max_mhz",
                                              "gpm",
                                              "mig",
                                              "period",
                                              "pcie_call_ms",
                                              "dry",
                                              "stamps"};
  return known;
}

const std::set<std::string>& known_values() {
  static const std::set<std::string> known = {
      "util",          "memory_util",   "memory_used_mib", "power_w",    "sm_clock_mhz",  "slow_reasons",
      "sm_active",     "jpeg",          "pcie_generation", "pcie_width", "temperature_c", "lost",
      "pcie_rx_mib_s", "pcie_tx_mib_s", "encoder",         "decoder"};
  return known;
}

std::optional<double> to_number(const std::string& text) {
  if (text.empty()) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);  // takes 0x… too
  if (*end != '\0' || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace

std::size_t Series::steps_until(double time) const {
  const auto after = std::upper_bound(steps_.begin(), steps_.end(), time,
                                      [](double t, const Step& step) { return t < step.time; });
  return static_cast<std::size_t>(after - steps_.begin());
}

void Series::set(double time, std::optional<double> value) {
  const std::size_t place = steps_until(time);
  steps_.insert(steps_.begin() + static_cast<std::ptrdiff_t>(place), {time, value});
}

std::optional<double> Series::at(double time) const {
  const std::size_t place = steps_until(time);
  return place == 0 ? std::nullopt : steps_[place - 1].value;
}

template <class Otherwise>
double Series::integral(double from, double until, const Otherwise& otherwise) const {
  double sum = 0;
  std::size_t next = steps_until(from);
  while (from < until) {
    const double end = next < steps_.size() ? std::min(steps_[next].time, until) : until;
    const std::optional<double> value = next == 0 ? std::nullopt : steps_[next - 1].value;
    sum += value ? *value * (end - from) : otherwise(from, end);
    from = end;
    ++next;
  }
  return sum;
}

void Busy::begin(double time) {
  if (!intervals_.empty()) {
    const Interval& last = intervals_.back();
    if (std::isinf(last.end)) return;  // busy already
    time = std::max(time, last.end);
  }
  const double before =
      intervals_.empty() ? 0 : intervals_.back().before + intervals_.back().end - intervals_.back().begin;
  intervals_.push_back({time, std::numeric_limits<double>::infinity(), before});
}

void Busy::end(double time) {
  if (intervals_.empty() || !std::isinf(intervals_.back().end)) return;
  intervals_.back().end = std::max(time, intervals_.back().begin);
}

double Busy::seconds_until(double time) const {
  const auto after = std::upper_bound(intervals_.begin(), intervals_.end(), time,
                                      [](double t, const Interval& interval) { return t < interval.begin; });
  if (after == intervals_.begin()) return 0;
  const Interval& last = *(after - 1);
  return last.before + std::min(time, last.end) - last.begin;
}

double Busy::seconds(double from, double until) const { return seconds_until(until) - seconds_until(from); }

std::string Gpu::fact(const std::string& key, const std::string& other) const {
  const auto found = facts.find(key);
  return found == facts.end() ? other : found->second;
}

double Gpu::number(const std::string& key, double other) const {
  return to_number(fact(key, "")).value_or(other);
}

std::optional<double> Gpu::seen_at(const std::string& key, double time) const {
  const auto found = seen.find(key);
  return found == seen.end() ? std::nullopt : found->second.at(time);
}

bool Machine::open(const std::string& path, double now) {
  *this = Machine();
  path_ = path;
  start_ = now;
  if (!std::ifstream(path)) return false;
  refresh();
  return true;
}

void Machine::refresh() {
  std::ifstream file(path_, std::ios::binary | std::ios::ate);
  if (!file) return;
  const auto size = static_cast<std::size_t>(file.tellg());
  if (size < offset_) {
    const std::string path = path_;
    const double start = start_;
    *this = Machine();
    path_ = path;
    start_ = start;
  }
  file.seekg(static_cast<std::streamoff>(offset_));
  std::array<char, 64 << 10> buffer;
  while (offset_ < size) {
    file.read(buffer.data(), static_cast<std::streamsize>(std::min(buffer.size(), size - offset_)));
    if (file.gcount() <= 0) return;
    offset_ += static_cast<std::size_t>(file.gcount());
    rest_.append(buffer.data(), static_cast<std::size_t>(file.gcount()));
    std::size_t begin = 0;
    for (std::size_t end; (end = rest_.find('\n', begin)) != std::string::npos; begin = end + 1)
      read_line(std::string_view(rest_).substr(begin, end - begin));
    rest_.erase(0, begin);
    if (rest_.size() > kMaxLine) rest_.assign("# a line without an end");
  }
}

void Machine::complain(std::string_view line, const std::string& why) const {
  std::fprintf(stderr, "fake NVML: %s:%zu: %s: %.*s\n", path_.c_str(), lines_, why.c_str(),
               static_cast<int>(std::min<std::size_t>(line.size(), 200)), line.data());
}

void Machine::read_line(std::string_view line) {
  ++lines_;
  std::istringstream text{std::string(line.substr(0, line.find('#')))};
  std::string verb, word;
  if (!(text >> verb)) return;
  if (verb == "clock") {
    text >> word;
    origin_ = word == "start" ? start_ : 0;
    if (text >> word && word == "loop") text >> word, loop_ = std::max(to_number(word).value_or(0), kMinLoop);
    return;
  }
  double time = 0;
  if (verb != "gpu") {
    text >> word;
    const std::optional<double> read = to_number(word);
    if (!read) return complain(line, "no time");
    time = *read;
    if (!first_event_ || time < *first_event_) first_event_ = time;
  }
  word.clear();
  text >> word;
  const std::optional<double> index = to_number(word);
  if (!index || *index < 0 || *index >= kMaxGpus) return complain(line, "no GPU's index");
  if (gpus.size() <= static_cast<std::size_t>(*index)) gpus.resize(static_cast<std::size_t>(*index) + 1);
  Gpu& gpu = gpus[static_cast<std::size_t>(*index)];

  std::map<std::string, std::string> pairs;
  while (text >> word) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) return complain(line, "not key=value: " + word);
    pairs[word.substr(0, equals)] = word.substr(equals + 1);
  }
  if (verb == "gpu") {
    for (auto& [key, value] : pairs) {
      if (!known_facts().contains(key)) complain(line, "unknown key " + key);
      std::replace(value.begin(), value.end(), '_', ' ');
      gpu.facts[key] = value;
    }
  } else if (verb == "seen") {
    const std::string prefix = pairs.contains("mig") ? pairs["mig"] + "." : "";
    for (const auto& [key, value] : pairs) {
      if (key == "mig") continue;
      if (!known_values().contains(key)) complain(line, "unknown key " + key);
      gpu.seen[prefix + key].set(time, to_number(value));  // "-" takes a value back
    }
  } else if (verb == "busy") {
    gpu.busy.begin(time);
  } else if (verb == "idle") {
    gpu.busy.end(time);
  } else if (verb == "process" || verb == "gone") {
    const std::optional<double> pid = to_number(pairs["pid"]);
    if (!pid) return complain(line, "no pid");
    for (Process& process : gpu.processes)
      if (process.pid == static_cast<unsigned>(*pid) && std::isinf(process.end)) process.end = time;
    if (verb == "gone") return;
    Process process{.pid = static_cast<unsigned>(*pid), .begin = time};
    process.memory_mib = to_number(pairs["memory_mib"]).value_or(0);
    process.sm = to_number(pairs["sm"]);
    if (pairs.contains("kind")) process.kind = pairs["kind"];
    process.mig = static_cast<int>(to_number(pairs["mig"]).value_or(-1));
    gpu.processes.push_back(process);
  } else {
    complain(line, "unknown event " + verb);
  }
}

double Machine::file_time(double time) const {
  time -= origin_;
  return loop_ > 0 && time >= 0 ? std::fmod(time, loop_) : time;
}

std::optional<double> Machine::seen(const Gpu& gpu, const std::string& key, double time) const {
  return gpu.seen_at(key, file_time(time));
}

template <class Integral>
double Machine::mean(double from, double until, const Integral& integral) const {
  const double seconds = until - from;
  if (seconds <= 0) return 0;
  if (loop_ <= 0) return integral(from - origin_, until - origin_) / seconds;
  double sum = 0;
  for (from -= origin_, until -= origin_; from < until;) {
    const double cycle = std::floor(std::max(from, 0.0) / loop_) * loop_;
    const double end = std::min(cycle + loop_, until);
    sum += integral(from - cycle, end - cycle);
    from = end > from ? end : until;
  }
  return sum / seconds;
}

namespace {

const Series& series(const Gpu& gpu, const std::string& key) {
  static const Series kNone;
  const auto found = gpu.seen.find(key);
  return found == gpu.seen.end() ? kNone : found->second;
}

// In percent seconds.
double util_integral(const Gpu& gpu, double from, double until) {
  return series(gpu, "util").integral(from, until, [&](double a, double b) {
    return 100 * gpu.busy.seconds(a, b);
  });
}

}  // namespace

double Machine::mean_util(const Gpu& gpu, double from, double until) const {
  return mean(from, until, [&](double a, double b) { return util_integral(gpu, a, b); });
}

// Where nothing is said, kernels that fill three quarters of the SMs.
double Machine::mean_sm_active(const Gpu& gpu, int mig, double from, double until) const {
  const std::string key = mig < 0 ? "sm_active" : std::to_string(mig) + ".sm_active";
  return mean(from, until, [&](double a, double b) {
    return series(gpu, key).integral(a, b,
                                     [&](double c, double d) { return 0.75 * util_integral(gpu, c, d); });
  });
}

// Where nothing is said, 15 % of the limit when idle and 80 % when busy.
double Machine::mean_power_w(const Gpu& gpu, double from, double until) const {
  const double limit = gpu.number("power_limit_w", 300);
  return mean(from, until, [&](double a, double b) {
    return series(gpu, "power_w").integral(a, b, [&](double c, double d) {
      return limit * (0.15 * (d - c) + 0.65 * std::min(util_integral(gpu, c, d) / 100, d - c));
    });
  });
}

double Machine::begin() const { return origin_ > 0 ? origin_ : first_event_.value_or(start_); }

std::vector<Process> Machine::processes(const Gpu& gpu, double time) const {
  const double at = file_time(time);
  std::vector<Process> found;
  for (const Process& process : gpu.processes)
    if (process.begin <= at && at < process.end) found.push_back(process);
  return found;
}

}  // namespace stoker::fake_nvml
