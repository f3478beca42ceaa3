// Steps of a network on one batch in memory, for model_bench.py.
//
// usage: model_bench LAYERS SIDE BATCH f32|bf16 THREADS
//
// Answers each line of stdin with one: a number of seconds with the images a second of wall time, and of
// the process's CPU time, of as many seconds of steps;
// "state" with the seconds of copying the learner's state and of making it bytes.
#include <chrono>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <malloc.h>
#include <string>
#include <vector>

#include "base/philox.hpp"
#include "train/library.hpp"

extern "C" const stoker::training::TrainLibrary* stoker_train_library();

namespace {

using namespace stoker::training;
using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void time_state(const Learner& learner) {
  const auto start = Clock::now();
  const auto state = learner.state();
  const double copied = since(start);
  const std::size_t bytes = state->serialise().size();
  std::printf("copy %.3f s, bytes %.3f s, %.1f MB\n", copied, since(start) - copied,
              static_cast<double>(bytes) / 1e6);
}

void time_steps(Learner& learner, const LearnerBatch& batch, double seconds) {
  const auto start = Clock::now();
  const std::clock_t cpu_start = std::clock();
  int steps = 0;
  do {
    learner.accumulate(batch, 1.0);
    learner.update(0.01);
    ++steps;
  } while (since(start) < seconds);
  const double cpu_seconds = static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
  std::printf("%.3f %.3f\n", steps * batch.size / since(start), steps * batch.size / cpu_seconds);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 6) return 2;
  // As src/train/backend.cpp sets them for the product.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  const int side = std::stoi(arguments[2]);
  const int size = std::stoi(arguments[3]);
  const auto learner = stoker_train_library()->make_learner(
      {.network = {.num_layers = std::stoi(arguments[1]), .width = 64, .num_classes = 1000},
       .wd = 1e-4,
       .bfloat16 = std::string(arguments[4]) == "bf16",
       .compute_threads = std::stoi(arguments[5])});
  std::vector<float> pixels(3UL * static_cast<std::size_t>(size) * static_cast<std::size_t>(side) *
                            static_cast<std::size_t>(side));
  stoker::SampleRng rng(1, 0, 0, 0);
  for (float& pixel : pixels) pixel = static_cast<float>(rng.uniform(-1, 1));
  std::vector<std::int64_t> labels;
  for (int i = 0; i < size; ++i) labels.push_back(i);
  const LearnerBatch batch{.size = size,
                           .image_size = {side, side},
                           .images = reinterpret_cast<const std::byte*>(pixels.data()),
                           .labels = labels};
  for (std::string line; std::getline(std::cin, line); std::fflush(stdout)) {
    if (line == "state")
      time_state(*learner);
    else
      time_steps(*learner, batch, std::stod(line));
  }
  return 0;
}
