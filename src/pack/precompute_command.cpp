#include "pack/precompute_command.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/endian.hpp"
#include "base/os_error.hpp"
#include "base/units.hpp"
#include "base/words.hpp"

namespace stoker::packing {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLook{100};        // between two looks at `cancel`
constexpr std::chrono::milliseconds kLastBreath{500};  // for a process whose output has ended
constexpr std::size_t kWordBytes = 4;
constexpr std::size_t kLeastRoom = 64U << 10;
constexpr std::size_t kLastWords = 2000;  // bytes
constexpr int kLastLines = 3;
constexpr int kMaxReads = 256;                        // of what may be left in a pipe
constexpr int kHopeless = 10;                         // deaths of a command that never answered
constexpr int kNotExecutable = 126, kNotFound = 127;  // the shell's statuses

// The last lines of a text, in one, without what would move a terminal's cursor.
std::string last_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  for (const std::string_view line : split(text, '\n')) {
    if (!trimmed(line).empty()) lines.push_back(trimmed(line));
  }
  const std::size_t first = lines.size() > kLastLines ? lines.size() - kLastLines : 0;
  std::string joined;
  for (std::size_t i = first; i < lines.size(); ++i)
    joined += (joined.empty() ? "" : " | ") + std::string(lines[i]);
  std::replace_if(joined.begin(), joined.end(), [](unsigned char c) { return c < ' ' || c == 0x7F; }, ' ');
  return joined;
}

// As an operator would write the first bytes of a text: "Load".
std::string as_text(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) {
    const char c = static_cast<char>(byte);
    text += c >= ' ' && c < 0x7F ? c : '.';
  }
  return text;
}

}  // namespace

struct PrecomputeCommand::Exchange {
  std::array<std::byte, kWordBytes> size{};
  std::span<const std::byte> in;
  std::size_t written = 0;  // of size and in together
  bool writing = true;
  Clock::time_point deadline;
  std::size_t got = 0;              // bytes of the answer
  std::size_t needed = kWordBytes;  // as far as is known
  std::size_t header = kWordBytes;  // bytes before the payload; 2 words where it failed
  bool known = false;               // `needed` is all
  std::string wrong;                // what was said against the rules

  bool answered() const { return known && got == needed; }
};

PrecomputeCommand::PrecomputeCommand(const PrecomputeOptions& options)
    : command_(options.command), timeout_(options.timeout), cancel_(options.cancel) {}

Result<std::span<const std::byte>> PrecomputeCommand::run(std::string_view key,
                                                          std::span<const std::byte> in) {
  if (in.size() >= kSampleFailed) {
    return fail(
        ErrorCode::unsupported,
        {.operation = "precompute", .found = format_bytes(in.size()), .allowed = "less than 4 GiB a sample"});
  }
  Exchange work{.in = in, .deadline = Clock::now() + timeout_};
  store_le(work.size.data(), static_cast<std::uint32_t>(in.size()));
  prepare_process();
  if (auto done = exchange(work, key); !done) return Failure(std::move(done).error());
  ever_answered_ = true;
  const std::span<const std::byte> payload = std::span(answer_).subspan(work.header, work.got - work.header);
  if (!work.writing && work.written < in.size() + kWordBytes) process_.reset();  // it reads no more
  if (work.header == kWordBytes) return payload;
  const std::string_view reason(reinterpret_cast<const char*>(payload.data()), payload.size());
  return fail(ErrorCode::corrupt_data,
              {.operation = "precompute", .found = "the command says: " + last_lines(reason)});
}

// A process that left since the last sample, or said what nobody asked for, gives way to a new one.
void PrecomputeCommand::prepare_process() {
  if (process_) {
    pollfd entry{.fd = process_->output(), .events = POLLIN, .revents = 0};
    if (::poll(&entry, 1, 0) > 0) process_.reset();
  }
  if (process_) return;
  last_words_.clear();
  errors_ended_ = false;
  process_ = std::make_unique<ChildProcess>(command_);
}

Result<void> PrecomputeCommand::exchange(Exchange& work, std::string_view key) {
  while (!(work.answered() && !work.writing)) {
    if (cancel_ && cancel_->load(std::memory_order_relaxed)) {
      process_.reset();
      throw Error(ErrorCode::cancelled, {.operation = "precompute", .object = std::string(key)});
    }
    const auto left = work.deadline - Clock::now();
    if (left <= Clock::duration::zero()) {
      return give_up(key, fmt::format("no answer in {}",
                                      format_duration(std::chrono::duration<double>(timeout_).count())));
    }
    const bool reading = !work.answered();
    std::array<pollfd, 3> entries{{{reading ? process_->output() : -1, POLLIN, 0},
                                   {errors_ended_ ? -1 : process_->errors(), POLLIN, 0},
                                   {work.writing ? process_->input() : -1, POLLOUT, 0}}};
    const auto wait = std::min<Clock::duration>(left, kLook);
    const int ms = static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(wait).count());
    if (::poll(entries.data(), entries.size(), ms) < 0) {
      if (errno == EINTR) continue;
      throw os_error("wait for", command_, errno);
    }
    if (entries[1].revents != 0) read_errors();
    if (entries[2].revents != 0) write_some(work);
    if (entries[0].revents != 0 && !read_some(work)) return tell_end(key);
    if (!work.wrong.empty()) {
      return give_up(key, work.wrong, "a size as 4 little-endian bytes, then so many bytes");
    }
  }
  return {};
}

void PrecomputeCommand::write_some(Exchange& work) {
  const bool in_size = work.written < kWordBytes;
  const std::span<const std::byte> rest = in_size
                                              ? std::span<const std::byte>(work.size).subspan(work.written)
                                              : work.in.subspan(work.written - kWordBytes);
  if (!rest.empty()) {
    const long written = write_quietly(process_->input(), rest.data(), rest.size());
    if (written >= 0) {
      work.written += static_cast<std::size_t>(written);
    } else if (errno == EPIPE) {
      work.writing = false;  // its output tells more
    } else if (errno != EAGAIN && errno != EINTR) {
      throw os_error("write to", command_, errno);
    }
  }
  if (work.written == kWordBytes + work.in.size()) work.writing = false;
}

// Memory grows with what has come, whatever size was said.
bool PrecomputeCommand::read_some(Exchange& work) {
  const std::size_t room = std::min(work.needed - work.got, std::max(work.got, kLeastRoom));
  if (answer_.size() < work.got + room) answer_.resize(work.got + room);
  const ssize_t got = ::read(process_->output(), answer_.data() + work.got, room);
  if (got < 0) {
    if (errno == EAGAIN || errno == EINTR) return true;
    throw os_error("read from", command_, errno);
  }
  if (got == 0) return false;
  work.got += static_cast<std::size_t>(got);
  if (work.known || work.got < work.needed) {
    if (work.answered()) look_behind(work);
    return true;
  }
  const auto word = load_le<std::uint32_t>(answer_.data() + work.header - kWordBytes);
  const bool failed = work.header == 2 * kWordBytes;
  if (!failed && word == kSampleFailed) {
    work.header = work.needed = 2 * kWordBytes;
    return true;
  }
  const std::uint32_t most = failed ? kMaxReasonBytes : kMaxAnswerBytes;
  if (word > most) {
    work.wrong = fmt::format(
        "the command answers with a size of {}, above {} ('{}' as text: does it print on "
        "its standard output?)",
        word, most, as_text(std::span(answer_).subspan(work.header - kWordBytes, kWordBytes)));
  }
  work.needed = work.header + word;
  work.known = true;
  if (word == 0 && !failed && !work.in.empty()) work.wrong = "the command answers with no bytes";
  if (work.answered()) look_behind(work);
  return true;
}

// A command that prints as it likes has said more by now than what passed for an answer.
void PrecomputeCommand::look_behind(Exchange& work) const {
  int more = 0;
  if (work.wrong.empty() && ::ioctl(process_->output(), FIONREAD, &more) == 0 && more > 0)
    work.wrong = fmt::format(
        "the command says more than its answer of {} bytes ('{}' as text: does it print on its "
        "standard output?)",
        work.needed - work.header, as_text(std::span(answer_).first(kWordBytes)));
}

bool PrecomputeCommand::read_errors() {
  std::array<char, 4096> bytes;
  const ssize_t got = ::read(process_->errors(), bytes.data(), bytes.size());
  errors_ended_ = got == 0;
  if (got <= 0) return false;
  last_words_.append(bytes.data(), static_cast<std::size_t>(got));
  if (last_words_.size() > 2 * kLastWords) last_words_.erase(0, last_words_.size() - kLastWords);
  return true;
}

PrecomputeCommand::Failure PrecomputeCommand::give_up(std::string_view key, std::string found,
                                                      std::string allowed) {
  process_->end(std::chrono::milliseconds(0));
  for (int reads = 0; reads < kMaxReads && read_errors(); ++reads) continue;
  process_.reset();
  const std::string words = last_lines(last_words_);
  if (!words.empty()) found += fmt::format("; its last words: {}", words);
  Error error(ErrorCode::corrupt_data, {.operation = "precompute",
                                        .object = std::string(key),
                                        .found = std::move(found),
                                        .allowed = std::move(allowed)});
  if (ever_answered_ || ++deaths_ < kHopeless) return Failure(std::move(error));
  throw Error(ErrorCode::invalid_argument,
              {.operation = "precompute",
               .object = command_,
               .found = fmt::format("no answer to the first {} samples, the last time: {}", kHopeless,
                                    error.parts().found),
               .next_step = "try the command on one sample"});
}

// Its output has ended: it has ended, or closed it.
PrecomputeCommand::Failure PrecomputeCommand::tell_end(std::string_view key) {
  const int status = process_->end(kLastBreath);
  const bool unknown =
      WIFEXITED(status) && (WEXITSTATUS(status) == kNotExecutable || WEXITSTATUS(status) == kNotFound);
  if (unknown && !ever_answered_) {
    for (int reads = 0; reads < kMaxReads && read_errors(); ++reads) continue;
    throw Error(ErrorCode::invalid_argument,
                {.operation = "precompute",
                 .object = command_,
                 .found = fmt::format("the shell says: {}", last_lines(last_words_)),
                 .next_step = "give the command as a shell would take it"});
  }
  const std::string how = process_->was_killed() ? "closed its standard output" : exit_text(status);
  return give_up(key, fmt::format("the command {} before it answered", how));
}

}  // namespace stoker::packing
