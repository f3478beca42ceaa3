// The networks of ImageNet against torchvision's, from references that it wrote.
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "train/torch/network.hpp"
#include "train/torch/state_dict.hpp"
#include "train/torch/test_pictures.hpp"

namespace stoker::training {
namespace {

ResNet make_network(int num_layers, int num_classes) {
  return ResNet({.num_layers = num_layers, .width = 64, .num_classes = num_classes},
                at::make_generator<at::CPUGeneratorImpl>(1));
}

std::vector<std::string> reference_lines(int num_layers) {
  std::ifstream file(std::string(STOKER_TORCHVISION_NAMES) + "/resnet" + std::to_string(num_layers) + ".txt");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    if (!line.starts_with("#")) lines.push_back(line);
  return lines;
}

std::string line_of(const std::string& name, const at::Tensor& tensor) {
  std::string line = name;
  for (const std::int64_t size : tensor.sizes()) line += " " + std::to_string(size);
  return line;
}

TEST(Torchvision, ExportHasItsNamesShapesAndOrder) {
  for (const int num_layers : {18, 50}) {
    LearnerSpec spec;
    spec.network = {.num_layers = num_layers, .width = 64, .num_classes = 1000};
    const std::string state = make(spec)->state()->serialise();
    const StateFile file(stoker_train_library()->export_weights(state, false), "test");
    std::vector<std::string> lines;
    for (const auto& [name, tensor] : file.tensors()) {
      lines.push_back(line_of(name, tensor));
      EXPECT_EQ(tensor.scalar_type(), name.ends_with("num_batches_tracked") ? at::kLong : at::kFloat) << name;
      EXPECT_TRUE(tensor.is_contiguous()) << name;
    }
    EXPECT_EQ(lines, reference_lines(num_layers));
  }
}

// Counts that torchvision publishes with its weights.
TEST(Torchvision, NetworksHaveItsParameterCounts) {
  for (const auto& [num_layers, expected] : {std::pair{18, 11'689'512},
                                             {34, 21'797'672},
                                             {50, 25'557'032},
                                             {101, 44'549'160},
                                             {152, 60'192'808}}) {
    std::int64_t count = 0;
    const ResNet network = make_network(num_layers, 1000);
    for (const Entry& entry : network.entries())
      if (entry.learned()) count += entry.tensor.numel();
    EXPECT_EQ(count, expected) << num_layers;
  }
}

// Weights of a formula, in the order of rows, so that torchvision could be given the same.
void fill_by_formula(const ResNet& network) {
  const at::NoGradGuard no_grad;
  for (std::size_t place = 0; place < network.entries().size(); ++place) {
    const Entry& entry = network.entries()[place];
    if (entry.role == Role::count) continue;
    at::Tensor rows = at::empty(entry.tensor.sizes());
    const std::int64_t dims = rows.dim();
    const double fan_in =
        dims < 2 ? 1.0 : static_cast<double>(rows.numel()) / static_cast<double>(rows.size(0));
    for (std::int64_t i = 0; i < rows.numel(); ++i) {
      const double wave = std::sin(0.37 * static_cast<double>(i) + static_cast<double>(place));
      double value = 0.1 * wave;
      if (dims == 4)
        value = wave * std::sqrt(2.0 / fan_in);
      else if (dims == 2)
        value = wave * std::sqrt(1.0 / fan_in);
      else if (entry.name.ends_with("running_var"))
        value = 1 + 0.5 * wave;
      else if (entry.name.ends_with(".weight"))
        value = 0.5 + 0.25 * wave;
      rows.data_ptr<float>()[i] = static_cast<float>(value);
    }
    at::Tensor(entry.tensor).copy_(rows);
  }
}

// Logits of torchvision 0.28.0 (PyTorch 2.13.0, f32) for the same weights and picture. The tolerance is some
// twenty roundings of f32 at the size of the largest.
TEST(Torchvision, OutputsAreItsOwn) {
  const std::vector<std::pair<int, std::vector<double>>> references{
      {18, {-1.829535722732544, 5.83798885345459, 8.737195014953613, 4.45421838760376, -3.4873764514923096}},
      {50,
       {-27.70354461669922, -29.114255905151367, 74.23612213134766, -90.53778839111328, 71.30351257324219}}};
  const at::NoGradGuard no_grad;
  at::Tensor picture = at::empty({1, 3, 64, 64});
  for (std::int64_t i = 0; i < picture.numel(); ++i)
    picture.data_ptr<float>()[i] = static_cast<float>(std::sin(0.01 * static_cast<double>(i)));
  picture = picture.contiguous(at::MemoryFormat::ChannelsLast);
  for (const auto& [num_layers, expected] : references) {
    const ResNet network = make_network(num_layers, 5);
    fill_by_formula(network);
    const at::Tensor logits = network.forward(picture, false).contiguous();
    double largest = 0;
    for (const double value : expected) largest = std::max(largest, std::abs(value));
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(logits.const_data_ptr<float>()[i], expected[i], 1e-5 * largest) << num_layers;
  }
}

}  // namespace
}  // namespace stoker::training
