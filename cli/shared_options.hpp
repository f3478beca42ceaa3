// Options that several verbs take, declared in one place so that they are spelled and told alike.
#pragma once

#include <cstdint>

#include "stoker/loader.hpp"
#include "stoker/record.hpp"

#include "cli/options.hpp"

namespace stoker::cli {

struct CommonOptions {
  bool json = false;
  bool quiet = false;
};

// --json --quiet; every verb.
void declare_common(Options& options, CommonOptions& common);
// --root --classes --index-dir; verbs that open a SOURCE.
void declare_open(Options& options, OpenOptions& open);
// --learn --check-bytes; verbs that load epochs.
void declare_seek_points(Options& options, LearnSeek& learn, CheckBytes& check_bytes);
// --max-pixels; verbs that decode.
void declare_max_pixels(Options& options, std::uint64_t& max_pixels);
// --pixels; verbs whose pixels go to a network.
void declare_pixels(Options& options, PixelMode& pixels);
// --max-bad-share
void declare_max_bad_share(Options& options, double& share);
// --bad-sample
void declare_bad_sample(Options& options, BadSamplePolicy& policy);
// --recipe; a recipe that does not parse is a usage error.
void declare_recipe(Options& options, std::string& recipe);

}  // namespace stoker::cli
