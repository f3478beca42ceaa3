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
  options.flag(common.json, "--json", "JSON on standard output");
  options.flag(common.quiet, "--quiet", "no talk but errors");
}

void declare_open(Options& options, OpenOptions& open) {
  options.text(open.root, "--root", "DIR", "of the paths in a .lst");
  options.text(open.classes_file, "--classes", "FILE", "fixes the class map");
  options.text(open.index_dir, "--index-dir", "DIR", "of record indexes");
}

void declare_max_pixels(Options& options, std::uint64_t& max_pixels) {
  options.custom("--max-pixels", "N", spelled_count(max_pixels), "refuse larger images",
                 [&max_pixels](std::string_view text) { max_pixels = parse_size(text, 1); });
}

void declare_max_bad_share(Options& options, double& share) {
  options.real(share, "--max-bad-share", "X", "more fails it", {.low = 0, .high = 1});
}

void declare_bad_sample(Options& options, BadSamplePolicy& policy) {
  static constexpr std::array<Choice<BadSamplePolicy>, 3> kPolicies{
      {{"raise", BadSamplePolicy::raise},
       {"skip", BadSamplePolicy::skip},
       {"substitute", BadSamplePolicy::substitute}}};
  options.choice(policy, "--bad-sample", "what a sample that fails does", kPolicies);
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
