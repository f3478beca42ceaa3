#include "cli/train_options.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "stoker/error.hpp"

#include "base/units.hpp"
#include "cli/shared_options.hpp"

namespace stoker::cli {

namespace {

// "none", "0", or well-formed numbers of several GPUs, which this build cannot serve.
void read_gpus(std::string_view text, TrainCall& call) {
  call.train.gpu.reset();
  call.several_gpus.clear();
  static constexpr std::array<std::string_view, 2> kNames{"none", "0"};
  if (text.empty() || text.find_first_not_of("0123456789,.") != std::string_view::npos) {
    parse_name(text, kNames);
  } else if (text.find_first_of(",.") != std::string_view::npos) {
    call.several_gpus = text;
  } else {
    call.train.gpu = static_cast<int>(parse_integer(text, {.low = 0, .high = 127}));
  }
}

// "30,60,80"
std::vector<int> parse_epochs(std::string_view text) {
  std::vector<int> epochs;
  for (const std::string_view part : split(text, ','))
    epochs.push_back(static_cast<int>(parse_integer(part, {.low = 1, .high = 1e6})));
  if (!std::ranges::is_sorted(epochs))
    throw UsageError(fmt::format("'{}'; allowed: epochs that ascend", text));
  return epochs;
}

// "0:128,10:160": from an epoch on, a side.
std::vector<EpochSize> parse_shape_schedule(std::string_view text) {
  std::vector<EpochSize> schedule;
  for (const std::string_view part : split(text, ',')) {
    const std::size_t colon = part.find(':');
    if (colon == std::string_view::npos)
      throw UsageError(fmt::format("'{}'; allowed: EPOCH:SIDE, as in 0:128,10:160", part));
    const int side = static_cast<int>(parse_integer(part.substr(colon + 1), {.low = 1, .high = 4096}));
    schedule.push_back(
        {static_cast<int>(parse_integer(part.substr(0, colon), {.low = 0, .high = 1e6})), Size{side, side}});
  }
  return schedule;
}

// "10m" is a time, "500" a number of steps.
void parse_interval(std::string_view text, TrainOptions& train) {
  const bool steps = !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  train.checkpoint_steps =
      steps ? static_cast<std::uint64_t>(parse_integer(text, {.low = 1, .high = 1e12})) : 0;
  train.checkpoint_s = steps ? 0 : parse_seconds(text);
}

void declare_network(Options& options, TrainOptions& train) {
  options.custom("--num-layers", "N", std::to_string(train.num_layers),
                 "18, 34, 50, 101, 152; small nets: 8, 20, 32, 56", [&train](std::string_view text) {
                   static constexpr std::array<std::string_view, 9> kLayers{"8",  "18", "20",  "32", "34",
                                                                            "50", "56", "101", "152"};
                   parse_name(text, kLayers);
                   train.num_layers = static_cast<int>(parse_integer(text, {}));
                 });
  options.custom("--image-shape", "C,H,W", "", "[3,224,224; small nets: 3,64,64]",
                 [&train](std::string_view text) { train.image_size = parse_image_shape(text); });
}

void declare_data(Options& options, TrainOptions& train) {
  options.text(train.data_train, "--data-train", "S", "folder, x.lst or x.rec; required");
  options.text(train.data_val, "--data-val", "S", "the same; evaluated behind every epoch");
}

void declare_checkpoints(Options& options, TrainOptions& train) {
  options.text(train.model_prefix, "--model-prefix", "P",
               "checkpoints: P-0001.ckpt behind the first epoch, …");
  options.custom("--checkpoint-every", "T|N", "", "10m, N steps",
                 [&train](std::string_view text) { parse_interval(text, train); });
  options.custom("--resume", "auto", "", "go on", [&train](std::string_view text) {
    static constexpr std::array<std::string_view, 2> kNames{"auto", "none"};
    train.resume = parse_name(text, kNames) == 0;
  });
}

void declare_everyday(Options& options, TrainOptions& train) {
  options.integer(train.batch_size, "--batch-size", "", {.low = 1, .high = 65536});
  options.integer(train.num_epochs, "--num-epochs", "", {.low = 1, .high = 1e6});
  options.real(train.lr, "--lr", "X", "", {.low = 0, .high = 1e3, .low_open = true});
  options.custom("--price", "X/h", "", "the bill",
                 [&train](std::string_view text) { train.price_per_h = parse_price(text); });
}

void declare_rare_network(Options& options, TrainCall& call) {
  TrainOptions& train = call.train;
  static constexpr std::array<Choice<bool>, 2> kDTypes{{{"float32", false}, {"bfloat16", true}}};
  options.custom("--network", "resnet", "", "", [&train](std::string_view text) {
    static constexpr std::array<std::string_view, 1> kNetworks{"resnet"};
    train.network = kNetworks[parse_name(text, kNetworks)];
  });
  options.custom("--num-classes", "N", "from data", "", [&train](std::string_view text) {
    train.num_classes = static_cast<int>(parse_integer(text, {.low = 2, .high = 1e6}));
  });
  options.choice(train.bfloat16, "--dtype", "", kDTypes);
  options.custom("--image-shape-schedule", "E:N,…", "", "from epoch E on N x N",
                 [&train](std::string_view text) { train.image_size_schedule = parse_shape_schedule(text); });
  options.custom("--gpus", "none|N", "", "one CUDA device, by its number",
                 [&call](std::string_view text) { read_gpus(text, call); });
  options.text(train.init_from, "--init-from", "F", "a state_dict with the first weights");
  options.custom("--load-epoch", "N", "", "go on from P-000N.ckpt", [&train](std::string_view text) {
    train.load_epoch = static_cast<int>(parse_integer(text, {.low = 1, .high = 1e6}));
  });
  options.integer(train.keep, "--keep", "newest checkpoints and the best; 0: all", {.low = 0, .high = 1e6});
}

void declare_rare_optimiser(Options& options, TrainOptions& train) {
  static constexpr std::array<Choice<LrSchedule>, 3> kSchedules{
      {{"cosine", LrSchedule::cosine}, {"step", LrSchedule::step}, {"poly", LrSchedule::poly}}};
  options.integer(train.accumulate, "--accumulate", "batches to one step", {.low = 1, .high = 65536});
  options.choice(train.lr_schedule, "--lr-schedule", "", kSchedules);
  options.custom("--lr-step-epochs", "E,…", "", "of step, as in 30,60,80",
                 [&train](std::string_view text) { train.lr_step_epochs = parse_epochs(text); });
  options.real(train.lr_factor, "--lr-factor", "X", "of step", {.low = 0, .high = 1, .low_open = true});
  options.integer(train.warmup_steps, "--warmup-steps", "", {.low = 0, .high = 1e9});
  options.custom("--wd", "X", "1e-4; small nets: 5e-4", "",
                 [&train](std::string_view text) { train.wd = parse_real(text, {.low = 0, .high = 1e3}); });
  options.real(train.mom, "--mom", "X", "", {.low = 0, .high = 1});
  options.flag(train.nesterov, "--nesterov", "");
  options.real(train.label_smoothing, "--label-smoothing", "X", "", {.low = 0, .high = 1});
  options.real(train.ema_decay, "--ema-decay", "X", "of averaged weights; 0: none", {.low = 0, .high = 1});
  options.custom("--crop-scale-min", "X", "0.08; small nets: 0.35", "", [&train](std::string_view text) {
    train.crop_scale_min = parse_real(text, {.low = 0, .high = 1, .low_open = true});
  });
  options.seed(train.seed, "");
  declare_pixels(options, train.pixels);
}

void declare_rare_rest(Options& options, TrainCall& call) {
  TrainOptions& train = call.train;
  options.threads(train.data_nthreads, "--data-nthreads", "decode workers");
  options.threads(train.compute_threads, "--compute-threads", "of the network");
  declare_max_bad_share(options, train.max_bad_share);
  declare_bad_sample(options, train.bad_sample);
  declare_max_pixels(options, train.max_pixels);
  declare_open(options, train.open);
  declare_seek_points(options, train.learn, train.open.check_bytes);
  options.integer(train.disp_batches, "--disp-batches", "steps between two report lines",
                  {.low = 1, .high = 1e9});
  options.text(call.log_file, "--log-file", "F", "append the lines for people to it");
  options.text(train.tensorboard, "--tensorboard", "DIR", "event files for TensorBoard");
  options.custom("--top-k", "N", "", "accuracy too", [&train](std::string_view text) {
    train.top_k = static_cast<int>(parse_integer(text, {.low = 1, .high = 1e6}));
  });
  options.custom("--max-minutes", "X", "", "stop then", [&train](std::string_view text) {
    train.max_minutes = parse_real(text, {.low = 0, .high = 1e7, .low_open = true});
  });
}

}  // namespace

void declare_train(Options& options, TrainCall& call) {
  declare_data(options, call.train);
  declare_network(options, call.train);
  declare_checkpoints(options, call.train);
  declare_everyday(options, call.train);
  options.begin_rare();
  declare_rare_network(options, call);
  declare_rare_optimiser(options, call.train);
  declare_rare_rest(options, call);
}

void check_train(const TrainCall& call) {
  if (call.train.data_train.empty()) throw UsageError("--data-train is missing");
  if (!call.several_gpus.empty()) {
    throw Error(ErrorCode::unsupported, {.object = "--gpus " + call.several_gpus,
                                         .found = "this build trains on one GPU at most",
                                         .allowed = "--gpus none, or one number as in --gpus 0"});
  }
}

}  // namespace stoker::cli
