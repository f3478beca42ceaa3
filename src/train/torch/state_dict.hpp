// Files of named tensors, as Python's torch.save writes them: a zip file of one
// pickle and the memories of its tensors. No code that a file names is ever run.
#pragma once

#include <ATen/core/Tensor.h>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stoker::training {

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

// One value that the pickle describes. Values lie in one array and name each other by their place in it, so
// that a hostile file can neither nest deep nor build a ring.
struct PickledValue {
  enum class Kind { none, boolean, integer, real, text, tuple, list, dict, tensor, storage, callable, mark };
  Kind kind = Kind::none;
  std::int64_t integer = 0;          // also of a boolean; of a storage: its count of elements
  std::string text;                  // also a callable's name
  std::vector<std::size_t> items;    // of tuple and list; of dict: keys and values in turns
  at::Tensor tensor;                 // of a storage: all its elements, one-dimensional
  at::ScalarType type = at::kFloat;  // of a callable that is a storage's type
};

// Errors: corrupt_data (damaged, or sizes that do not fit together), unsupported (the format before zip;
// pickled code, by its name; types of numbers that no state_dict has), out_of_resources.
class StateFile {
 public:
  // `object` names the file in errors. Tensors are copies: `bytes` may go.
  StateFile(std::string_view bytes, std::string object);

  // Whether the outermost dict holds a dict of that name.
  bool has_group(std::string_view name) const { return group(name) != nullptr; }
  // The tensors that the outermost dict, or that dict in it, holds itself. Of one name, the last.
  NamedTensors tensors() const;
  NamedTensors tensors(std::string_view name) const;

 private:
  const PickledValue* group(std::string_view name) const;
  NamedTensors tensors_of(const PickledValue& dict) const;

  std::string object_;
  std::vector<PickledValue> values_;
  std::size_t root_ = 0;
};

// The bytes of a file that holds one plain dict, which StateFile and Python's torch.load (weights_only too)
// read.
std::string write_state_file(const NamedTensors& tensors);
// As above; of a dict of dicts.
std::string write_state_file(const std::vector<std::pair<std::string, NamedTensors>>& groups);

}  // namespace stoker::training
