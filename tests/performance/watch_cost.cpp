// watch_cost [SECONDS [WORKERS [THREADS]]]: what it costs to watch a training, as JSON. Forks workers with
// threads, half of which compute a little and sleep while the other half wait in poll(), watches them as the
// doctor does, and prints the CPU time taken, in percent of one core, and the memory held.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <poll.h>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "stoker/watch.hpp"

namespace {

void work(bool computes) {
  int ends[2];
  if (pipe(ends) != 0) return;
  pollfd polled{ends[0], POLLIN, 0};
  for (;;) {
    if (computes) {
      const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
      while (std::chrono::steady_clock::now() < end) {
      }
    }
    poll(&polled, 1, computes ? 50 : 5000);
  }
}

[[noreturn]] void worker(int threads) {
  prctl(PR_SET_NAME, "pt_data_worker");
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int i = 1; i < threads; ++i) std::thread(work, i % 2 == 0).detach();
  work(true);
  _exit(1);
}

// The process that is watched, with its workers.
pid_t train(int workers, int threads) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int i = 0; i < workers; ++i) {
    if (fork() == 0) worker(threads);
  }
  for (;;) pause();
}

double own_cpu_s() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& x) {
    return static_cast<double>(x.tv_sec) + static_cast<double>(x.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

long resident_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::strtol(line.c_str() + 6, nullptr, 10);
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  const auto argument = [&](int at, int otherwise) {
    return count > at ? std::atoi(arguments[at]) : otherwise;
  };
  const int seconds = argument(1, 10), workers = argument(2, 16), threads = argument(3, 4);
  if (seconds < 1 || workers < 0 || threads < 1) {
    std::cerr << "usage: watch_cost [SECONDS [WORKERS [THREADS]]]\n";
    return 2;
  }
  const pid_t pid = train(workers, threads);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  int status = 0;
  try {
    stoker::WatchOptions options;
    options.pid = pid;
    stoker::Watcher watcher(options);
    watcher.first();
    const auto begin = std::chrono::steady_clock::now();
    const double cpu_s = own_cpu_s();
    std::uint64_t samples = 0;
    std::size_t seen_threads = 0;
    for (int i = 0; i < seconds; ++i) {
      const stoker::Snapshot snapshot = watcher.next();
      seen_threads = 0;
      for (const auto& process : snapshot.processes) {
        for (const auto& group : process.threads) {
          seen_threads += static_cast<std::size_t>(group.count);
          for (const auto& tally : group.tallies) samples += tally.count;
        }
      }
    }
    const double taken_s = own_cpu_s() - cpu_s;
    const double wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::cout << "{\"workers\": " << workers << ", \"threads\": " << seen_threads
              << ", \"seconds\": " << wall_s
              << ", \"samples_per_s\": " << static_cast<double>(samples) / wall_s
              << ", \"percent_of_a_core\": " << 100 * taken_s / wall_s
              << ", \"resident_mib\": " << static_cast<double>(resident_kib()) / 1024 << "}\n";
  } catch (const std::exception& error) {
    std::cerr << "watch_cost: " << error.what() << '\n';
    status = 1;
  }
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  return status;
}
