#include "train/settings.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "stoker/recipe.hpp"

#include "base/units.hpp"

namespace stoker::training {

namespace {

constexpr std::array<int, 4> kSmallNetworks{8, 20, 32, 56};
constexpr std::array<int, 5> kImageNetworks{18, 34, 50, 101, 152};
// The last stage must see more than one pixel, else batch statistics could rest on a single value.
constexpr int kSmallestSide = 8, kSmallestImageSide = 33;
constexpr int kLargestSide = 4096;
constexpr int kLargestWidth = 1024;

template <class T>
tl::unexpected<Error> refuse(const char* option, const T& found, const std::string& allowed) {
  return fail(ErrorCode::invalid_argument,
              {.object = option, .found = fmt::format("{}", found), .allowed = allowed});
}

Result<void> check_size(const char* option, Size size, int num_layers) {
  const int least = is_small_network(num_layers) ? kSmallestSide : kSmallestImageSide;
  if (std::min(size.width, size.height) >= least && std::max(size.width, size.height) <= kLargestSide)
    return {};
  return refuse(option, fmt::format("3,{},{}", size.height, size.width),
                fmt::format("3,H,W with sides of {}..{} for ResNet-{}", least, kLargestSide, num_layers));
}

Result<void> check_network(const TrainOptions& options) {
  if (options.network != "resnet") return refuse("--network", options.network, "resnet");
  if (!is_small_network(options.num_layers) &&
      std::ranges::find(kImageNetworks, options.num_layers) == kImageNetworks.end())
    return refuse("--num-layers", options.num_layers,
                  fmt::format("{} (for small images), {}", fmt::join(kSmallNetworks, ", "),
                              fmt::join(kImageNetworks, ", ")));
  if (options.width < 1 || options.width > kLargestWidth)
    return refuse("--width", options.width, fmt::format("1..{}", kLargestWidth));
  if (auto checked = check_size("--image-shape", *options.image_size, options.num_layers); !checked)
    return checked;
  for (std::size_t i = 0; i < options.image_size_schedule.size(); ++i) {
    const auto& [epoch, size] = options.image_size_schedule[i];
    if (epoch < 0 || (i > 0 && epoch <= options.image_size_schedule[i - 1].epoch))
      return refuse("--image-shape-schedule", fmt::format("epoch {}", epoch), "epochs from 0 that ascend");
    if (auto checked = check_size("--image-shape-schedule", size, options.num_layers); !checked)
      return checked;
  }
  if (options.num_classes < 0 || options.num_classes == 1)
    return refuse("--num-classes", options.num_classes, "2 or more; 0: from the data");
  return {};
}

Result<void> check_optimiser(const TrainOptions& options) {
  // Written so that NaN is refused.
  if (!(options.lr > 0 && std::isfinite(options.lr))) return refuse("--lr", options.lr, "above 0");
  if (options.lr_schedule == LrSchedule::step && options.lr_step_epochs.empty())
    return refuse("--lr-step-epochs", "nothing", "the epochs at which the rate drops, as in 30,60,80");
  if (options.lr_schedule != LrSchedule::step && !options.lr_step_epochs.empty())
    return refuse("--lr-step-epochs", "a schedule of " + std::string(to_string(options.lr_schedule)),
                  "--lr-schedule step");
  if (!std::ranges::is_sorted(options.lr_step_epochs) ||
      (!options.lr_step_epochs.empty() && options.lr_step_epochs.front() < 1))
    return refuse("--lr-step-epochs", fmt::format("{}", fmt::join(options.lr_step_epochs, ",")),
                  "epochs from 1 that ascend");
  if (!(options.lr_factor > 0 && options.lr_factor <= 1))
    return refuse("--lr-factor", options.lr_factor, "above 0, to 1");
  if (!(options.mom >= 0 && options.mom < 1)) return refuse("--mom", options.mom, "0 to below 1");
  if (options.nesterov && options.mom == 0) return refuse("--nesterov", "a --mom of 0", "a --mom above 0");
  if (!(*options.wd >= 0 && std::isfinite(*options.wd))) return refuse("--wd", *options.wd, "0 or more");
  if (!(options.ema_decay >= 0 && options.ema_decay < 1))
    return refuse("--ema-decay", options.ema_decay, "0 to below 1");
  if (!(options.label_smoothing >= 0 && options.label_smoothing < 1))
    return refuse("--label-smoothing", options.label_smoothing, "0 to below 1");
  if (options.warmup_steps < 0) return refuse("--warmup-steps", options.warmup_steps, "0 or more");
  return {};
}

Result<void> check_run(const TrainOptions& options) {
  if (options.data_train.empty()) return refuse("--data-train", "nothing", "a folder, x.lst or x.rec");
  if (options.batch_size < 1) return refuse("--batch-size", options.batch_size, "1 or more");
  if (options.accumulate < 1) return refuse("--accumulate", options.accumulate, "1 or more");
  if (options.num_epochs < 1) return refuse("--num-epochs", options.num_epochs, "1 or more");
  if (options.disp_batches < 1) return refuse("--disp-batches", options.disp_batches, "1 or more");
  if (options.data_nthreads < 0)
    return refuse("--data-nthreads", options.data_nthreads, "1 or more; 0: tuned");
  if (options.compute_threads < 0)
    return refuse("--compute-threads", options.compute_threads, "1 or more; 0: by the CPUs");
  if (options.gpu && *options.gpu < 0) return refuse("--gpus", *options.gpu, "0 or more");
  if (options.top_k < 0) return refuse("--top-k", options.top_k, "1 or more; 0: top-1 alone");
  if (!(*options.crop_scale_min > 0 && *options.crop_scale_min <= 1))
    return refuse("--crop-scale-min", *options.crop_scale_min, "above 0, to 1");
  if (!(options.max_bad_share >= 0 && options.max_bad_share <= 1))
    return refuse("--max-bad-share", options.max_bad_share, "0..1");
  if (!(options.max_minutes >= 0))
    return refuse("--max-minutes", options.max_minutes, "above 0; 0: no limit");
  if (options.price_per_h && !(*options.price_per_h >= 0 && std::isfinite(*options.price_per_h)))
    return refuse("--price", *options.price_per_h, "0 or more");
  return {};
}

Result<void> check_checkpoints(const TrainOptions& options) {
  if (options.keep < 0) return refuse("--keep", options.keep, "1 or more; 0: all");
  if (!(options.checkpoint_s >= 0 && std::isfinite(options.checkpoint_s)))
    return refuse("--checkpoint-every", options.checkpoint_s, "a time above 0, as in 10m");
  if (options.load_epoch && *options.load_epoch < 1)
    return refuse("--load-epoch", *options.load_epoch, "1 or more: checkpoints are written behind epochs");
  if (options.load_epoch && options.resume) return refuse("--load-epoch", "--resume too", "one of the two");
  if (!options.init_from.empty() && options.load_epoch)
    return refuse("--init-from", "--load-epoch too", "one of the two: a checkpoint has weights of its own");
  if (options.model_prefix.ends_with('/'))
    return refuse("--model-prefix", options.model_prefix,
                  "a folder and the beginning of a name, as in models/net");
  if (!options.model_prefix.empty()) return {};
  const char* needs = options.resume                                               ? "--resume"
                      : options.load_epoch                                         ? "--load-epoch"
                      : options.checkpoint_steps != 0 || options.checkpoint_s != 0 ? "--checkpoint-every"
                                                                                   : nullptr;
  if (needs == nullptr) return {};
  return refuse(needs, "no --model-prefix", "--model-prefix PATH, under which checkpoints lie");
}

// The recipe of `steps` that ends in the numbers which the device wants: a GPU gets bytes, a quarter of what
// would have to be copied otherwise.
std::string with_numbers(const TrainOptions& options, std::vector<Step> steps) {
  if (options.gpu) {
    steps.emplace_back(TensorStep{DType::u8, Layout::nhwc});
  } else {
    steps.emplace_back(kImageNetStatistics);
    steps.emplace_back(TensorStep{DType::f32, Layout::nhwc});
  }
  return Recipe(std::move(steps)).to_string();
}

}  // namespace

bool is_small_network(int num_layers) {
  return std::ranges::find(kSmallNetworks, num_layers) != kSmallNetworks.end();
}

TrainOptions with_defaults(TrainOptions options) {
  const bool small = is_small_network(options.num_layers);
  if (!small) options.width = 64;  // theirs are not chosen
  if (!options.image_size) options.image_size = small ? Size{64, 64} : Size{224, 224};
  // The reference trainings of ImageNet [pytorch/vision references/classification]; small sets need more.
  if (!options.wd) options.wd = small ? 5e-4 : 1e-4;
  if (!options.crop_scale_min) options.crop_scale_min = small ? 0.35 : 0.08;
  return options;
}

Result<void> check_options(const TrainOptions& options) {
  if (auto checked = check_network(options); !checked) return checked;
  if (auto checked = check_optimiser(options); !checked) return checked;
  if (auto checked = check_run(options); !checked) return checked;
  return check_checkpoints(options);
}

Size size_of_epoch(const TrainOptions& options, int epoch) {
  Size size = *options.image_size;
  for (const EpochSize& from : options.image_size_schedule)
    if (from.epoch <= epoch) size = from.size;
  return size;
}

Size largest_size(const TrainOptions& options) {
  Size largest = size_of_epoch(options, 0);
  const auto pixels = [](Size size) { return static_cast<std::int64_t>(size.width) * size.height; };
  for (const EpochSize& from : options.image_size_schedule)
    if (from.epoch < options.num_epochs && pixels(from.size) > pixels(largest)) largest = from.size;
  return largest;
}

std::string train_recipe(const TrainOptions& options, Size size) {
  return with_numbers(options,
                      {RandomResizedCrop{.size = size, .scale_min = *options.crop_scale_min}, Flip{}});
}

std::string eval_recipe(const TrainOptions& options, Size size) {
  const int side = std::max(size.width, size.height);
  return with_numbers(options, {ResizeStep{.short_side = (side * 8 + 3) / 7}, CenterCrop{size}});
}

std::vector<std::pair<std::string, std::string>> shaping_settings(const TrainOptions& options) {
  std::string sizes;
  for (const auto& [epoch, size] : options.image_size_schedule)
    sizes += fmt::format("{}{}:3,{},{}", sizes.empty() ? "" : " ", epoch, size.height, size.width);
  return {{"--num-epochs", fmt::format("{}", options.num_epochs)},
          {"--batch-size", fmt::format("{}", options.batch_size)},
          {"--accumulate", fmt::format("{}", options.accumulate)},
          {"--image-shape", fmt::format("3,{},{}", options.image_size->height, options.image_size->width)},
          {"--image-shape-schedule", sizes},
          {"--lr", format_number(options.lr)},
          {"--lr-schedule", std::string(to_string(options.lr_schedule))},
          {"--lr-step-epochs", fmt::format("{}", fmt::join(options.lr_step_epochs, ","))},
          {"--lr-factor", format_number(options.lr_factor)},
          {"--mom", format_number(options.mom)},
          {"--nesterov", options.nesterov ? "yes" : "no"},
          {"--wd", format_number(*options.wd)},
          {"--warmup-steps", fmt::format("{}", options.warmup_steps)},
          {"--label-smoothing", format_number(options.label_smoothing)},
          {"--ema-decay", format_number(options.ema_decay)},
          {"--dtype", options.bfloat16 ? "bfloat16" : "float32"},
          {"--crop-scale-min", format_number(*options.crop_scale_min)},
          {"--bad-sample", std::string(to_string(options.bad_sample))},
          {"--max-pixels", fmt::format("{}", options.max_pixels)},
          {"--pixels", std::string(to_string(options.pixels))},
          {"--seed", fmt::format("{}", options.seed)}};
}

int compute_threads(const TrainOptions& options, int allowed) {
  if (options.compute_threads > 0) return options.compute_threads;
  if (options.gpu) return 1;
  // Of two CPUs neither is set aside: decoding what was packed small takes a tenth of one (docs/train.md).
  return allowed <= 2 ? std::max(1, allowed) : allowed - 1;
}

}  // namespace stoker::training

namespace stoker {

std::string_view to_string(LrSchedule schedule) {
  switch (schedule) {
    case LrSchedule::cosine:
      return "cosine";
    case LrSchedule::step:
      return "step";
    case LrSchedule::poly:
      return "poly";
  }
  return "?";
}

}  // namespace stoker
