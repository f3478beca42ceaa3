// The trainer's networks for torchvision_oracle.py: trains or runs one on given weights and pixels.
//
// usage: weights_probe train   LAYERS CLASSES WEIGHTS PIXELS COUNT SIDE STEPS OPTIONS OUT
//        weights_probe forward LAYERS CLASSES WEIGHTS PIXELS COUNT SIDE OUT
//
// WEIGHTS: a state_dict, or - for the first weights of seed 1. PIXELS: COUNT × SIDE × SIDE × 3 f32. train:
// STEPS steps on that one batch, whose labels are 0, 1, …; prints the loss of each; OUT: a state_dict.
// OPTIONS: some of nesterov, ema, bf16, with commas, or -. forward: OUT: COUNT × CLASSES f32. An error goes
// to stdout, status 1.
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/from_blob.h>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "stoker/error.hpp"

#include "train/library.hpp"
#include "train/torch/network.hpp"
#include "train/torch/weights.hpp"

extern "C" const stoker::training::TrainLibrary* stoker_train_library();

namespace {

using namespace stoker::training;

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::string& path, const char* bytes, std::size_t size) {
  std::ofstream(path, std::ios::binary).write(bytes, static_cast<std::streamsize>(size));
}

struct Request {
  std::string weights;
  NetworkSpec network;
  std::string pixels;
  int count = 0;
  int side = 0;
};

Request request(char** arguments) {
  const int num_layers = std::stoi(arguments[0]);
  const int width = (num_layers - 2) % 6 == 0 && num_layers != 50 && num_layers != 152 ? 16 : 64;
  return {.weights = std::string(arguments[2]) == "-" ? "" : read_file(arguments[2]),
          .network = {.num_layers = num_layers, .width = width, .num_classes = std::stoi(arguments[1])},
          .pixels = read_file(arguments[3]),
          .count = std::stoi(arguments[4]),
          .side = std::stoi(arguments[5])};
}

void train(char** arguments) {
  const Request asked = request(arguments);
  const int steps = std::stoi(arguments[6]);
  const std::string options = arguments[7];
  const auto has = [&options](const char* option) { return options.find(option) != std::string::npos; };
  const auto learner = stoker_train_library()->make_learner({.network = asked.network,
                                                             .nesterov = has("nesterov"),
                                                             .wd = 0.01,
                                                             .label_smoothing = 0.1,
                                                             .ema_decay = has("ema") ? 0.9 : 0,
                                                             .bfloat16 = has("bf16"),
                                                             .seed = 1});
  if (!asked.weights.empty()) learner->load_weights(asked.weights);
  std::vector<std::int64_t> labels;
  for (int i = 0; i < asked.count; ++i) labels.push_back(i % asked.network.num_classes);
  const LearnerBatch batch{.size = asked.count,
                           .image_size = {asked.side, asked.side},
                           .images = reinterpret_cast<const std::byte*>(asked.pixels.data()),
                           .labels = labels};
  for (int i = 0; i < steps; ++i) {
    std::printf("%.9g\n", learner->accumulate(batch, 1.0).loss_sum / asked.count);
    learner->update(0.02);
  }
  const std::string out =
      stoker_train_library()->export_weights(learner->state()->serialise(), /*averaged=*/has("ema"));
  write_file(arguments[8], out.data(), out.size());
}

void forward(char** arguments) {
  const at::NoGradGuard no_grad;
  Request asked = request(arguments);
  const ResNet network(asked.network, at::make_generator<at::CPUGeneratorImpl>(2));
  copy_weights(
      match_weights(network.entries(), read_state_dict(asked.weights, arguments[2]), arguments[2], false));
  const at::Tensor pixels =
      at::from_blob(asked.pixels.data(), {asked.count, asked.side, asked.side, 3}, at::kFloat);
  const at::Tensor logits = network.forward(pixels.permute({0, 3, 1, 2}), false).contiguous();
  write_file(arguments[6], static_cast<const char*>(logits.const_data_ptr()), logits.nbytes());
}

}  // namespace

int main(int count, char** arguments) {
  const std::string verb = count > 1 ? arguments[1] : "";
  if (!(verb == "train" && count == 11) && !(verb == "forward" && count == 9)) return 2;
  try {
    if (verb == "train")
      train(arguments + 2);
    else
      forward(arguments + 2);
  } catch (const stoker::Error& error) {
    std::printf("%s: %s\n", std::string(to_string(error.code())).c_str(), error.what());
    return 1;
  }
  return 0;
}
