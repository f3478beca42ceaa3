// stoker train
#include "stoker/train.hpp"

#include <fmt/format.h>
#include <optional>
#include <tuple>

#include "stoker/error.hpp"

#include "base/units.hpp"
#include "cli/exit_status.hpp"
#include "cli/interrupt.hpp"
#include "cli/json.hpp"
#include "cli/log_file.hpp"
#include "cli/text.hpp"
#include "cli/train_options.hpp"
#include "cli/verbs.hpp"

namespace stoker::cli {

namespace {

// What an evaluation tells beyond its figures.
void add_evaluation(const TrainLine& line, Json& json) {
  const Goodput& parts = line.goodput;
  const auto share = [&](double seconds) { return measured(seconds / parts.total_s()); };
  json["goodput"] = {{"train", share(parts.train_s)},
                     {"data_wait", share(parts.data_wait_s)},
                     {"evaluate", share(parts.evaluate_s)},
                     {"checkpoint", share(parts.checkpoint_s)},
                     {"other", share(parts.other_s)}};
  json["classes"] = Json::array();
  for (const ClassAccuracy& one : line.classes)
    json["classes"].push_back({{"name", one.name.empty() ? Json(nullptr) : Json(one.name)},
                               {"images", one.images},
                               {"correct", one.correct}});
}

std::string as_json(const TrainLine& line, bool top_k) {
  Json json = json_object("train");
  json["phase"] = line.phase == TrainPhase::train ? "train" : "eval";
  json["epoch"] = line.epoch;
  json["step"] = line.step;
  json["total_steps"] = line.total_steps;
  json["images_per_s"] = measured(line.images_per_s);
  json["data_wait_share"] = measured(line.data_wait_share);
  json["loss"] = line.loss;  // every digit: losses of two runs can be compared
  json["accuracy"] = measured(line.accuracy);
  if (top_k) json["top_k_accuracy"] = measured(line.top_k_accuracy);
  if (line.phase == TrainPhase::train) json["lr"] = measured(line.lr);
  json["epoch_eta_s"] = measured(line.epoch_eta_s);
  json["total_eta_s"] = measured(line.total_eta_s);
  json["cost"] = measured(line.cost);
  json["cost_to_go"] = measured(line.cost_to_go);
  if (line.phase == TrainPhase::eval) add_evaluation(line, json);
  return json_line(json);
}

std::string money(double amount) { return fmt::format("{:.2f}", amount); }

std::string as_text(const TrainLine& line, int top_k) {
  std::string text = line.phase == TrainPhase::train
                         ? fmt::format("epoch {:>3}  step {:>6}/{}", line.epoch, line.step, line.total_steps)
                         : fmt::format("epoch {:>3}  evaluation ", line.epoch);
  text += fmt::format("  {:>5} images/s  data wait {:>6}  loss {:.4f}  accuracy {}",
                      short_number(line.images_per_s), percent(line.data_wait_share), line.loss,
                      percent(line.accuracy));
  if (line.top_k_accuracy) text += fmt::format("  top-{} {}", top_k, percent(*line.top_k_accuracy));
  if (line.total_eta_s) text += fmt::format("  {} to go", format_duration(*line.total_eta_s));
  if (line.cost) text += fmt::format("  cost {}", money(*line.cost));
  if (line.cost_to_go) text += fmt::format(" + {}", money(*line.cost_to_go));
  return text;
}

// "where the time went: 91 % training, 1 % waiting for data, …"
std::string goodput_text(const TrainReport& report) {
  const auto share = [&](double seconds) { return percent(report.wall_s > 0 ? seconds / report.wall_s : 0); };
  const Goodput& parts = report.goodput;
  return fmt::format(
      "where the time went: training {}, waiting for data {}, evaluating {}, checkpoints {}, "
      "all else {}",
      share(parts.train_s), share(parts.data_wait_s), share(parts.evaluate_s), share(parts.checkpoint_s),
      share(parts.other_s));
}

// The classes of the last evaluation, the worst first; of many, only those.
std::vector<std::string> class_lines(const TrainReport& report) {
  constexpr std::size_t kShown = 10;
  struct Row {
    double share = 0;
    std::string text;
  };
  std::vector<Row> rows;
  for (std::size_t i = 0; i < report.classes.size(); ++i) {
    const ClassAccuracy& one = report.classes[i];
    if (one.images == 0) continue;
    const double share = static_cast<double>(one.correct) / static_cast<double>(one.images);
    rows.push_back(
        {share, fmt::format("  {:<24} {:>7}  of {}", one.name.empty() ? fmt::format("class {}", i) : one.name,
                            percent(share), counted(one.images, "image"))});
  }
  std::ranges::sort(rows, {}, [](const Row& row) { return std::tie(row.share, row.text); });
  std::vector<std::string> lines{rows.size() > kShown
                                     ? fmt::format("accuracy of the {} worst classes:", kShown)
                                     : std::string("accuracy by class:")};
  for (std::size_t i = 0; i < std::min(kShown, rows.size()); ++i) lines.push_back(rows[i].text);
  return rows.empty() ? std::vector<std::string>() : lines;
}

std::vector<std::string> summary(const TrainReport& report) {
  std::vector<std::string> lines = class_lines(report);
  lines.insert(lines.end(), report.notes.begin(), report.notes.end());
  lines.push_back(goodput_text(report));
  if (report.cost) lines.push_back(fmt::format("cost so far: {}", money(*report.cost)));
  if (!report.last_checkpoint.empty())
    lines.push_back(fmt::format("last checkpoint: {}", report.last_checkpoint));
  lines.push_back(fmt::format("{} {} in {}: {} images/s, the model waited for data {} of the time",
                              report.interrupted ? "stopped after" : "trained on",
                              counted(report.images, "image"), format_duration(report.wall_s),
                              short_number(report.images_per_s), percent(report.data_wait_share)));
  if (!report.evaluations.empty())
    lines.push_back(fmt::format("accuracy on the validation set: {} at the end, {} at best",
                                percent(report.final_accuracy), percent(report.best_accuracy)));
  return lines;
}

}  // namespace

int run_train(const Call& call) {
  TrainCall wanted;
  CommonOptions common;
  Options options("train", "stoker train --data-train train.rec --data-val val.rec --num-layers 8",
                  "Trains a ResNet, and tells how long it waited for data.");
  declare_train(options, wanted);
  if (!call.parse(options, common)) return kDone;
  check_train(wanted);
  const TrainOptions& train = wanted.train;
  std::optional<LogFile> log;
  if (!wanted.log_file.empty()) log.emplace(wanted.log_file);

  // A line for people; programs get it on standard error.
  const auto tell = [&](const std::string& line) {
    if (log) log->line(printable(line));
    if (common.json) {
      call.talk.note(printable(line));
    } else {
      call.tell(line);
      call.out.flush();
    }
  };
  TrainCallbacks callbacks;
  callbacks.line = [&](const TrainLine& line) {
    if (!common.json) return tell(as_text(line, train.top_k));
    if (log) log->line(as_text(line, train.top_k));
    call.out.line(as_json(line, train.top_k > 0));
    call.out.flush();
  };
  callbacks.note = [&](const std::string& note) { tell(note); };
  const TrainReport report = [&] {
    try {
      return stoker::train(train, callbacks, &stop_requested());
    } catch (const Error& error) {
      if (log) log->line(printable(error.what()));
      throw;
    }
  }();
  for (const std::string& line : summary(report)) tell(line);
  if (!report.unsaved.empty()) throw Error(ErrorCode::io, {.found = report.unsaved});
  return report.interrupted && interrupted() ? kInterrupted : kDone;
}

}  // namespace stoker::cli
