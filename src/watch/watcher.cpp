#include <algorithm>
#include <chrono>
#include <optional>
#include <random>
#include <thread>
#include <utility>

#include "stoker/watch.hpp"

#include "watch/gpu_reader.hpp"
#include "watch/linux/devices.hpp"
#include "watch/linux/host.hpp"
#include "watch/linux/training_watch.hpp"

namespace stoker {

namespace {

using Clock = std::chrono::steady_clock;  // CLOCK_MONOTONIC

constexpr std::chrono::milliseconds kLookEvery{1000};
// Looking for new processes may take one part in this of the time.
constexpr int kLookShare = 300;
// A driver's first answer may have to load it.
constexpr std::chrono::milliseconds kFirstPatience{15'000}, kPatience{1000};

double seconds(std::chrono::nanoseconds time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

struct Watcher::Parts {
  explicit Parts(WatchOptions given) : options(std::move(given)), host(options.proc_root, options.sys_root) {
    if (options.pid != 0) training.emplace(options);
    gpus.emplace(options);
  }

  // A period, longer or shorter by up to 60 %.
  Clock::duration jittered(std::chrono::milliseconds period) {
    std::uniform_real_distribution<double> factor(0.4, 1.6);
    const std::chrono::duration<double, std::milli> wait(static_cast<double>(period.count()) *
                                                         factor(random));
    return std::chrono::duration_cast<Clock::duration>(wait);
  }

  void look() {
    const auto begin = Clock::now();
    training->look();
    const auto end = Clock::now();
    next_look = end + std::max<Clock::duration>(kLookEvery, (end - begin) * kLookShare);
  }

  // Until `end`. GPUs are read so that they are done by then.
  void sample_until(Clock::time_point end) {
    Clock::time_point now = Clock::now();
    Clock::time_point start_gpus = end - gpus->cost() * 5 / 4;
    Clock::time_point next_main = now + jittered(options.main_thread_every);
    Clock::time_point next_others = now + jittered(options.workers_every);
    while (now < end) {
      if (training && now >= next_look) look();
      if (training && options.threads && now >= next_main) {
        training->sample_main();
        next_main = now + jittered(options.main_thread_every);
      }
      if (training && options.threads && now >= next_others) {
        training->sample_others();
        next_others = now + jittered(options.workers_every);
      }
      if (now >= start_gpus) {
        gpus->start();
        start_gpus = Clock::time_point::max();
      }
      Clock::time_point wake = std::min(end, start_gpus);
      if (training) wake = std::min(wake, next_look);
      if (training && options.threads) wake = std::min({wake, next_main, next_others});
      std::this_thread::sleep_until(wake);
      now = Clock::now();
    }
  }

  Snapshot read(std::chrono::milliseconds patience) {
    gpus->start();
    Snapshot snapshot;
    snapshot.time_s = seconds(Clock::now().time_since_epoch());
    snapshot.wall_s = seconds(std::chrono::system_clock::now().time_since_epoch());
    snapshot.host = host.read();
    if (training) training->read(snapshot);
    snapshot.devices = watch::read_devices(options.proc_root, options.sys_root, snapshot.mounts);
    snapshot.networks = watch::read_networks(options.proc_root, options.sys_root, options.pid);
    gpus->take(snapshot, patience);
    return snapshot;
  }

  WatchOptions options;
  watch::HostReader host;
  std::optional<watch::TrainingWatch> training;
  std::optional<watch::GpuReader> gpus;
  std::minstd_rand random{std::random_device{}()};
  Clock::time_point next_look = Clock::now() + kLookEvery;
};

Watcher::Watcher(WatchOptions options) : parts_(std::make_unique<Parts>(std::move(options))) {}
Watcher::~Watcher() = default;
Watcher::Watcher(Watcher&&) noexcept = default;
Watcher& Watcher::operator=(Watcher&&) noexcept = default;

Snapshot Watcher::first() { return parts_->read(kFirstPatience); }

Snapshot Watcher::next() {
  parts_->sample_until(Clock::now() + parts_->options.interval);
  return parts_->read(kPatience);
}

bool Watcher::watched_process_lives() const { return parts_->training && parts_->training->lives(); }

}  // namespace stoker
