#include "cli/child.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <initializer_list>
#include <spawn.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>

#include "stoker/error.hpp"

#include "base/child_process.hpp"

extern char** environ;

namespace stoker::cli {

namespace {

constexpr std::chrono::milliseconds kLookEvery{50};
constexpr std::chrono::milliseconds kGroupsMoment{500};

// Of the signals that came while a command lives: how many, and the last one.
std::atomic<int> came{0}, last_signal{0};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may touch lock-free atomics only");
struct sigaction before_int{}, before_term{};

extern "C" void note_signal(int number) {
  last_signal.store(number, std::memory_order_relaxed);
  came.fetch_add(1, std::memory_order_release);
  const struct sigaction& before = number == SIGINT ? before_int : before_term;
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) before.sa_handler(number);
}

// Where they are ignored, as below nohup, they stay so.
void take_signals() {
  came = 0;
  struct sigaction action{};
  action.sa_handler = note_signal;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, nullptr, &before_int);
  sigaction(SIGTERM, nullptr, &before_term);
  if (before_int.sa_handler != SIG_IGN) sigaction(SIGINT, &action, nullptr);
  if (before_term.sa_handler != SIG_IGN) sigaction(SIGTERM, &action, nullptr);
}

void give_signals_back() {
  sigaction(SIGINT, &before_int, nullptr);
  sigaction(SIGTERM, &before_term, nullptr);
}

}  // namespace

std::optional<int> Child::End::exit_status() const {
  return WIFEXITED(status) ? std::optional(WEXITSTATUS(status)) : std::nullopt;
}

std::optional<int> Child::End::signal() const {
  return WIFSIGNALED(status) ? std::optional(WTERMSIG(status)) : std::nullopt;
}

std::string Child::End::text() const { return exit_text(status); }

Child::Child(const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, 2, 1);
  // A pipe that breaks ends it, as it would have ended below a shell.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t fresh;
  sigemptyset(&fresh);
  sigaddset(&fresh, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &fresh);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const int failure = posix_spawnp(&pid_, words[0], &actions, &attributes, words.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failure == 0) {
    take_signals();
    return;
  }
  throw Error(failure == ENOENT ? ErrorCode::not_found : ErrorCode::io,
              {.operation = "start",
               .object = command[0],
               .found = std::generic_category().message(failure),
               .allowed = "",
               .next_step = "give the command as a shell would, behind --"});
}

Child::~Child() {
  wait([](int) {});
  give_signals_back();
}

std::optional<Child::End> Child::ended() {
  int status = 0;
  if (!ended_ && waitpid(pid_, &status, WNOHANG) == pid_) ended_ = End{status};
  return ended_;
}

Child::End Child::wait(const std::function<void(int signal)>& passed) {
  using Clock = std::chrono::steady_clock;
  int told = 0;
  Clock::time_point noticed;
  while (!ended()) {
    const int now = came.load(std::memory_order_acquire);
    if (now > told && told == 0 && noticed == Clock::time_point()) noticed = Clock::now();
    if (now > told && (told > 0 || Clock::now() - noticed > kGroupsMoment)) {
      told = now;
      const int number = last_signal.load(std::memory_order_relaxed);
      kill(pid_, number);
      passed(number);
    }
    std::this_thread::sleep_for(kLookEvery);
  }
  return *ended_;
}

}  // namespace stoker::cli
