#include "watch/gpu_reader.hpp"

#include <optional>
#include <thread>
#include <utility>

#include "base/mutex.hpp"
#include "watch/gpu/gpu_probe.hpp"

namespace stoker::watch {

namespace {

constexpr std::chrono::milliseconds kPollEvery{100};
constexpr std::chrono::seconds kLastPatience{2};

}  // namespace

struct GpuReader::Shared {
  Mutex mutex;
  CondVar changed;
  bool wanted STOKER_GUARDED_BY(mutex) = false;
  bool reading STOKER_GUARDED_BY(mutex) = false;
  bool stop STOKER_GUARDED_BY(mutex) = false;
  bool stopped STOKER_GUARDED_BY(mutex) = false;
  std::optional<Snapshot> result STOKER_GUARDED_BY(mutex);
  std::chrono::nanoseconds cost STOKER_GUARDED_BY(mutex){};
};

GpuReader::GpuReader(const WatchOptions& options) : shared_(std::make_shared<Shared>()) {
  std::thread([shared = shared_, options] { serve(shared, options); }).detach();
}

GpuReader::~GpuReader() {
  const auto end = std::chrono::steady_clock::now() + kLastPatience;
  const MutexLock lock(shared_->mutex);
  shared_->stop = true;
  shared_->changed.notify_all();
  while (!shared_->stopped && std::chrono::steady_clock::now() < end) {
    shared_->changed.wait_for(shared_->mutex, std::chrono::milliseconds(100));
  }
}

void GpuReader::serve(const std::shared_ptr<Shared>& shared, const WatchOptions& options) {
  // Here, not in the constructor: to load the driver may take seconds.
  std::optional<GpuProbe> probe(std::in_place, options);
  bool any = true;
  for (;;) {
    bool read = false;
    {
      const MutexLock lock(shared->mutex);
      if (!shared->wanted && !shared->stop) {
        if (any) {
          shared->changed.wait_for(shared->mutex, kPollEvery);
        } else {
          shared->changed.wait(shared->mutex);
        }
      }
      if (shared->stop) break;
      read = std::exchange(shared->wanted, false);
    }
    if (!read) {
      if (any) probe->poll();
      continue;
    }
    Snapshot result;
    const auto begin = std::chrono::steady_clock::now();
    probe->read(result);
    any = !result.gpus.empty();
    const MutexLock lock(shared->mutex);
    shared->cost = std::chrono::steady_clock::now() - begin;
    shared->result = std::move(result);
    shared->reading = false;
    shared->changed.notify_all();
  }
  probe.reset();
  const MutexLock lock(shared->mutex);
  shared->stopped = true;
  shared->changed.notify_all();
}

void GpuReader::start() {
  const MutexLock lock(shared_->mutex);
  if (shared_->reading || shared_->result) return;
  shared_->reading = shared_->wanted = true;
  shared_->changed.notify_all();
}

void GpuReader::take(Snapshot& snapshot, std::chrono::milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  const MutexLock lock(shared_->mutex);
  while (!shared_->result && shared_->reading) {
    const auto left = end - std::chrono::steady_clock::now();
    if (left <= left.zero()) break;
    shared_->changed.wait_for(shared_->mutex, left);
  }
  if (!shared_->result) {
    snapshot.not_seen.push_back({"GPUs", "their driver does not answer"});
    return;
  }
  snapshot.gpus = std::move(shared_->result->gpus);
  for (NotSeen& unseen : shared_->result->not_seen) snapshot.not_seen.push_back(std::move(unseen));
  shared_->result.reset();
}

std::chrono::nanoseconds GpuReader::cost() const {
  const MutexLock lock(shared_->mutex);
  return shared_->cost;
}

}  // namespace stoker::watch
