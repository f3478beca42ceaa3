#include "load/options.hpp"

#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "load/order.hpp"

namespace stoker {

std::string_view to_string(BadSamplePolicy policy) {
  switch (policy) {
    case BadSamplePolicy::raise:
      return "raise";
    case BadSamplePolicy::skip:
      return "skip";
    case BadSamplePolicy::substitute:
      return "substitute";
  }
  return "unknown";
}

std::string_view to_string(LastBatchPolicy policy) {
  switch (policy) {
    case LastBatchPolicy::keep:
      return "keep";
    case LastBatchPolicy::drop:
      return "drop";
    case LastBatchPolicy::pad:
      return "pad";
  }
  return "unknown";
}

std::string_view to_string(LearnSeek learn) {
  switch (learn) {
    case LearnSeek::off:
      return "off";
    case LearnSeek::crops:
      return "crops";
    case LearnSeek::full:
      return "full";
  }
  return "unknown";
}

namespace load {

namespace {

constexpr int kMaxThreads = 1024;
constexpr int kMaxBatch = 1 << 20;
constexpr int kMaxWorld = 1 << 20;
constexpr int kMaxBatchesAhead = 1024;
constexpr std::int64_t kMaxImagesAhead = 1 << 20;
constexpr int kMaxLabelWidth = 1 << 16;

[[noreturn]] void refuse(std::string option, std::string found, std::string allowed,
                         std::string next_step = "") {
  throw Error(ErrorCode::invalid_argument, {.operation = "make loader",
                                            .object = std::move(option),
                                            .found = std::move(found),
                                            .allowed = std::move(allowed),
                                            .next_step = std::move(next_step)});
}

void check_range(std::string_view option, int value, int low, int high) {
  if (value < low || value > high) {
    refuse(std::string(option), std::to_string(value), fmt::format("{}..{}", low, high));
  }
}

}  // namespace

void check_options(const LoaderOptions& options, std::uint64_t dataset_size) {
  check_range("batch_size", options.batch_size, 1, kMaxBatch);
  check_range("threads", options.threads, 0, kMaxThreads);
  check_range("read_threads", options.read_threads, 0, kMaxThreads);
  check_range("world_size", options.world_size, 1, kMaxWorld);
  check_range("rank", options.rank, 0, options.world_size - 1);
  check_range("batches_ahead", options.batches_ahead, 1, kMaxBatchesAhead);
  check_range("label_width", options.label_width, 0, kMaxLabelWidth);
  if (std::int64_t{options.batches_ahead} * options.batch_size > kMaxImagesAhead) {
    refuse("batches_ahead", fmt::format("{} of batch_size {}", options.batches_ahead, options.batch_size),
           fmt::format("{} images together", kMaxImagesAhead));
  }
  if (!(options.max_bad_share >= 0 && options.max_bad_share <= 1)) {  // so written that NaN is refused
    refuse("max_bad_share", fmt::format("{}", options.max_bad_share), "0..1");
  }
  if (dataset_size == 0) refuse("source", "no samples", "at least one");
  if (dataset_size > kMaxSamples) {
    refuse("source", fmt::format("{} samples", dataset_size), fmt::format("{} at most", kMaxSamples),
           "split it into several sources");
  }
  const StepPlan plan(dataset_size, options.batch_size, options.rank, options.world_size, options.last_batch);
  if (plan.steps_per_epoch() == 0) {
    refuse("last_batch=drop",
           fmt::format("an epoch of no steps: {} samples do not fill batch_size {} × world_size {}",
                       dataset_size, options.batch_size, options.world_size),
           "at least one full step", "use keep or pad, or a smaller batch");
  }
}

}  // namespace load
}  // namespace stoker
