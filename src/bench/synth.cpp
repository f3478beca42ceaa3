#include "bench/synth.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <fmt/format.h>
#include <memory>

#include "stoker/error.hpp"
#include "stoker/store.hpp"

#include "array/npy.hpp"
#include "base/cpus.hpp"
#include "base/mutex.hpp"
#include "base/philox.hpp"
#include "base/thread_group.hpp"
#include "bench/synth_eeg.hpp"
#include "bench/synth_scene.hpp"
#include "bench/synth_staging.hpp"
#include "jpeg/encoder.hpp"

namespace stoker::bench {

namespace {

using Clock = std::chrono::steady_clock;

void check_range(const char* option, int value, int low, int high) {
  if (value >= low && value <= high) return;
  throw Error(ErrorCode::invalid_argument, {.operation = "make sample data",
                                            .object = option,
                                            .found = std::to_string(value),
                                            .allowed = fmt::format("{}..{}", low, high)});
}

// Files of somebody else's between ours would become classes or images that no seed explains.
void check_vacant(Store& store, const std::string& directory) {
  for (const char* split : {"train", "val"}) {
    const std::string folder = directory + "/" + split;
    const std::optional<ObjectInfo> info = store.info(folder);
    if (!info || (info->is_folder && store.list(folder).empty())) continue;
    throw Error(ErrorCode::invalid_argument,
                {.operation = "make sample data",
                 .object = folder,
                 .found = info->is_folder ? "a folder that is not empty" : "a file",
                 .allowed = "an absent or empty folder",
                 .next_step = "name another directory, or remove train and val first"});
  }
}

// An option of the other kind would be passed over.
void check_kind(const SynthOptions& options) {
  const SynthOptions usual;
  const auto refuse_other = [&](const char* option, int value, int default_value, const char* kind) {
    if (value == default_value) return;
    throw Error(ErrorCode::invalid_argument, {.operation = "make sample data",
                                              .object = option,
                                              .found = fmt::format("{} with another kind", value),
                                              .allowed = fmt::format("--kind {} alone", kind),
                                              .next_step = "leave it out"});
  };
  if (options.kind == SynthKind::eeg) {
    refuse_other("width", options.width, usual.width, "images");
    refuse_other("height", options.height, usual.height, "images");
    check_range("classes", options.classes, kSynthMinClasses, kEegMaxClasses);
    check_range("samples", options.samples, kEegMinSamples, kEegMaxSamples);
  } else {
    refuse_other("samples", options.samples, usual.samples, "eeg");
    check_range("classes", options.classes, kSynthMinClasses, kSynthMaxClasses);
    check_range("width", options.width, kSynthMinSide, kSynthMaxSide);
    check_range("height", options.height, kSynthMinSide, kSynthMaxSide);
  }
}

int val_images_of(int images) { return std::max(1, images / kSynthValShare); }

// The work list, shared by the threads: one number a file, taken in order.
class Maker {
 public:
  Maker(const SynthOptions& options, const std::string& folder, const std::atomic<bool>* cancel)
      : options_(options), folder_(folder), store_(open_store(folder)), cancel_(cancel) {
    if (options.kind == SynthKind::eeg) {
      classes_ = eeg_classes(options.classes);
      return;
    }
    scenes_ = scene_classes(options.classes);
    for (const SceneClass& scene : scenes_) classes_.push_back(scene.name());
  }

  std::uint64_t total() const { return classes_.size() * static_cast<std::uint64_t>(options_.images); }
  const std::vector<std::string>& classes() const { return classes_; }
  std::uint64_t done() const { return done_.load(std::memory_order_relaxed); }
  std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  void stop() { stopped_.store(true, std::memory_order_relaxed); }

  // A thread's life: file after file until none is left.
  void work() {
    jpeg::Encoder encoder;
    std::vector<std::byte> array;
    while (!stopped_.load(std::memory_order_relaxed)) {
      if (cancel_ && cancel_->load(std::memory_order_relaxed)) {
        throw Error(ErrorCode::cancelled, {.operation = "make sample data", .object = options_.directory});
      }
      const std::uint64_t number = next_.fetch_add(1, std::memory_order_relaxed);
      if (number >= total()) return;
      make(encoder, array, number);
      done_.fetch_add(1, std::memory_order_relaxed);
    }
  }

 private:
  std::string path_of(std::uint64_t number) const {
    const auto images = static_cast<std::uint64_t>(options_.images);
    const std::uint64_t image = number % images;
    const bool val = image < static_cast<std::uint64_t>(val_images_of(options_.images));
    return fmt::format("{}/{}/{}/{:06}.{}", folder_, val ? "val" : "train", classes_[number / images], image,
                       options_.kind == SynthKind::eeg ? "npy" : "jpg");
  }

  // Valid as long as what is kept in `encoder` and `array`.
  std::span<const std::byte> file_of(jpeg::Encoder& encoder, std::vector<std::byte>& array,
                                     std::uint64_t label, std::uint64_t image) const {
    if (options_.kind == SynthKind::eeg) {
      const auto samples = static_cast<std::size_t>(options_.samples);
      const std::vector<float> eeg =
          draw_eeg(static_cast<int>(label), options_.samples, options_.seed, image);
      array::write_npy({kEegChannels, samples}, eeg, array::StoredType::float32, array);
      return array;
    }
    const std::vector<std::uint8_t> rgb =
        draw_scene(scenes_[label], options_.width, options_.height, options_.seed, image);
    // Photos come in both samplings; two in three are 4:2:0 here, whatever the class.
    constexpr std::uint32_t kSamplingStep = 2;
    SampleRng rng(options_.seed, 0, image, kSamplingStep);
    jpeg::EncodeSpec spec{.quality = 90};
    if (rng.below(3) == 0) spec.luma_h = spec.luma_v = 1;
    return value_or_throw(encoder.encode(rgb.data(), options_.width, options_.height,
                                         static_cast<std::size_t>(options_.width) * 3, spec));
  }

  void make(jpeg::Encoder& encoder, std::vector<std::byte>& array, std::uint64_t number) {
    const auto images = static_cast<std::uint64_t>(options_.images);
    const std::span<const std::byte> file = file_of(encoder, array, number / images, number % images);
    const std::unique_ptr<WritableFile> out = store_->create(path_of(number));
    out->append(file);
    out->commit();
    bytes_.fetch_add(file.size(), std::memory_order_relaxed);
  }

  const SynthOptions& options_;
  const std::string folder_;
  const std::shared_ptr<Store> store_;
  const std::atomic<bool>* cancel_;
  std::vector<SceneClass> scenes_;
  std::vector<std::string> classes_;
  std::atomic<std::uint64_t> next_{0};
  std::atomic<std::uint64_t> done_{0};
  std::atomic<std::uint64_t> bytes_{0};
  std::atomic<bool> stopped_{false};
};

// Runs the maker on its threads; the calling thread tells the progress.
void run(Maker& maker, int threads, const SynthProgressCallback& progress) {
  Mutex mutex;
  CondVar ended;
  int running = threads;
  ThreadGroup group([&] { maker.stop(); });
  for (int i = 0; i < threads; ++i) {
    group.start("stoker-synth", [&] {
      struct Leave {
        Mutex& mutex;
        CondVar& ended;
        int& running;
        ~Leave() {
          MutexLock lock(mutex);
          --running;
          ended.notify_one();
        }
      } leave{mutex, ended, running};
      maker.work();
    });
  }
  // Whatever ends this function, a progress callback that throws included, ends the threads before they are
  // joined.
  struct StopAtEnd {
    Maker& maker;
    ~StopAtEnd() { maker.stop(); }
  } stop_at_end{maker};
  while (true) {
    {
      MutexLock lock(mutex);
      if (running > 0) ended.wait_for(mutex, std::chrono::milliseconds(100));
      if (running == 0) break;
    }
    if (progress) progress(maker.done(), maker.total());
  }
  group.join_and_rethrow();
  if (progress) progress(maker.done(), maker.total());
}

}  // namespace

SynthReport make_sample_images(const SynthOptions& options, const SynthProgressCallback& progress,
                               const std::atomic<bool>* cancel) {
  const Clock::time_point start = Clock::now();
  constexpr int kMaxThreads = 1024;
  check_kind(options);
  check_range("images", options.images, 2, kSynthMaxImages);
  check_range("threads", options.threads, 0, kMaxThreads);
  if (options.directory.empty()) {
    throw Error(ErrorCode::invalid_argument,
                {.operation = "make sample data", .object = "directory", .found = "an empty name"});
  }
  check_vacant(*open_store(options.directory), options.directory);

  SynthStaging staging(options.directory);
  Maker maker(options, staging.path(), cancel);
  run(maker, threads_or_allowed(options.threads), progress);
  staging.publish({"train", "val"});

  SynthReport report;
  report.classes = maker.classes();
  report.val_images = maker.classes().size() * static_cast<std::uint64_t>(val_images_of(options.images));
  report.train_images = maker.total() - report.val_images;
  report.bytes = maker.bytes();
  report.wall_s = std::chrono::duration<double>(Clock::now() - start).count();
  return report;
}

}  // namespace stoker::bench
