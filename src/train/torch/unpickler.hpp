// The part of Python's pickle format that files of tensors use.
#pragma once

#include <c10/core/ScalarType.h>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "train/torch/state_dict.hpp"

namespace stoker::training {

// The elements of the storage `key`: exactly `count` of `type`.
using LoadStorage =
    std::function<at::Tensor(const std::string& key, at::ScalarType type, std::int64_t count)>;

// Reads one pickle into values; a callable that is none of the few below is refused by its name.
// Source: Python's pickletools; protocols 2 to 4.
class Unpickler {
 public:
  Unpickler(std::string_view pickle, std::string object, LoadStorage load_storage)
      : rest_(pickle), object_(std::move(object)), load_storage_(std::move(load_storage)) {}

  // The place of the outermost value. Errors: as StateFile's.
  std::size_t run();
  std::vector<PickledValue> take_values() { return std::move(values_); }

 private:
  using Kind = PickledValue::Kind;

  bool step(unsigned char opcode);
  bool step_scalar(unsigned char opcode);
  bool step_container(unsigned char opcode);
  bool step_memo(unsigned char opcode);

  void call();
  void push_callable(const std::string& module, const std::string& name);
  void push_storage();
  PickledValue rebuild_tensor(const PickledValue& arguments) const;
  void set_items(std::size_t dict, std::vector<std::size_t> items);

  std::string_view take(std::size_t bytes);
  std::string_view take_line();
  std::uint64_t take_unsigned(std::size_t bytes);
  void push(PickledValue value);
  void push_integer(std::int64_t integer, Kind kind = Kind::integer);
  std::size_t pop();
  std::vector<std::size_t> pop_to_mark();
  std::size_t top() const;
  PickledValue& value(std::size_t place) { return values_[place]; }
  const PickledValue& item(const PickledValue& tuple, std::size_t index, Kind kind) const;
  std::vector<std::int64_t> integers(const PickledValue& tuple) const;

  [[noreturn]] void fail_corrupt(const std::string& found) const;
  [[noreturn]] void fail_unsupported(const std::string& found) const;

  std::string_view rest_;
  std::string object_;
  LoadStorage load_storage_;
  std::vector<PickledValue> values_;
  std::vector<std::size_t> stack_;
  std::unordered_map<std::uint64_t, std::size_t> memo_;
};

}  // namespace stoker::training
