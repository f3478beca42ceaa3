// Makes one slot of a batch from one sample's bytes, and knows what to do where they are bad.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include "stoker/loader.hpp"

#include "image/decoder.hpp"
#include "image/transform.hpp"
#include "load/array_placer.hpp"
#include "load/read_pool.hpp"
#include "load/seek_learner.hpp"
#include "load/slot.hpp"

namespace stoker::load {

// Waits so long, or until the pipeline stops; false: it stopped.
using Pause = std::function<bool(std::chrono::milliseconds)>;

// Reads a sample; the error comes back if the sample is at fault, as a value. What may be retried
// (unavailable) is, a few times, with pauses of 20 ms to 320 ms. Errors: thrown if it is not the sample's
// fault.
std::optional<Error> read_sample(const RecordReader& records, std::uint64_t index, Sample& sample,
                                 const Pause& pause);

// Whether an error tells of one bad sample; the others stop the run.
bool is_sample_fault(ErrorCode code);

// What making a slot took.
struct MakeTimes {
  std::chrono::nanoseconds decode{};
  std::chrono::nanoseconds transform{};
  std::uint64_t bytes = 0;  // compressed
};

// Threads: one a worker.
class SampleMaker {
 public:
  // All but `pause` must outlive it.
  SampleMaker(const RecordReader& records, const image::Transform& transform, const LoaderOptions& options,
              SeekLearner& learner, Pause pause);

  // Fills slot `slot` of `batch` from `item` (null where the slot is hollow). A bad sample of this epoch
  // comes back as trouble; under BadSamplePolicy::raise the slot is then not to be used. Errors: thrown if no
  // sample is at fault.
  std::optional<Trouble> make(BatchSlot& batch, int slot, const ReadItem* item, MakeTimes& times);

 private:
  // Writes the sample's tensor in its place. None: it is there.
  std::optional<Error> run(BatchSlot& batch, int slot, std::uint64_t index, const Sample& sample,
                           MakeTimes& times);
  std::optional<Error> make_image(BatchSlot& batch, int slot, std::uint64_t index, const Sample& sample,
                                  MakeTimes& times);
  std::optional<Error> make_array(BatchSlot& batch, int slot, const Sample& sample);
  bool substitute(BatchSlot& batch, int slot, MakeTimes& times);
  void describe(BatchSlot& batch, int slot, std::uint64_t index, const Sample& sample) const;
  Trouble trouble(int slot, std::uint64_t index, const ReadItem& item, const Error& error) const;

  const RecordReader& records_;
  const image::Transform& transform_;
  const LoaderOptions& options_;
  SeekLearner& learner_;
  Pause pause_;
  image::Decoder decoder_;
  ArrayPlacer arrays_;
  Sample other_;  // a substitute
};

}  // namespace stoker::load
