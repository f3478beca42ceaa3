// stoker synth DIR
#include "bench/synth.hpp"

#include <array>
#include <fmt/format.h>

#include "base/units.hpp"
#include "bench/synth_eeg.hpp"
#include "cli/exit_status.hpp"
#include "cli/interrupt.hpp"
#include "cli/json.hpp"
#include "cli/progress.hpp"
#include "cli/text.hpp"
#include "cli/verbs.hpp"

namespace stoker::cli {

int run_synth(const Call& call) {
  bench::SynthOptions synth;
  CommonOptions common;
  Options options(
      "synth", "stoker synth photos --classes 5 --images 300",
      "Writes DIR/{train,val}/CLASS/*.jpg: real JPEGs of shapes that a small network learns and a linear "
      "model does not; with --kind eeg *.npy of 20 channels in float32, 256 samples a second, whose band "
      "power "
      "tells the class. One image in five goes to val. The same options give the same files.");
  options.positional(synth.directory, "DIR");
  constexpr std::array<Choice<bench::SynthKind>, 2> kKinds{
      {{"images", bench::SynthKind::images}, {"eeg", bench::SynthKind::eeg}}};
  options.choice(synth.kind, "--kind", "what is made", kKinds);
  constexpr Range kSides{.low = bench::kSynthMinSide, .high = bench::kSynthMaxSide};
  options.integer(synth.classes, "--classes", "classes",
                  {.low = bench::kSynthMinClasses, .high = bench::kSynthMaxClasses});
  options.integer(synth.images, "--images", "images or EEGs of each class",
                  {.low = 2, .high = bench::kSynthMaxImages});
  options.integer(synth.width, "--width", "pixels", kSides);
  options.integer(synth.height, "--height", "pixels", kSides);
  options.integer(synth.samples, "--samples", "of each channel of an EEG",
                  {.low = bench::kEegMinSamples, .high = bench::kEegMaxSamples});
  options.seed(synth.seed, "of every picture");
  options.threads(synth.threads, "--threads", "same files for any");
  if (!call.parse(options, common)) return kDone;

  bench::SynthReport report;
  {
    Progress progress(call.talk, synth.kind == bench::SynthKind::eeg ? "EEGs" : "images");
    report = bench::make_sample_images(
        synth, [&](std::uint64_t done, std::uint64_t total) { progress.update(done, total); },
        &stop_requested());
  }
  if (common.json) {
    Json json = json_object("synth");
    json["directory"] = synth.directory;
    json["classes"] = report.classes;
    json["train_images"] = report.train_images;
    json["val_images"] = report.val_images;
    json["bytes"] = report.bytes;
    json["wall_s"] = measured(report.wall_s);
    call.out.line(json_line(json));
    return kDone;
  }
  call.out.line(printable(
      fmt::format("{}: {} for training, {} for validation, {} classes, {}, {}", synth.directory,
                  counted(report.train_images, synth.kind == bench::SynthKind::eeg ? "EEG" : "image"),
                  grouped(report.val_images), report.classes.size(), format_bytes(report.bytes),
                  format_duration(report.wall_s))));
  return kDone;
}

}  // namespace stoker::cli
