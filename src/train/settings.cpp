#include "train/settings.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "stoker/recipe.hpp"

namespace stoker::training {

namespace {

constexpr std::array<int, 4> kNumLayers{8, 20, 32, 56};
// The last stage sees a quarter of each side; below 8 pixels batch statistics could rest on a single value.
constexpr int kSmallestSide = 8;
constexpr int kLargestSide = 4096;
constexpr int kLargestWidth = 1024;

constexpr Normalize kImageNet{.mean = {0.485F, 0.456F, 0.406F}, .std = {0.229F, 0.224F, 0.225F}};

template <class T>
tl::unexpected<Error> refuse(const char* option, const T& found, std::string allowed) {
  return fail(ErrorCode::invalid_argument,
              {.object = option, .found = fmt::format("{}", found), .allowed = std::move(allowed)});
}

Result<void> check_network(const TrainOptions& options) {
  if (options.network != "resnet") return refuse("--network", options.network, "resnet");
  if (std::ranges::find(kNumLayers, options.num_layers) == kNumLayers.end())
    return refuse("--num-layers", options.num_layers, fmt::format("{}", fmt::join(kNumLayers, ", ")));
  if (options.width < 1 || options.width > kLargestWidth)
    return refuse("--width", options.width, fmt::format("1..{}", kLargestWidth));
  const auto [low, high] = std::minmax({options.image_size.width, options.image_size.height});
  if (low < kSmallestSide || high > kLargestSide)
    return refuse("--image-shape",
                  fmt::format("3,{},{}", options.image_size.height, options.image_size.width),
                  fmt::format("3,H,W with sides of {}..{}", kSmallestSide, kLargestSide));
  if (options.num_classes < 0 || options.num_classes == 1)
    return refuse("--num-classes", options.num_classes, "2 or more; 0: from the data");
  return {};
}

Result<void> check_optimiser(const TrainOptions& options) {
  // Written so that NaN is refused.
  if (!(options.lr > 0 && std::isfinite(options.lr))) return refuse("--lr", options.lr, "above 0");
  if (!(options.mom >= 0 && options.mom < 1)) return refuse("--mom", options.mom, "0 to below 1");
  if (!(options.wd >= 0 && std::isfinite(options.wd))) return refuse("--wd", options.wd, "0 or more");
  if (!(options.label_smoothing >= 0 && options.label_smoothing < 1))
    return refuse("--label-smoothing", options.label_smoothing, "0 to below 1");
  if (options.warmup_steps < 0) return refuse("--warmup-steps", options.warmup_steps, "0 or more");
  return {};
}

Result<void> check_run(const TrainOptions& options) {
  if (options.data_train.empty()) return refuse("--data-train", "nothing", "a folder, x.lst or x.rec");
  if (options.batch_size < 1) return refuse("--batch-size", options.batch_size, "1 or more");
  if (options.num_epochs < 1) return refuse("--num-epochs", options.num_epochs, "1 or more");
  if (options.disp_batches < 1) return refuse("--disp-batches", options.disp_batches, "1 or more");
  if (options.data_nthreads < 0)
    return refuse("--data-nthreads", options.data_nthreads, "1 or more; 0: tuned");
  if (options.compute_threads < 0)
    return refuse("--compute-threads", options.compute_threads, "1 or more; 0: by the CPUs");
  if (options.top_k < 0) return refuse("--top-k", options.top_k, "2 or more; 0: top-1 alone");
  if (!(options.crop_scale_min > 0 && options.crop_scale_min <= 1))
    return refuse("--crop-scale-min", options.crop_scale_min, "above 0, to 1");
  if (!(options.max_bad_share >= 0 && options.max_bad_share <= 1))
    return refuse("--max-bad-share", options.max_bad_share, "0..1");
  if (!(options.max_minutes >= 0))
    return refuse("--max-minutes", options.max_minutes, "above 0; 0: no limit");
  return {};
}

}  // namespace

Result<void> check_options(const TrainOptions& options) {
  if (auto checked = check_network(options); !checked) return checked;
  if (auto checked = check_optimiser(options); !checked) return checked;
  return check_run(options);
}

std::string train_recipe(const TrainOptions& options) {
  return Recipe({RandomResizedCrop{.size = options.image_size, .scale_min = options.crop_scale_min}, Flip{},
                 kImageNet, TensorStep{DType::f32, Layout::nhwc}})
      .to_string();
}

std::string eval_recipe(const TrainOptions& options) {
  const int side = std::max(options.image_size.width, options.image_size.height);
  return Recipe({ResizeStep{.short_side = side + side / 8}, CenterCrop{options.image_size}, kImageNet,
                 TensorStep{DType::f32, Layout::nhwc}})
      .to_string();
}

int compute_threads(const TrainOptions& options, int allowed) {
  if (options.compute_threads > 0) return options.compute_threads;
  // Of two CPUs neither is set aside: decoding what was packed small takes a tenth of one (docs/train.md).
  return allowed <= 2 ? std::max(1, allowed) : allowed - 1;
}

}  // namespace stoker::training
