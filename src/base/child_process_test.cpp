#include "base/child_process.hpp"

#include <cerrno>
#include <csignal>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>

namespace stoker {
namespace {

using namespace std::chrono_literals;

// All that comes out of `fd` until its end.
std::string read_all(int fd) {
  std::string text;
  while (true) {
    pollfd entry{.fd = fd, .events = POLLIN, .revents = 0};
    if (::poll(&entry, 1, 10'000) != 1) return text + "(nothing came)";
    char bytes[256];
    const ssize_t got = ::read(fd, bytes, sizeof bytes);
    if (got <= 0) return text;
    text.append(bytes, static_cast<std::size_t>(got));
  }
}

TEST(ChildProcess, ItsStreamsAreOurs) {
  ChildProcess child("read word; echo \"got $word\"; echo grumble >&2; exit 3");
  ASSERT_EQ(write_quietly(child.input(), "apple\n", 6), 6);
  EXPECT_EQ(read_all(child.output()), "got apple\n");
  EXPECT_EQ(read_all(child.errors()), "grumble\n");
  EXPECT_EQ(exit_text(child.end(10s)), "ended with status 3");
  EXPECT_EQ(exit_text(child.end(0s)), "ended with status 3") << "may be asked again";
}

TEST(ChildProcess, AClosedInputEndsWhatReadsToTheEnd) {
  ChildProcess child("cat > /dev/null; exit 7");
  EXPECT_EQ(exit_text(child.end(10s)), "ended with status 7");
}

TEST(ChildProcess, WhatWillNotEndIsKilledWithAllItStarted) {
  int grandchild = 0;
  {
    ChildProcess child("sleep 1000 & echo $!; trap '' TERM; wait");
    std::string number;
    pollfd entry{.fd = child.output(), .events = POLLIN, .revents = 0};
    ASSERT_EQ(::poll(&entry, 1, 10'000), 1);
    char bytes[32];
    const ssize_t got = ::read(child.output(), bytes, sizeof bytes);
    ASSERT_GT(got, 0);
    grandchild = std::stoi(std::string(bytes, static_cast<std::size_t>(got)));
    EXPECT_EQ(::kill(grandchild, 0), 0);
  }
  // Whoever inherited it has to take note of its end: it may be a zombie of somebody else's for a moment.
  for (int tries = 0; tries < 1000 && ::kill(grandchild, 0) == 0; ++tries) {
    const std::string stat = "/proc/" + std::to_string(grandchild) + "/stat";
    std::FILE* file = std::fopen(stat.c_str(), "r");
    if (!file) break;
    char state = '?';
    const int read = std::fscanf(file, "%*d (%*[^)]) %c", &state);
    std::fclose(file);
    if (read == 1 && state == 'Z') break;
    ::usleep(10'000);
    ASSERT_LT(tries, 999) << "it still runs";
  }
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD) << "no zombie of ours";
}

TEST(ChildProcess, ASignalIsTold) {
  ChildProcess child("kill -SEGV $$");
  EXPECT_EQ(exit_text(child.end(10s)), "ended by signal 11 (Segmentation fault)");
}

TEST(ChildProcess, AnotherChildHoldsNoneOfOurPipes) {
  ChildProcess first("cat > /dev/null; exit 5");
  ChildProcess second("sleep 1000");
  EXPECT_EQ(exit_text(first.end(10s)), "ended with status 5") << "its input's end has come";
}

TEST(ChildProcess, SignalsAreAsAFreshProgramHasThem) {
  struct sigaction before{};
  struct sigaction ignore{};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &before);
  ChildProcess child("kill -PIPE $$; exit 1");
  EXPECT_EQ(exit_text(child.end(10s)).substr(0, 18), "ended by signal 13");
  sigaction(SIGPIPE, &before, nullptr);
}

TEST(WriteQuietly, ABrokenPipeIsAnErrorAndNoSignal) {
  struct sigaction before{};
  struct sigaction usual{};
  usual.sa_handler = SIG_DFL;
  sigaction(SIGPIPE, &usual, &before);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  EXPECT_EQ(write_quietly(ends[1], "x", 1), -1);
  EXPECT_EQ(errno, EPIPE);
  ::close(ends[1]);
  sigaction(SIGPIPE, &before, nullptr);
}

}  // namespace
}  // namespace stoker
