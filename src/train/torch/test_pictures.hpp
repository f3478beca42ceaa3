// Pictures and steps that the learner's tests share.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/philox.hpp"
#include "train/learner.hpp"
#include "train/library.hpp"

extern "C" const stoker::training::TrainLibrary* stoker_train_library();

namespace stoker::training {

inline constexpr Size kPictureSize{16, 16};

// Pictures of noise in which a class shows as stripes of its own direction: no single pixel tells it.
struct Pictures {
  explicit Pictures(int count, int classes = 3, Size picture = kPictureSize) : size(picture) {
    for (int i = 0; i < count; ++i) {
      SampleRng rng(1, 0, static_cast<std::uint64_t>(i), 0);
      const int label = i % classes;
      const double phase = rng.uniform(0, 6.28);
      labels.push_back(label);
      for (int y = 0; y < size.height; ++y)
        for (int x = 0; x < size.width; ++x)
          for (int channel = 0; channel < 3; ++channel) {
            const double along = label == 0 ? x : label == 1 ? y : x + y;
            pixels.push_back(static_cast<float>(std::sin(along * 1.5 + phase) + rng.uniform(-0.3, 0.3)));
          }
    }
  }
  LearnerBatch batch() const { return batch_of(static_cast<int>(labels.size())); }
  LearnerBatch batch_of(int count) const {
    return {count, size, reinterpret_cast<const std::byte*>(pixels.data()),
            std::span(labels).first(static_cast<std::size_t>(count))};
  }

  Size size;
  std::vector<float> pixels;
  std::vector<std::int64_t> labels;
};

inline LearnerSpec small_spec() {
  return {.network = {.num_layers = 8, .width = 4, .num_classes = 3}, .mom = 0.9, .wd = 1e-4, .seed = 5};
}

inline std::unique_ptr<Learner> make(const LearnerSpec& spec) {
  return stoker_train_library()->make_learner(spec);
}

inline Outcome train_step(Learner& learner, const LearnerBatch& batch, double lr) {
  const Outcome outcome = learner.accumulate(batch, 1.0);
  learner.update(lr);
  return outcome;
}

}  // namespace stoker::training
