#include "cli/shared_options.hpp"

#include <filesystem>
#include <system_error>

#include "stoker/error.hpp"
#include "stoker/recipe.hpp"

#include "store/local_store.hpp"

namespace stoker::cli {

namespace {

// Far beyond any picture, and small enough to be reckoned with.
constexpr std::uint64_t kLargestMaxPixels = 1'000'000'000'000;

// Made silently, a mistyped folder would take the indexes and never be looked at again.
void check_folder(const std::string& option, std::string_view path) {
  std::error_code failed;
  if (std::filesystem::is_directory(store::local_path(path), failed)) return;
  throw Error(ErrorCode::not_found, {.object = option + " " + std::string(path),
                                     .found = "no such folder",
                                     .next_step = "check the path, or make the folder first"});
}

}  // namespace

void declare_common(Options& options, CommonOptions& common) {
  options.flag(common.json, "--json", "JSON");
  options.flag(common.quiet, "--quiet", "no progress, no notes");
}

void declare_open(Options& options, OpenOptions& open) {
  options.text(open.root, "--root", "DIR", "folder of the paths in a .lst");
  options.text(open.classes_file, "--classes", "FILE", "class names, one a line: fixes the class map");
  options.custom("--index-dir", "DIR", "", "where record indexes are kept", [&open](std::string_view text) {
    if (text.empty()) throw UsageError("'': allowed: a folder");
    check_folder("--index-dir", text);
    open.index_dir = text;
  });
}

void declare_seek_points(Options& options, LearnSeek& learn, CheckBytes& check_bytes) {
  static constexpr std::array<std::string_view, 3> kLearns{"off", "crops", "full"};
  static constexpr std::array<LearnSeek, 3> kLearnValues{LearnSeek::off, LearnSeek::crops, LearnSeek::full};
  static constexpr std::array<std::string_view, 3> kChecks{"first", "always", "never"};
  static constexpr std::array<CheckBytes, 3> kCheckValues{CheckBytes::first, CheckBytes::always,
                                                          CheckBytes::never};
  options.custom("--learn", "L", std::string(to_string(learn)), "seek points: off, crops or full",
                 [&learn](std::string_view text) { learn = kLearnValues[parse_name(text, kLearns)]; });
  options.custom(
      "--check-bytes", "C", "first", "an indexed image's CRC: first, always or never",
      [&check_bytes](std::string_view text) { check_bytes = kCheckValues[parse_name(text, kChecks)]; });
}

void declare_max_pixels(Options& options, std::uint64_t& max_pixels) {
  options.custom(
      "--max-pixels", "N", spelled_count(max_pixels), "refuse larger images",
      [&max_pixels](std::string_view text) { max_pixels = parse_size(text, 1, kLargestMaxPixels); });
}

void declare_pixels(Options& options, PixelMode& pixels) {
  static constexpr std::array<std::string_view, 2> kNames{"exact", "fast"};
  static constexpr std::array<PixelMode, 2> kModes{PixelMode::exact, PixelMode::fast};
  options.custom("--pixels", "M", std::string(to_string(pixels)), "exact, or fast and nearly so",
                 [&pixels](std::string_view text) { pixels = kModes[parse_name(text, kNames)]; });
}

void declare_max_bad_share(Options& options, double& share) {
  options.real(share, "--max-bad-share", "X", "share of bad images above which all fails",
               {.low = 0, .high = 1});
}

void declare_bad_sample(Options& options, BadSamplePolicy& policy) {
  static constexpr std::array<std::string_view, 3> kNames{"raise", "skip", "substitute"};
  static constexpr std::array<BadSamplePolicy, 3> kPolicies{BadSamplePolicy::raise, BadSamplePolicy::skip,
                                                            BadSamplePolicy::substitute};
  options.custom("--bad-sample", "P", std::string(to_string(policy)),
                 "raise, skip or substitute what does not decode",
                 [&policy](std::string_view text) { policy = kPolicies[parse_name(text, kNames)]; });
}

void declare_recipe(Options& options, std::string& recipe) {
  options.custom("--recipe", "R", recipe, "steps from bytes to tensor", [&recipe](std::string_view text) {
    try {
      Recipe::parse(text);
    } catch (const Error& error) {
      throw UsageError(error.what());
    }
    recipe = text;
  });
}

}  // namespace stoker::cli
