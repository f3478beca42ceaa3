// Weights in files against the tensors of a network: compared by name and shape, then copied.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "train/torch/network.hpp"
#include "train/torch/state_dict.hpp"

namespace stoker::training {

// The state_dict in a file of Python's, also where it lies under "state_dict" or "model"; names without the
// prefixes that DataParallel and torch.compile put before them. Errors: as StateFile's.
NamedTensors read_state_dict(std::string_view bytes, const std::string& object);

// Where `from` lacks a norm's count of batches (PyTorch before 0.4.1 wrote none), it keeps its own.
struct WeightsMatch {
  std::vector<at::Tensor> to, from;
  bool other_classes = false;  // the linear layer is left out: the file's has another number of classes
};

// Pairs every entry with its tensor in the file. Errors: invalid_argument (the first name or shape that
// differs, and how many do).
WeightsMatch match_weights(const std::vector<Entry>& entries, const NamedTensors& from,
                           const std::string& object, bool may_differ_in_classes);

// Into the memory of the entries. Errors: none; shapes were compared.
void copy_weights(const WeightsMatch& match);

NamedTensors named_tensors(const std::vector<Entry>& entries);

}  // namespace stoker::training
