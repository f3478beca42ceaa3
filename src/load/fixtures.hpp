// What the loader's tests share: an in-memory source of real tiny JPEGs that can be slow, fail or hang, and
// ways to compare.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "stoker/loader.hpp"

#include "jpeg/encoder.hpp"

namespace stoker::load::test {

// A source of `size` JPEGs of a few sizes, sample i with label i and key "sample-i". What a read does can be
// set per sample.
class MemoryReader : public RecordReader {
 public:
  enum class Fault {
    none,
    corrupt_record,
    not_a_picture,
    unavailable,
    vanished,
    foreign_exception,
    internal
  };

  explicit MemoryReader(std::size_t size) : faults_(size, Fault::none), reads_(size) {
    jpeg::Encoder encoder;
    pictures_.reserve(size);
    for (std::size_t i = 0; i < size; ++i) pictures_.push_back(make_picture(encoder, i));
  }

  // Before the loader is made.
  void set_fault(std::size_t index, Fault fault) { faults_[index] = fault; }
  void set_delay(std::function<std::chrono::microseconds(std::size_t)> delay) { delay_ = std::move(delay); }
  // How often an unavailable sample is so before it is read.
  void set_unavailable_times(int times) { unavailable_times_ = times; }
  // Replaces a sample's bytes.
  void set_bytes(std::size_t index, std::vector<std::byte> bytes) { pictures_[index] = std::move(bytes); }
  const std::vector<std::byte>& bytes(std::size_t index) const { return pictures_[index]; }

  // Any time: reads hang until open().
  void close() { set_closed(true); }
  void open() { set_closed(false); }
  int hanging() const { return hanging_; }
  std::uint64_t reads() const { return total_reads_; }
  std::uint64_t reads_of(std::size_t index) const { return reads_[index]; }

  RecordFormat format() const override { return RecordFormat::recordio; }
  std::size_t size() const override { return pictures_.size(); }
  const std::vector<std::string>& classes() const override { return classes_; }
  RecordInfo info(std::size_t index) const override {
    return {.container = "memory.rec", .offset = 1000 * index, .bytes = pictures_[index].size()};
  }

  void read(std::size_t index, Sample& sample) const override {
    ++total_reads_;
    const std::uint64_t before = reads_[index]++;
    wait_open();
    if (delay_) std::this_thread::sleep_for(delay_(index));
    fail_if_told(index, before);
    const std::vector<std::byte>& picture = pictures_[index];
    sample.buffer.assign(picture.begin(), picture.end());
    if (faults_[index] == Fault::not_a_picture) std::memset(sample.buffer.data(), 'x', sample.buffer.size());
    sample.key = "sample-" + std::to_string(index);
    sample.labels.assign({static_cast<float>(index), static_cast<float>(index) + 0.5F});
    sample.fields.assign({Field{"image", sample.buffer}});
    sample.main_field = 0;
  }

 private:
  static std::vector<std::byte> make_picture(jpeg::Encoder& encoder, std::size_t index) {
    const int width = 24 + static_cast<int>(index % 5) * 8, height = 20 + static_cast<int>(index % 3) * 12;
    std::vector<std::uint8_t> rgb;
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        rgb.push_back(static_cast<std::uint8_t>(x * 5 + static_cast<int>(index) * 31));
        rgb.push_back(static_cast<std::uint8_t>(y * 7 + static_cast<int>(index) * 17));
        rgb.push_back(static_cast<std::uint8_t>((x ^ y) * 4 + static_cast<int>(index)));
      }
    }
    const auto encoded =
        encoder.encode(rgb.data(), width, height, static_cast<std::size_t>(width) * 3, {.quality = 92});
    return {encoded->begin(), encoded->end()};
  }

  void fail_if_told(std::size_t index, std::uint64_t before) const {
    if (faults_[index] == Fault::none || faults_[index] == Fault::not_a_picture) return;
    const std::string object = "memory.rec, sample " + std::to_string(index);
    switch (faults_[index]) {
      case Fault::none:
      case Fault::not_a_picture:
        return;
      case Fault::corrupt_record:
        throw Error(ErrorCode::corrupt_data, {"read record", object, "bad magic", "", ""});
      case Fault::vanished:
        throw Error(ErrorCode::not_found, {"read record", object, "no such file", "", ""});
      case Fault::internal:
        throw Error(ErrorCode::internal, {"read record", object, "a bug", "", ""});
      case Fault::foreign_exception:
        throw std::runtime_error("the reader broke at " + object);
      case Fault::unavailable:
        if (before >= static_cast<std::uint64_t>(unavailable_times_)) return;
        throw Error(ErrorCode::unavailable, {"read record", object, "503 slow down", "", ""});
    }
  }

  void set_closed(bool closed) {
    {
      const std::lock_guard lock(gate_);
      closed_ = closed;
    }
    gate_moved_.notify_all();
  }
  void wait_open() const {
    std::unique_lock lock(gate_);
    ++hanging_;
    gate_moved_.wait(lock, [this] { return !closed_; });
    --hanging_;
  }

  std::vector<std::vector<std::byte>> pictures_;
  std::vector<Fault> faults_;
  std::function<std::chrono::microseconds(std::size_t)> delay_;
  int unavailable_times_ = 1000;
  std::vector<std::string> classes_;
  mutable std::vector<std::atomic<std::uint64_t>> reads_;
  mutable std::atomic<std::uint64_t> total_reads_{0};
  mutable std::mutex gate_;
  mutable std::condition_variable gate_moved_;
  mutable std::atomic<int> hanging_{0};
  bool closed_ = false;
};

// What one slot of a batch held.
struct Seen {
  std::uint64_t index = 0;
  SampleStatus status = SampleStatus::ok;
  float label = 0;
  std::string key;
  std::uint64_t pixels = 0;  // hash
  friend bool operator==(const Seen&, const Seen&) = default;
};
using SeenBatch = std::vector<Seen>;

inline std::uint64_t hash_bytes(const std::byte* bytes, std::size_t count) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (std::size_t i = 0; i < count; ++i)
    hash = (hash ^ static_cast<std::uint64_t>(bytes[i])) * 0x100000001b3;
  return hash;
}

inline SeenBatch see(const Batch& batch) {
  SeenBatch seen;
  const std::size_t width =
      batch.size() == 0 ? 0 : batch.labels().size() / static_cast<std::size_t>(batch.size());
  for (std::size_t i = 0; i < static_cast<std::size_t>(batch.size()); ++i) {
    seen.push_back({.index = batch.indices()[i],
                    .status = batch.statuses()[i],
                    .label = batch.labels()[i * width],
                    .key = batch.keys()[i],
                    .pixels = hash_bytes(batch.images() + i * batch.image_bytes(), batch.image_bytes())});
  }
  return seen;
}

// The batches from where the loader stands to the end of its epoch.
inline std::vector<SeenBatch> see_epoch(Loader& loader) {
  std::vector<SeenBatch> batches;
  while (const Batch batch = loader.next()) batches.push_back(see(batch));
  return batches;
}

inline SeenBatch joined(const std::vector<SeenBatch>& batches) {
  SeenBatch all;
  for (const SeenBatch& batch : batches) all.insert(all.end(), batch.begin(), batch.end());
  return all;
}

// Options for small fast tests: nothing published, a random recipe of 16 × 16.
inline LoaderOptions small_options() {
  LoaderOptions options;
  options.recipe = "random_resized_crop(16) flip(0.5)";
  options.batch_size = 4;
  options.threads = 2;
  options.seed = 7;
  options.max_bad_share = 1;
  options.publish_counters = false;
  return options;
}

}  // namespace stoker::load::test
