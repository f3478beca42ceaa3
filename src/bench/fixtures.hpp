// What the tests of this module measure.
#pragma once

#include <string>

#include "bench/synth.hpp"
#include "support/temp_dir.hpp"

namespace stoker::bench {

inline constexpr int kSetWidth = 96, kSetHeight = 64;

// A folder of small pictures under `dir`: of the `images` of each class, one in five is not in it.
inline std::string make_set(const test::TempDir& dir, int classes, int images) {
  SynthOptions options;
  options.directory = dir.path("set");
  options.classes = classes;
  options.images = images;
  options.width = kSetWidth;
  options.height = kSetHeight;
  options.threads = 1;
  make_sample_images(options);
  return dir.path("set/train");
}

}  // namespace stoker::bench
