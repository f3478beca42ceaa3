#include "cli/output.hpp"

#include <cerrno>
#include <system_error>
#include <unistd.h>

#include "stoker/error.hpp"

#include "cli/interrupt.hpp"
#include "cli/text.hpp"

namespace stoker::cli {

namespace {

constexpr std::size_t kFlushBytes = std::size_t{64} << 10;
constexpr std::chrono::milliseconds kFlushAfter{200};

// 0, or the errno of the failure; EINTR once work is to stop: a reader that takes nothing must not hold it.
int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR && !stop_requested().load(std::memory_order_relaxed)) continue;
    if (count < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

}  // namespace

Output::Output(int descriptor) : descriptor_(descriptor), last_flush_(std::chrono::steady_clock::now()) {}

Output::~Output() {
  if (!closed_) write_all(descriptor_, pending_);
}

void Output::line(std::string_view text) {
  if (closed_) return;
  pending_ += text;
  pending_ += '\n';
  if (pending_.size() >= kFlushBytes || std::chrono::steady_clock::now() - last_flush_ >= kFlushAfter)
    flush();
}

void Output::flush() {
  last_flush_ = std::chrono::steady_clock::now();
  if (closed_) return;
  const int failure = write_all(descriptor_, pending_);
  pending_.clear();
  if (failure == 0) return;
  closed_ = true;
  if (failure == EPIPE || failure == EINTR) {
    request_stop();
    return;
  }
  throw Error(
      failure == ENOSPC ? ErrorCode::out_of_resources : ErrorCode::io,
      {.operation = "write", .object = "standard output", .found = std::generic_category().message(failure)});
}

Talk::Talk(std::string verb, int descriptor)
    : verb_(std::move(verb)), descriptor_(descriptor), is_terminal_(isatty(descriptor) == 1) {}

// A failure to talk has nobody to be told to, so write_all's answer is dropped in these three.
void Talk::note(std::string_view text) {
  if (!quiet_) write_all(descriptor_, options_.spelled(text) + "\n");
}

void Talk::error(std::string_view text) {
  write_all(descriptor_, (verb_.empty() ? "stoker: " : "stoker " + verb_ + ": ") +
                             options_.spelled(printable(text)) + "\n");
}

void Talk::raw(std::string_view bytes) {
  if (!quiet_) write_all(descriptor_, bytes);
}

}  // namespace stoker::cli
