// Keeps the seek points that decoding meets, and publishes them as the source's seek index.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <thread>

#include "stoker/loader.hpp"

#include "base/mutex.hpp"
#include "image/decoder.hpp"
#include "record/seek_index_writer.hpp"

namespace stoker::load {

// Learning never fails a run: what goes wrong ends it, and not_learned says why.
// Threads: note() from many at once; the rest from one.
class SeekLearner {
 public:
  SeekLearner(std::shared_ptr<const RecordReader> records, LearnSeek learn);
  // Waits for what is being published.
  ~SeekLearner();
  SeekLearner(const SeekLearner&) = delete;
  SeekLearner& operator=(const SeekLearner&) = delete;

  // What the next decode is to learn.
  image::Learn wanted() const {
    return is_on_.load(std::memory_order_relaxed) ? learn_ : image::Learn::nothing;
  }
  // Counts a decode, and keeps what it learned (empty: nothing).
  void note(std::uint64_t index, const Sample& sample, image::DecodeRoute route, bool points_failed,
            std::span<const std::byte> learned) STOKER_EXCLUDES(mutex_);
  // Publishes in the background, if there is enough of it to be worth a new file, and lets the reader use it.
  void epoch_ended() STOKER_EXCLUDES(mutex_);
  // Publishes all that is left. For the end of a loader.
  void finish() STOKER_EXCLUDES(mutex_);

  DecodeCounts counts() const STOKER_EXCLUDES(mutex_);

 private:
  void give_up(const std::string& why) STOKER_EXCLUDES(mutex_);
  void publish() STOKER_EXCLUDES(mutex_);

  const std::shared_ptr<const RecordReader> records_;
  const image::Learn learn_;
  std::unique_ptr<record::SeekIndexWriter> writer_;  // null: learning is off
  std::atomic<bool> is_on_{false};
  std::thread publisher_;
  std::atomic<std::uint64_t> own_{0}, seek_{0}, turbo_{0}, other_{0}, points_failed_{0}, learned_{0};
  mutable Mutex mutex_;
  std::string published_ STOKER_GUARDED_BY(mutex_);
  std::string not_learned_ STOKER_GUARDED_BY(mutex_);
};

}  // namespace stoker::load
