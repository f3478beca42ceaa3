// A stream of batches: the same bytes for any number of threads or ranks, saved and restored in the middle of
// an epoch.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stoker/counters.hpp"
#include "stoker/recipe.hpp"
#include "stoker/record.hpp"

namespace stoker {

// What happens to a sample that cannot be read or decoded.
enum class BadSamplePolicy {
  raise,       // next() throws, naming it
  skip,        // its slot is zeroed and flagged: the number of steps never changes
  substitute,  // its slot gets the first good sample behind it in the epoch's order (wrapping), and is
               // flagged
};
std::string_view to_string(BadSamplePolicy policy);

// What happens to the samples that do not fill the last global step (batch_size × world_size).
enum class LastBatchPolicy {
  keep,  // the last batch is smaller, split among the ranks as evenly as it goes; no rank gets an empty one
  drop,  // they are left out of this epoch
  pad,   // filled up from the beginning of the epoch's order, flagged as padding
};
std::string_view to_string(LastBatchPolicy policy);

enum class SampleStatus : std::uint8_t {
  ok,
  warned,       // decoded with a complaint of the decoder
  bad,          // zeroed, its labels are -1: see bad_samples()
  substituted,  // another sample's pixels, labels, key and index stand in its place
  padding,      // leave it out of averages: its sample has its turn elsewhere in this epoch, or there is none
                // (zero pixels, labels -1, index 2^64 - 1)
};

// Which seek points the loader keeps of the JPEGs that it decodes, for the epochs and runs to come.
enum class LearnSeek {
  off,
  crops,  // those on the way to each crop's last row: next to nothing
  full    // those of the whole file: some 15 % of the first epoch
};
std::string_view to_string(LearnSeek learn);

struct LoaderOptions {
  std::string recipe = "imagenet_train(224)";
  int batch_size = 32;  // per rank
  bool shuffle = true;  // a new order each epoch, from the seed
  std::uint64_t seed = 0;
  int threads = 0;       // decode workers; 0: tuned within the CPUs that may be used
  int read_threads = 0;  // readers ahead of them; 0: 2 (they mostly wait)
  int rank = 0;
  int world_size = 1;
  LastBatchPolicy last_batch = LastBatchPolicy::keep;
  BadSamplePolicy bad_sample = BadSamplePolicy::skip;
  double max_bad_share =
      0.01;  // of the samples met so far, once 1,000 were met or the epoch ended: more stops the run
  std::uint64_t max_pixels = kDefaultMaxPixels;
  PixelMode pixels = PixelMode::exact;
  int batches_ahead = 3;  // finished or being filled, beyond the one in use
  std::size_t read_ahead_bytes =
      32 << 20;         // compressed bytes that wait for a worker, at most (one sample is always let in)
  int label_width = 1;  // labels kept of each sample; fewer are filled with 0
  bool publish_counters = true;
  // What is learned becomes the source's seek index (beside it, else in the user's cache) behind each epoch
  // and when the loader goes; a source that has no such place, or lets nothing be written, is loaded all the
  // same.
  LearnSeek learn = LearnSeek::crops;
};

// Who decoded what so far, and what came of learning.
struct DecodeCounts {
  std::uint64_t own = 0;            // our decoder, without seek points
  std::uint64_t seek = 0;           // our decoder, entering at seek points
  std::uint64_t turbo = 0;          // JPEGs that went to libjpeg-turbo: not baseline, or damaged
  std::uint64_t other = 0;          // no JPEG
  std::uint64_t points_failed = 0;  // seek points that did not fit their image: decoded without
  std::uint64_t learned = 0;        // images whose points, or more of them, were kept
  std::string published;            // path of the seek index that was last published; empty: none
  std::string not_learned;          // why learning ended; empty: it did not

  // Numbers add up; of texts those of `more` stand where it has any.
  DecodeCounts& operator+=(const DecodeCounts& more);
};
// One line for people; empty where no seek points were met, published or given up.
std::string to_string(const DecodeCounts& counts);

// Where a loader stands; the text form is one line of JSON.
struct LoaderState {
  std::uint64_t seed = 0;
  std::uint64_t epoch = 0;
  std::uint64_t samples_done = 0;  // of the epoch's global order, all ranks together
  std::uint64_t dataset_size = 0;
  std::string to_string() const;
  static LoaderState parse(std::string_view text);  // Errors: invalid_argument.
};

namespace load {
struct BatchSlot;
}

// One batch. Owns: a counted reference to its slot; the memory stays untouched while any copy of the handle
// lives.
class Batch {
 public:
  Batch() = default;
  explicit Batch(std::shared_ptr<const load::BatchSlot> slot) : slot_(std::move(slot)) {}

  explicit operator bool() const { return slot_ != nullptr; }
  int size() const;
  // Shape: size × shape(): size × 3 × height × width (nchw), size × height × width × 3 (nhwc), or arrays;
  // packed, in dtype(). 64-byte aligned.
  const std::byte* images() const;
  std::size_t image_bytes() const;             // of one sample
  Size image_size() const;                     // of arrays 0x0
  std::span<const std::size_t> shape() const;  // of one sample
  DType dtype() const;
  Layout layout() const;
  std::span<const float> labels() const;           // size × label_width
  std::span<const std::uint64_t> indices() const;  // in the source, of the samples whose pixels these are
  std::span<const SampleStatus> statuses() const;
  std::span<const std::string> keys() const;
  std::uint64_t epoch() const;
  std::uint64_t step() const;  // within the epoch, from 0

 private:
  std::shared_ptr<const load::BatchSlot> slot_;
};

// Loads a source in batches. Threads: one consumer at a time.
class Loader {
 public:
  // Errors: invalid_argument (options, recipe), and whatever open_records throws when it made the reader.
  Loader(std::shared_ptr<const RecordReader> records, LoaderOptions options);
  // Within about a second, and whatever it takes to write a seek index that was learned: a thread that hangs
  // in a read is left behind, and ends with that read. Batches stay valid.
  ~Loader();
  Loader(Loader&&) noexcept;
  Loader& operator=(Loader&&) noexcept;

  // The next batch of the epoch, or an empty handle at its end; the call after that begins the next epoch.
  // Errors: the first error of any worker, within a second of it; a bad sample's (raise, max_bad_share) in
  // place of its batch. After that the loader is at its end, until set_epoch() or restore().
  Batch next();

  // Leaves the present epoch and stands before the first batch of `epoch`.
  void set_epoch(std::uint64_t epoch);
  std::uint64_t epoch() const;
  std::uint64_t steps_per_epoch() const;  // the same on every rank
  std::uint64_t samples_per_epoch()
      const;  // of this rank's global order: dataset size, less what `drop` leaves out

  // The state behind the last batch that next() gave.
  LoaderState state() const;
  // Errors: invalid_argument (another dataset size or seed).
  void restore(const LoaderState& state);

  // What was bad so far (the first 1,000), and how many in all.
  std::vector<BadRecord> bad_samples() const;
  std::uint64_t bad_sample_count() const;

  DecodeCounts decode_counts() const;

  int threads() const;  // decode workers at work now
  const CountersFile& counters() const;
  const LoaderOptions& options() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stoker
