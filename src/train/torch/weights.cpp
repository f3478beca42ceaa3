#include "train/torch/weights.hpp"

#include <ATen/core/grad_mode.h>
#include <sstream>
#include <unordered_map>

#include "stoker/error.hpp"

namespace stoker::training {

namespace {

std::string shape_text(const at::Tensor& tensor) {
  std::ostringstream text;
  text << tensor.sizes();
  return text.str();
}

bool is_linear(const Entry& entry) { return entry.name == "fc.weight" || entry.name == "fc.bias"; }

// Equal but for the first dimension, the classes.
bool only_classes_differ(const at::Tensor& one, const at::Tensor& other) {
  return one.dim() > 0 && one.dim() == other.dim() && one.sizes().slice(1) == other.sizes().slice(1);
}

// What differs between a file and a network: the first in words, and how many.
class Differences {
 public:
  void add(const std::string& text) {
    if (count_++ == 0) first_ = text;
  }
  void throw_if_any(const std::string& object) const {
    if (count_ == 0) return;
    throw Error(
        ErrorCode::invalid_argument,
        {.operation = "read weights",
         .object = object,
         .found = first_ + (count_ == 1 ? "" : ", and " + std::to_string(count_ - 1) + " more differ"),
         .next_step = "choose the network that it was saved from (--network, --num-layers)"});
  }

 private:
  std::string first_;
  std::size_t count_ = 0;
};

}  // namespace

NamedTensors read_state_dict(std::string_view bytes, const std::string& object) {
  const StateFile file(bytes, object);
  NamedTensors tensors = file.has_group("state_dict") ? file.tensors("state_dict")
                         : file.has_group("model")    ? file.tensors("model")
                                                      : file.tensors();
  for (auto& [name, tensor] : tensors)
    for (const std::string_view prefix : {"module.", "_orig_mod."})
      if (name.starts_with(prefix)) name.erase(0, prefix.size());
  // AveragedModel's own count.
  std::erase_if(tensors, [](const auto& named) { return named.first == "n_averaged"; });
  return tensors;
}

WeightsMatch match_weights(const std::vector<Entry>& entries, const NamedTensors& from,
                           const std::string& object, bool may_differ_in_classes) {
  std::unordered_map<std::string_view, const at::Tensor*> left;
  for (const auto& [name, tensor] : from) left.emplace(name, &tensor);
  WeightsMatch match;
  Differences differences;
  int other_classes = 0;
  for (const Entry& entry : entries) {
    const auto found = left.find(entry.name);
    if (found == left.end()) {
      if (entry.role != Role::count) differences.add("it has no " + entry.name);
      continue;
    }
    const at::Tensor& tensor = *found->second;
    left.erase(found);
    if (tensor.sizes() == entry.tensor.sizes()) {
      match.to.push_back(entry.tensor);
      match.from.push_back(tensor);
    } else if (may_differ_in_classes && is_linear(entry) && only_classes_differ(tensor, entry.tensor)) {
      ++other_classes;
    } else {
      differences.add(entry.name + " is " + shape_text(tensor) + " there and " + shape_text(entry.tensor) +
                      " in this network");
    }
  }
  for (const auto& [name, tensor] : from)
    if (left.contains(name)) differences.add("this network has no " + name);
  if (other_classes == 1) differences.add("fc.weight and fc.bias are of different numbers of classes");
  differences.throw_if_any(object);
  match.other_classes = other_classes != 0;
  return match;
}

void copy_weights(const WeightsMatch& match) {
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < match.to.size(); ++i) at::Tensor(match.to[i]).copy_(match.from[i]);
}

NamedTensors named_tensors(const std::vector<Entry>& entries) {
  NamedTensors tensors;
  for (const Entry& entry : entries) tensors.emplace_back(entry.name, entry.tensor.detach());
  return tensors;
}

}  // namespace stoker::training
