#include "cli/interrupt.hpp"

#include <initializer_list>
#include <signal.h>

namespace stoker::cli {

namespace {

std::atomic<bool> stop{false};
std::atomic<bool> signalled{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may touch lock-free atomics only");

extern "C" void on_signal(int) {
  signalled.store(true, std::memory_order_relaxed);
  stop.store(true, std::memory_order_release);
}

}  // namespace

void install_signal_handlers() {
  struct sigaction action{};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESETHAND;  // the second one acts as if there were no handler
  sigemptyset(&action.sa_mask);
  for (const int number : {SIGINT, SIGTERM}) sigaction(number, &action, nullptr);
  struct sigaction before{};  // under nohup a closed terminal is to be ignored
  if (sigaction(SIGHUP, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
    sigaction(SIGHUP, &action, nullptr);
  for (const int number : {SIGPIPE, SIGXFSZ}) signal(number, SIG_IGN);  // the write tells
}

const std::atomic<bool>& stop_requested() { return stop; }
void request_stop() { stop.store(true, std::memory_order_release); }
bool interrupted() { return signalled.load(std::memory_order_relaxed); }

}  // namespace stoker::cli
