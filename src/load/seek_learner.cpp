#include "load/seek_learner.hpp"

#include <exception>

#include "jpeg/seek_points.hpp"

namespace stoker::load {

namespace {

// An index is written anew as a whole, so a few more points wait for company.
constexpr std::uint64_t kWorthwhileShare = 100;

image::Learn extent(LearnSeek learn) {
  switch (learn) {
    case LearnSeek::crops:
      return image::Learn::what_is_read;
    case LearnSeek::full:
      return image::Learn::whole_file;
    case LearnSeek::off:
      break;
  }
  return image::Learn::nothing;
}

}  // namespace

SeekLearner::SeekLearner(std::shared_ptr<const RecordReader> records, LearnSeek learn)
    : records_(std::move(records)), learn_(extent(learn)) {
  const bool has_place = !records_->source_path().empty() || !records_->shards().empty();
  if (learn == LearnSeek::off || !has_place) return;
  try {
    writer_ = std::make_unique<record::SeekIndexWriter>(records_, records_->index_dir());
    is_on_ = true;
  } catch (const std::exception& error) {
    give_up(error.what());
  }
}

SeekLearner::~SeekLearner() {
  if (publisher_.joinable()) publisher_.join();
}

void SeekLearner::note(std::uint64_t index, const Sample& sample, image::DecodeRoute route,
                       bool points_failed, std::span<const std::byte> learned) {
  const auto count = [](std::atomic<std::uint64_t>& counter) {
    counter.fetch_add(1, std::memory_order_relaxed);
  };
  switch (route) {
    case image::DecodeRoute::own:
      count(own_);
      break;
    case image::DecodeRoute::seek:
      count(seek_);
      break;
    case image::DecodeRoute::turbo:
      count(turbo_);
      break;
    case image::DecodeRoute::other:
      count(other_);
      break;
  }
  if (points_failed) count(points_failed_);
  if (learned.empty() || !is_on_.load(std::memory_order_relaxed)) return;
  try {
    record::SeekEntry entry = record::describe_image(*records_, index, sample);
    entry.points = jpeg::packed_count(learned);
    writer_->add(index, entry, learned);
    count(learned_);
  } catch (const std::exception& error) {
    give_up(error.what());
  }
}

void SeekLearner::epoch_ended() {
  if (!is_on_ || writer_->added() * kWorthwhileShare < records_->size()) return;
  if (publisher_.joinable()) publisher_.join();
  try {
    publisher_ = std::thread([this] { publish(); });
  } catch (const std::exception& error) {
    give_up(error.what());
  }
}

void SeekLearner::finish() {
  if (publisher_.joinable()) publisher_.join();
  if (is_on_ && writer_->added() > 0) publish();
}

void SeekLearner::publish() {
  try {
    const record::SeekIndexPublished published = writer_->publish();
    records_->renew_seek_index();
    const MutexLock lock(mutex_);
    published_ = published.path;
  } catch (const std::exception& error) {
    give_up(error.what());
  }
}

void SeekLearner::give_up(const std::string& why) {
  is_on_ = false;
  const MutexLock lock(mutex_);
  if (not_learned_.empty()) not_learned_ = why;
}

DecodeCounts SeekLearner::counts() const {
  DecodeCounts counts{.own = own_,
                      .seek = seek_,
                      .turbo = turbo_,
                      .other = other_,
                      .points_failed = points_failed_,
                      .learned = learned_,
                      .published = {},
                      .not_learned = {}};
  const MutexLock lock(mutex_);
  counts.published = published_;
  counts.not_learned = not_learned_;
  return counts;
}

}  // namespace stoker::load
