#include "load/sample_maker.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace stoker::load {

namespace {

constexpr int kReadTries = 4;
constexpr std::chrono::milliseconds kFirstPause{20};
constexpr int kPauseGrowth = 4;
constexpr std::uint64_t kSubstituteTries = 100;

Error out_of_memory(const char* operation, std::uint64_t index) {
  return Error(ErrorCode::out_of_resources, {.operation = operation,
                                             .object = "sample " + std::to_string(index),
                                             .found = "no memory for it",
                                             .next_step = "lower max_pixels or the batch size"});
}

}  // namespace

bool is_sample_fault(ErrorCode code) {
  switch (code) {
    case ErrorCode::not_found:
    case ErrorCode::corrupt_data:
    case ErrorCode::unsupported:
    case ErrorCode::io:
    case ErrorCode::unavailable:
    case ErrorCode::out_of_resources:
      return true;
    case ErrorCode::invalid_argument:
    case ErrorCode::cancelled:
    case ErrorCode::internal:
      return false;
  }
  return false;
}

std::optional<Error> read_sample(const RecordReader& records, std::uint64_t index, Sample& sample,
                                 const Pause& pause) {
  std::chrono::milliseconds wait = kFirstPause;
  for (int attempt = 1;; ++attempt) {
    try {
      records.read(index, sample);
      if (sample.main_field < sample.fields.size()) return std::nullopt;
      return Error(ErrorCode::corrupt_data,
                   {.operation = "read sample " + std::to_string(index), .found = "no field to decode"});
    } catch (const Error& error) {
      if (!is_sample_fault(error.code())) throw;
      if (error.code() != ErrorCode::unavailable || attempt == kReadTries) return error;
    } catch (const std::bad_alloc&) {
      return out_of_memory("read", index);
    }
    if (!pause(wait)) return Error(ErrorCode::cancelled, {.operation = "read", .found = "the loader stops"});
    wait *= kPauseGrowth;
  }
}

SampleMaker::SampleMaker(const RecordReader& records, const image::Transform& transform,
                         const LoaderOptions& options, SeekLearner& learner, Pause pause)
    : records_(records),
      transform_(transform),
      options_(options),
      learner_(learner),
      pause_(std::move(pause)) {}

std::optional<Trouble> SampleMaker::make(BatchSlot& batch, int slot, const ReadItem* item, MakeTimes& times) {
  const auto at = static_cast<std::size_t>(slot);
  if (item == nullptr) {
    batch.keys[at].clear();
    batch.blank(slot, SampleStatus::padding);
    return std::nullopt;
  }
  const std::uint64_t index = batch.indices[at];
  std::optional<Error> error = item->error;
  if (!error) error = run(batch, slot, index, item->sample, times);
  if (!error) return std::nullopt;

  const bool padding = batch.slice.is_padding(slot);  // reported where the sample itself stands
  std::optional<Trouble> report = trouble(slot, index, *item, *error);
  if (options_.bad_sample == BadSamplePolicy::raise) return report;
  if (options_.bad_sample != BadSamplePolicy::substitute || !substitute(batch, slot, times)) {
    batch.keys[at] = report->record.key;
    batch.blank(slot, padding ? SampleStatus::padding : SampleStatus::bad);
  }
  if (padding) report.reset();
  return report;
}

// The draws of a sample depend on it alone, never on who makes it or in which slot.
std::optional<Error> SampleMaker::run(BatchSlot& batch, int slot, std::uint64_t index, const Sample& sample,
                                      MakeTimes& times) {
  const auto begin = std::chrono::steady_clock::now();
  std::optional<Error> error;
  try {
    error = transform_.recipe().is_array() ? make_array(batch, slot, sample)
                                           : make_image(batch, slot, index, sample, times);
    if (!error) describe(batch, slot, index, sample);
  } catch (const std::bad_alloc&) {
    error = out_of_memory("decode", index);
  }
  times.transform += std::chrono::steady_clock::now() - begin;
  times.bytes += sample.main().size();
  if (error && !is_sample_fault(error->code())) throw *error;
  return error;
}

std::optional<Error> SampleMaker::make_image(BatchSlot& batch, int slot, std::uint64_t index,
                                             const Sample& sample, MakeTimes& times) {
  const image::SampleCoordinates coordinates{
      .seed = options_.seed, .epoch = batch.order->epoch(), .index = index};
  const image::TransformInput input{.bytes = sample.main(),
                                    .seek_points = sample.seek_points,
                                    .max_pixels = options_.max_pixels,
                                    .pixels = options_.pixels,
                                    .learn = learner_.wanted()};
  const Result<image::TransformOutcome> outcome =
      transform_.run(decoder_, input, coordinates, batch.image(slot));
  if (!outcome) return outcome.error();
  learner_.note(index, sample, outcome->route, outcome->points_failed, outcome->learned);
  SampleStatus& status = batch.statuses[static_cast<std::size_t>(slot)];
  if (!outcome->warning.empty() && status == SampleStatus::ok) status = SampleStatus::warned;
  times.decode += outcome->decode_time;
  times.transform -= outcome->decode_time;
  return std::nullopt;
}

std::optional<Error> SampleMaker::make_array(BatchSlot& batch, int slot, const Sample& sample) {
  const Result<void> placed = arrays_.place(sample.main(), batch.shape, batch.dtype, batch.image(slot));
  if (!placed) return placed.error();
  return std::nullopt;
}

bool SampleMaker::substitute(BatchSlot& batch, int slot, MakeTimes& times) {
  const std::uint64_t size = batch.order->size(), from = batch.position(slot);
  for (std::uint64_t step = 1; step <= std::min(kSubstituteTries, size - 1); ++step) {
    const std::uint64_t index = batch.order->at((from + step) % size);
    const std::optional<Error> unread = read_sample(records_, index, other_, pause_);
    if (unread && unread->code() == ErrorCode::cancelled) return false;
    if (unread || run(batch, slot, index, other_, times)) continue;
    SampleStatus& status = batch.statuses[static_cast<std::size_t>(slot)];
    if (status != SampleStatus::padding) status = SampleStatus::substituted;
    return true;
  }
  return false;
}

void SampleMaker::describe(BatchSlot& batch, int slot, std::uint64_t index, const Sample& sample) const {
  const auto at = static_cast<std::size_t>(slot), width = static_cast<std::size_t>(batch.label_width);
  const std::size_t known = std::min(width, sample.labels.size());
  const auto labels = batch.labels.begin() + static_cast<std::ptrdiff_t>(at * width);
  std::copy_n(sample.labels.begin(), known, labels);
  std::fill(labels + static_cast<std::ptrdiff_t>(known), labels + static_cast<std::ptrdiff_t>(width), 0.0F);
  batch.indices[at] = index;
  batch.keys[at] = sample.key;
}

Trouble SampleMaker::trouble(int slot, std::uint64_t index, const ReadItem& item, const Error& error) const {
  Trouble found;
  found.slot = slot;
  found.index = index;
  found.code = error.code();
  found.record.reason = error.what();
  // After a failed read the buffer may still hold the key of the sample before.
  if (!item.error) found.record.key = item.sample.key;
  try {
    const RecordInfo info = records_.info(index);
    found.record.container = info.container;
    found.record.offset = info.offset;
  } catch (const Error& unknown) {
    found.record.reason += std::string("; where it lies is not known: ") + unknown.what();
  }
  return found;
}

}  // namespace stoker::load
