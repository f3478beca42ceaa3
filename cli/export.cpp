// stoker export CHECKPOINT DEST
#include <fmt/format.h>

#include "stoker/train.hpp"

#include "base/units.hpp"
#include "cli/exit_status.hpp"
#include "cli/json.hpp"
#include "cli/verbs.hpp"

namespace stoker::cli {

int run_export(const Call& call) {
  std::string checkpoint, destination;
  bool averaged = false;
  CommonOptions common;
  Options options("export", "stoker export flowers-0040.ckpt flowers.pt",
                  "Writes the weights of a checkpoint as a state_dict that PyTorch loads.");
  options.positional(checkpoint, "CHECKPOINT");
  options.positional(destination, "DEST");
  static constexpr std::array<Choice<bool>, 2> kWeights{{{"trained", false}, {"averaged", true}}};
  options.choice(averaged, "--weights", "averaged: those of --ema-decay", kWeights);
  if (!call.parse(options, common)) return kDone;
  const ExportReport report = export_weights(checkpoint, destination, averaged);
  if (common.json) {
    Json json = json_object("export");
    json["path"] = destination;
    json["network"] = report.network;
    json["num_classes"] = report.num_classes;
    json["steps"] = report.steps;
    json["bytes"] = report.bytes;
    call.out.line(json_line(json));
  } else {
    call.out.line(fmt::format("{}: {} with {} classes, {} steps trained, {}", destination, report.network,
                              report.num_classes, report.steps, format_bytes(report.bytes)));
  }
  return kDone;
}

}  // namespace stoker::cli
