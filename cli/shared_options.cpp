#include "cli/shared_options.hpp"

#include <fmt/format.h>

#include "stoker/error.hpp"
#include "stoker/recipe.hpp"

namespace stoker::cli {

namespace {

// A count of pixels as people write it: 256000000 is "256M".
std::string spelled_count(std::uint64_t count) {
  constexpr std::uint64_t kMega = 1'000'000;
  return count % kMega == 0 ? fmt::format("{}M", count / kMega) : fmt::format("{}", count);
}

}  // namespace

void declare_common(Options& options, CommonOptions& common) {
  options.flag(common.json, "--json", "JSON");
  options.flag(common.quiet, "--quiet", "errors alone");
}

void declare_open(Options& options, OpenOptions& open) {
  options.text(open.root, "--root", "DIR", "folder of the paths in a .lst");
  options.text(open.classes_file, "--classes", "FILE", "class names, one a line: fixes the class map");
  options.text(open.index_dir, "--index-dir", "DIR", "where record indexes are kept");
}

void declare_max_pixels(Options& options, std::uint64_t& max_pixels) {
  options.custom("--max-pixels", "N", spelled_count(max_pixels), "refuse larger images",
                 [&max_pixels](std::string_view text) { max_pixels = parse_size(text, 1); });
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
