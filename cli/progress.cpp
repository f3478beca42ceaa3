#include "cli/progress.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <sys/ioctl.h>

#include "base/units.hpp"
#include "cli/text.hpp"

namespace stoker::cli {

namespace {

constexpr std::chrono::milliseconds kRedrawEvery{100};
constexpr std::size_t kBarCells = 24;

double rate_of(const ProgressState& state) {
  return state.elapsed_s > 0 ? static_cast<double>(state.done) / state.elapsed_s : 0;
}

std::string share_of(const ProgressState& state) {
  return fmt::format("{:.0f} %", 100.0 * static_cast<double>(state.done) / static_cast<double>(state.total));
}

// ", 830 images/s, 0.6 s to go, 3 skipped"
std::string tail(const ProgressState& state, const std::string& noun) {
  std::string text;
  const double rate = rate_of(state);
  if (rate > 0) text += fmt::format(", {} {}/s", short_number(rate), noun);
  if (rate > 0 && state.total > state.done)
    text += fmt::format(", {} to go", format_duration(static_cast<double>(state.total - state.done) / rate));
  if (!state.extra.empty()) text += ", " + state.extra;
  return text;
}

std::size_t terminal_columns() {
  winsize size{};
  constexpr std::size_t kUsual = 80;
  return ioctl(2, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

}  // namespace

std::string progress_line(const ProgressState& state, const std::string& noun) {
  if (state.total == 0) return fmt::format("{} {}{}", state.done, noun, tail(state, noun));
  return fmt::format("{} of {} {}, {}{}", state.done, state.total, noun, share_of(state), tail(state, noun));
}

std::string progress_bar(const ProgressState& state, const std::string& noun, std::size_t columns) {
  std::string line;
  if (state.total > 0) {
    const std::size_t full = std::min<std::uint64_t>(kBarCells, state.done * kBarCells / state.total);
    line = "[" + std::string(full, '#') + std::string(kBarCells - full, '.') + "] ";
    line += fmt::format("{}/{}, {}{}", state.done, state.total, share_of(state), tail(state, noun));
  } else {
    line = progress_line(state, noun);
  }
  if (line.size() >= columns) line.resize(columns > 0 ? columns - 1 : 0);  // the last cell would wrap
  return line;
}

Progress::Progress(Talk& talk, std::string noun, std::chrono::milliseconds plain_every)
    : talk_(talk),
      noun_(std::move(noun)),
      every_(talk.is_terminal() ? kRedrawEvery : plain_every),
      begin_(std::chrono::steady_clock::now()),
      last_(begin_) {}

Progress::~Progress() {
  if (drawn_) talk_.raw("\r\x1b[K");
}

void Progress::update(std::uint64_t done, std::uint64_t total, const std::string& extra) {
  const auto now = std::chrono::steady_clock::now();
  if (talk_.quiet() || now - last_ < every_) return;
  last_ = now;
  const ProgressState state{done, total, std::chrono::duration<double>(now - begin_).count(), extra};
  if (talk_.is_terminal()) {
    talk_.raw("\r" + progress_bar(state, noun_, terminal_columns()) + "\x1b[K");
    drawn_ = true;
  } else {
    talk_.note(progress_line(state, noun_));
  }
}

}  // namespace stoker::cli
