// stoker train
#include "stoker/train.hpp"

#include <fmt/format.h>

#include "stoker/error.hpp"

#include "base/units.hpp"
#include "cli/exit_status.hpp"
#include "cli/interrupt.hpp"
#include "cli/json.hpp"
#include "cli/text.hpp"
#include "cli/verbs.hpp"

namespace stoker::cli {

namespace {

// Values with one choice today; the surface has more, which later builds take.
struct FixedChoices {
  std::string lr_schedule = "cosine";
  std::string dtype = "float32";
  std::string gpus = "none";
};

template <std::size_t n>
void declare_names(Options& options, std::string& value, const std::string& name, const std::string& help,
                   const std::array<std::string_view, n>& names) {
  std::string shown(names[0]);
  for (std::size_t i = 1; i < n; ++i) shown += "|" + std::string(names[i]);
  options.custom(name, shown, n == 1 ? "" : value, help,
                 [&value, names](std::string_view text) { value = names[parse_name(text, names)]; });
}

// "none", or well-formed GPU numbers, which this build cannot serve.
void read_gpus(std::string_view text, std::string& gpus) {
  const bool numbers = !text.empty() && text.find_first_not_of("0123456789,.") == std::string_view::npos;
  static constexpr std::array<std::string_view, 1> kNames{"none"};
  if (!numbers) parse_name(text, kNames);
  gpus = text;
}

void declare_network(Options& options, TrainOptions& train, FixedChoices& fixed) {
  static constexpr std::array<std::string_view, 1> kNetworks{"resnet"};
  static constexpr std::array<std::string_view, 1> kSchedules{"cosine"};
  static constexpr std::array<std::string_view, 1> kDTypes{"float32"};
  static constexpr std::array<Choice<int>, 4> kLayers{{{"8", 8}, {"20", 20}, {"32", 32}, {"56", 56}}};
  declare_names(options, train.network, "--network", "", kNetworks);
  options.choice(train.num_layers, "--num-layers", "", kLayers);
  options.custom("--image-shape", "C,H,W",
                 fmt::format("3,{},{}", train.image_size.height, train.image_size.width), "",
                 [&train](std::string_view text) { train.image_size = parse_image_shape(text); });
  options.custom("--num-classes", "N", "", "[from data]", [&train](std::string_view text) {
    train.num_classes = static_cast<int>(parse_integer(text, {.low = 2, .high = 1e6}));
  });
  declare_names(options, fixed.dtype, "--dtype", "", kDTypes);
  options.custom("--gpus", "none", "", "", [&fixed](std::string_view text) { read_gpus(text, fixed.gpus); });
  declare_names(options, fixed.lr_schedule, "--lr-schedule", "", kSchedules);
}

void declare_training(Options& options, TrainOptions& train) {
  options.text(train.data_train, "--data-train", "S", "folder, x.lst or x.rec; required");
  options.text(train.data_val, "--data-val", "S", "the same, for an evaluation behind every epoch");
  options.integer(train.batch_size, "--batch-size", "", {.low = 1, .high = 65536});
  options.integer(train.num_epochs, "--num-epochs", "", {.low = 1, .high = 1e6});
  options.real(train.lr, "--lr", "X", "", {.low = 0, .high = 1e3, .low_open = true});
  options.integer(train.warmup_steps, "--warmup-steps", "", {.low = 0, .high = 1e9});
  options.real(train.wd, "--wd", "X", "", {.low = 0, .high = 1e3});
  options.real(train.mom, "--mom", "X", "", {.low = 0, .high = 1});
  options.real(train.label_smoothing, "--label-smoothing", "X", "", {.low = 0, .high = 1});
  options.seed(train.seed, "");
  options.threads(train.data_nthreads, "--data-nthreads", "decode workers");
  options.integer(train.disp_batches, "--disp-batches", "batches from one report line to the next",
                  {.low = 1, .high = 1e9});
  options.custom("--top-k", "N", "", "accuracy too", [&train](std::string_view text) {
    train.top_k = static_cast<int>(parse_integer(text, {.low = 1, .high = 1e6}));
  });
  options.custom("--max-minutes", "X", "", "stop then", [&train](std::string_view text) {
    train.max_minutes = parse_real(text, {.low = 0, .high = 1e7, .low_open = true});
  });
  declare_max_bad_share(options, train.max_bad_share);
  declare_bad_sample(options, train.bad_sample);
  declare_max_pixels(options, train.max_pixels);
  declare_open(options, train.open);
}

std::string as_json(const TrainLine& line, bool top_k) {
  Json json = json_object("train");
  json["phase"] = line.phase == TrainPhase::train ? "train" : "eval";
  json["epoch"] = line.epoch;
  json["step"] = line.step;
  json["total_steps"] = line.total_steps;
  json["images_per_s"] = measured(line.images_per_s);
  json["data_wait_share"] = measured(line.data_wait_share);
  json["loss"] = measured(line.loss);
  json["accuracy"] = measured(line.accuracy);
  if (top_k) json["top_k_accuracy"] = measured(line.top_k_accuracy);
  json["epoch_eta_s"] = measured(line.epoch_eta_s);
  json["total_eta_s"] = measured(line.total_eta_s);
  json["cost"] = nullptr;  // no price is known
  return json_line(json);
}

std::string as_text(const TrainLine& line) {
  std::string text = line.phase == TrainPhase::train
                         ? fmt::format("epoch {:>3}  step {:>6}/{}", line.epoch, line.step, line.total_steps)
                         : fmt::format("epoch {:>3}  evaluation ", line.epoch);
  text += fmt::format("  {:>5} images/s  data wait {:>6}  loss {:.4f}  accuracy {}",
                      short_number(line.images_per_s), percent(line.data_wait_share), line.loss,
                      percent(line.accuracy));
  if (line.top_k_accuracy) text += fmt::format("  top-k {}", percent(*line.top_k_accuracy));
  if (line.total_eta_s) text += fmt::format("  {} to go", format_duration(*line.total_eta_s));
  return text;
}

std::vector<std::string> summary(const TrainReport& report, bool evaluated) {
  std::vector<std::string> lines = report.notes;  // before the result, which stands last
  lines.push_back(fmt::format("{} {} in {}: {} images/s, the model waited for data {} of the time",
                              report.interrupted ? "stopped after" : "trained on",
                              counted(report.images, "image"), format_duration(report.wall_s),
                              short_number(report.images_per_s), percent(report.data_wait_share)));
  if (evaluated && !report.evaluations.empty())
    lines.push_back(fmt::format("accuracy on the validation set: {} at the end, {} at best",
                                percent(report.final_accuracy), percent(report.best_accuracy)));
  return lines;
}

}  // namespace

int run_train(const Call& call) {
  TrainOptions train;
  FixedChoices fixed;
  CommonOptions common;
  Options options("train", "stoker train --data-train train.rec --data-val val.rec --num-layers 8",
                  "Trains a ResNet for small images, and tells how long it waited for data.");
  declare_network(options, train, fixed);
  declare_training(options, train);
  if (!call.parse(options, common)) return kDone;
  if (train.data_train.empty()) throw UsageError("--data-train is missing");
  if (fixed.gpus != "none") {
    throw Error(ErrorCode::unsupported, {.object = "--gpus " + fixed.gpus,
                                         .found = "this build trains on the CPU alone",
                                         .allowed = "--gpus none"});
  }

  const TrainReport report = stoker::train(
      train,
      [&](const TrainLine& line) {
        call.out.line(common.json ? as_json(line, train.top_k > 0) : as_text(line));
        call.out.flush();
      },
      &stop_requested());
  for (const std::string& line : summary(report, !train.data_val.empty())) {
    if (common.json) {
      call.talk.note(printable(line));
    } else {
      call.tell(line);
    }
  }
  return report.interrupted && interrupted() ? kInterrupted : kDone;
}

}  // namespace stoker::cli
