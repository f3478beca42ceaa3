#include "train/torch/state_dict.hpp"

#include <ATen/core/Dict.h>
#include <ATen/core/ivalue.h>
#include <ATen/ops/empty.h>
#include <algorithm>
#include <caffe2/serialize/inline_container.h>
#include <cstring>
#include <memory>
#include <new>
#include <torch/csrc/jit/serialization/pickler.h>
#include <unordered_map>

#include "stoker/error.hpp"

#include "train/torch/translated.hpp"
#include "train/torch/unpickler.hpp"

namespace stoker::training {

namespace {

class BytesReader final : public caffe2::serialize::ReadAdapterInterface {
 public:
  explicit BytesReader(std::string_view bytes) : bytes_(bytes) {}
  std::size_t size() const override { return bytes_.size(); }
  std::size_t read(std::uint64_t position, void* buffer, std::size_t count, const char*) const override {
    if (position >= bytes_.size()) return 0;
    count = std::min<std::size_t>(count, bytes_.size() - position);
    std::memcpy(buffer, bytes_.data() + position, count);
    return count;
  }

 private:
  std::string_view bytes_;
};

Error corrupt(const std::string& object, const std::string& found) {
  return Error(ErrorCode::corrupt_data, {.operation = "read weights",
                                         .object = object,
                                         .found = found,
                                         .next_step = "copy or save the file again"});
}

Error no_memory(const std::string& object) {
  return Error(ErrorCode::out_of_resources,
               {.operation = "read weights", .object = object, .found = "not enough memory"});
}

// The records of the zip file. All of them together are no larger than the file: nothing in it is compressed,
// so a size beyond that is a lie, found out before memory is taken for it.
class Records {
 public:
  Records(std::string_view bytes, const std::string& object)
      : object_(object), left_(bytes.size()), reader_(std::make_shared<BytesReader>(bytes)) {}

  bool has(const std::string& name) { return reader_.hasRecord(name); }

  std::string text(const std::string& name) {
    std::string text(claim(name), '\0');
    fill(name, text.data(), text.size());
    return text;
  }

  at::Tensor tensor(const std::string& name, at::ScalarType type, std::int64_t count) {
    const std::size_t bytes = claim(name);
    const std::size_t element = c10::elementSize(type);
    if (count < 0 || static_cast<std::size_t>(count) != bytes / element || bytes % element != 0)
      throw corrupt(object_, "record " + name + " has " + std::to_string(bytes) + " bytes for " +
                                 std::to_string(count) + " elements of " + std::to_string(element));
    at::Tensor tensor = at::empty({count}, type);
    fill(name, tensor.data_ptr(), bytes);
    return tensor;
  }

 private:
  std::size_t claim(const std::string& name) {
    if (!has(name)) throw corrupt(object_, "record " + name + " is absent");
    const std::size_t bytes = reader_.getRecordSize(name);
    if (bytes > left_)
      throw corrupt(object_, "record " + name + " claims " + std::to_string(bytes) +
                                 " bytes, more than the file has left");
    left_ -= bytes;
    return bytes;
  }
  void fill(const std::string& name, void* to, std::size_t bytes) {
    if (bytes != 0 && reader_.getRecord(name, to, bytes) != bytes)
      throw corrupt(object_, "record " + name + " ends early");
  }

  const std::string& object_;
  std::size_t left_;
  caffe2::serialize::PyTorchStreamReader reader_;
};

void check_kind(std::string_view bytes, const std::string& object) {
  if (bytes.starts_with("PK\x03\x04")) return;
  // A pickle's first opcode; torch.save wrote bare pickles until PyTorch 1.6.
  if (bytes.starts_with('\x80'))
    throw Error(
        ErrorCode::unsupported,
        {.operation = "read weights",
         .object = object,
         .found = "the format that PyTorch wrote before version 1.6",
         .allowed = "the zip format",
         .next_step = "save it again in Python: torch.save(torch.load(FILE, weights_only=True), NEW)"});
  throw corrupt(object, bytes.empty() ? "it is empty" : "it is no zip file, as torch.save writes");
}

c10::Dict<std::string, at::Tensor> dict_of(const NamedTensors& tensors) {
  c10::Dict<std::string, at::Tensor> dict;
  for (const auto& [name, tensor] : tensors) dict.insert(name, tensor);
  return dict;
}

// torch::jit::pickle_save would mark the types of dicts, by a call that weights_only refuses.
std::string pickled(const at::IValue& value) {
  std::string pickle;
  torch::jit::Pickler pickler([&pickle](const char* from, std::size_t size) { pickle.append(from, size); },
                              /*tensor_table=*/nullptr, /*type_renamer=*/nullptr,
                              /*memoized_class_types=*/nullptr, /*get_tensor_id=*/nullptr,
                              /*tag_aggregates=*/false);
  pickler.protocol();
  pickler.pushIValue(value);
  pickler.stop();
  std::size_t size = pickle.size();
  for (const at::Tensor& tensor : pickler.tensorData()) size += tensor.nbytes() + 256;  // and its headers
  std::string bytes;
  bytes.reserve(size + 4096);
  caffe2::serialize::PyTorchStreamWriter writer([&bytes](const void* from, std::size_t count) {
    bytes.append(static_cast<const char*>(from), count);
    return count;
  });
  writer.writeRecord("data.pkl", pickle.data(), pickle.size());
  writer.writeRecord("byteorder", "little", 6);
  for (std::size_t i = 0; i < pickler.tensorData().size(); ++i) {
    const torch::jit::WriteableTensorData data = torch::jit::getWriteableTensorData(pickler.tensorData()[i]);
    writer.writeRecord("data/" + std::to_string(i), data.data(), data.sizeInBytes());
  }
  writer.writeEndOfFile();
  return bytes;
}

}  // namespace

StateFile::StateFile(std::string_view bytes, std::string object) : object_(std::move(object)) {
  check_kind(bytes, object_);
  try {
    Records records(bytes, object_);
    if (records.has("byteorder") && records.text("byteorder") != "little")
      throw Error(ErrorCode::unsupported, {.operation = "read weights",
                                           .object = object_,
                                           .found = "numbers with the most significant byte first",
                                           .next_step = "save it on a machine with the other byte order"});
    const std::string pickle = records.text("data.pkl");
    struct Loaded {
      at::Tensor tensor;
      at::ScalarType type;
    };
    std::unordered_map<std::string, Loaded> storages;
    Unpickler unpickler(
        pickle, object_, [&](const std::string& key, at::ScalarType type, std::int64_t count) {
          const auto known = storages.find(key);
          if (known == storages.end())
            return storages.emplace(key, Loaded{records.tensor("data/" + key, type, count), type})
                .first->second.tensor;
          if (known->second.type != type || known->second.tensor.numel() != count)
            throw corrupt(object_, "one memory, data/" + key + ", as two kinds of numbers");
          return known->second.tensor;
        });
    root_ = unpickler.run();
    values_ = unpickler.take_values();
  } catch (const c10::Error& error) {
    if (tells_of_memory(error.what_without_backtrace())) throw no_memory(object_);
    throw corrupt(object_, error.what_without_backtrace());
  } catch (const std::bad_alloc&) {
    throw no_memory(object_);
  }
  if (values_[root_].kind != PickledValue::Kind::dict)
    throw Error(ErrorCode::unsupported, {.operation = "read weights",
                                         .object = object_,
                                         .found = "something else than a dict",
                                         .allowed = "a state_dict: names and tensors",
                                         .next_step = "save model.state_dict() alone"});
}

const PickledValue* StateFile::group(std::string_view name) const {
  const PickledValue* found = nullptr;
  const std::vector<std::size_t>& items = values_[root_].items;
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    const PickledValue& key = values_[items[i]];
    const PickledValue& held = values_[items[i + 1]];
    if (key.kind == PickledValue::Kind::text && key.text == name && held.kind == PickledValue::Kind::dict)
      found = &held;
  }
  return found;
}

NamedTensors StateFile::tensors_of(const PickledValue& dict) const {
  NamedTensors tensors;
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i + 1 < dict.items.size(); i += 2) {
    const PickledValue& key = values_[dict.items[i]];
    const PickledValue& held = values_[dict.items[i + 1]];
    if (key.kind != PickledValue::Kind::text || held.kind != PickledValue::Kind::tensor) continue;
    const auto [place, is_new] = places.emplace(key.text, tensors.size());
    if (is_new)
      tensors.emplace_back(key.text, held.tensor);
    else
      tensors[place->second].second = held.tensor;
  }
  return tensors;
}

NamedTensors StateFile::tensors() const { return tensors_of(values_[root_]); }

NamedTensors StateFile::tensors(std::string_view name) const {
  const PickledValue* dict = group(name);
  return dict == nullptr ? NamedTensors{} : tensors_of(*dict);
}

std::string write_state_file(const NamedTensors& tensors) { return pickled(dict_of(tensors)); }

std::string write_state_file(const std::vector<std::pair<std::string, NamedTensors>>& groups) {
  c10::Dict<std::string, c10::Dict<std::string, at::Tensor>> dict;
  for (const auto& [name, tensors] : groups) dict.insert(name, dict_of(tensors));
  return pickled(dict);
}

}  // namespace stoker::training
