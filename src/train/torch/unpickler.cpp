#include "train/torch/unpickler.hpp"

#include <ATen/core/Tensor.h>
#include <algorithm>
#include <array>
#include <utility>

#include "stoker/error.hpp"

namespace stoker::training {

namespace {

// A ResNet-152 with its optimiser has about 30,000 values.
constexpr std::size_t kMostValues = 1'000'000;

struct StorageType {
  std::string_view name;
  at::ScalarType type;
};
constexpr std::array<StorageType, 10> kStorageTypes{{{"FloatStorage", at::kFloat},
                                                     {"HalfStorage", at::kHalf},
                                                     {"BFloat16Storage", at::kBFloat16},
                                                     {"DoubleStorage", at::kDouble},
                                                     {"LongStorage", at::kLong},
                                                     {"IntStorage", at::kInt},
                                                     {"ShortStorage", at::kShort},
                                                     {"CharStorage", at::kChar},
                                                     {"ByteStorage", at::kByte},
                                                     {"BoolStorage", at::kBool}}};

// What a file may ask to be called; each is done here, none is looked up.
constexpr std::string_view kOrderedDict = "collections.OrderedDict";
constexpr std::string_view kRebuildTensor = "torch._utils._rebuild_tensor_v2";
constexpr std::string_view kRebuildParameter = "torch._utils._rebuild_parameter";
constexpr std::string_view kTypeTag = "torch.jit._pickle.restore_type_tag";
constexpr std::string_view kSize = "torch.Size";
constexpr std::string_view kStorageType = "storage type";

}  // namespace

void Unpickler::fail_corrupt(const std::string& found) const {
  throw Error(ErrorCode::corrupt_data, {.operation = "read weights",
                                        .object = object_,
                                        .found = found,
                                        .next_step = "copy or save the file again"});
}

void Unpickler::fail_unsupported(const std::string& found) const {
  throw Error(ErrorCode::unsupported,
              {.operation = "read weights",
               .object = object_,
               .found = found,
               .allowed = "a state_dict: names and tensors alone",
               .next_step = "in Python, load it where you trust it and save its weights alone: "
                            "torch.save(model.state_dict(), FILE)"});
}

std::string_view Unpickler::take(std::size_t bytes) {
  if (bytes > rest_.size()) fail_corrupt("its pickle ends early");
  const std::string_view taken = rest_.substr(0, bytes);
  rest_.remove_prefix(bytes);
  return taken;
}

std::string_view Unpickler::take_line() {
  const std::size_t end = rest_.find('\n');
  if (end == std::string_view::npos) fail_corrupt("its pickle ends early");
  const std::string_view line = take(end);
  take(1);
  return line;
}

std::uint64_t Unpickler::take_unsigned(std::size_t bytes) {
  std::uint64_t value = 0;
  const std::string_view digits = take(bytes);
  for (std::size_t i = bytes; i-- > 0;) value = value << 8 | static_cast<unsigned char>(digits[i]);
  return value;
}

void Unpickler::push(PickledValue value) {
  if (values_.size() >= kMostValues) fail_unsupported("more than 1,000,000 values");
  stack_.push_back(values_.size());
  values_.push_back(std::move(value));
}

void Unpickler::push_integer(std::int64_t integer, Kind kind) {
  PickledValue value;
  value.kind = kind;
  value.integer = integer;
  push(std::move(value));
}

std::size_t Unpickler::top() const {
  if (stack_.empty() || values_[stack_.back()].kind == Kind::mark)
    fail_corrupt("its pickle takes a value where there is none");
  return stack_.back();
}

std::size_t Unpickler::pop() {
  const std::size_t place = top();
  stack_.pop_back();
  return place;
}

std::vector<std::size_t> Unpickler::pop_to_mark() {
  const auto mark = std::find_if(stack_.rbegin(), stack_.rend(),
                                 [this](std::size_t place) { return values_[place].kind == Kind::mark; });
  if (mark == stack_.rend()) fail_corrupt("its pickle takes values up to a mark that is not there");
  std::vector<std::size_t> items(mark.base(), stack_.end());
  stack_.erase(mark.base() - 1, stack_.end());
  return items;
}

const PickledValue& Unpickler::item(const PickledValue& tuple, std::size_t index, Kind kind) const {
  if (tuple.kind != Kind::tuple || index >= tuple.items.size() || values_[tuple.items[index]].kind != kind)
    fail_corrupt("arguments of a tensor that are none");
  return values_[tuple.items[index]];
}

std::vector<std::int64_t> Unpickler::integers(const PickledValue& tuple) const {
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < tuple.items.size(); ++i)
    numbers.push_back(item(tuple, i, Kind::integer).integer);
  return numbers;
}

void Unpickler::push_callable(const std::string& module, const std::string& name) {
  PickledValue value;
  value.kind = Kind::callable;
  value.text = module + "." + name;
  if (module == "torch") {
    const auto* const found =
        std::find_if(kStorageTypes.begin(), kStorageTypes.end(),
                     [&name](const StorageType& storage) { return storage.name == name; });
    if (found != kStorageTypes.end()) {
      value.text = kStorageType;
      value.type = found->type;
    }
  }
  for (const std::string_view known :
       {kStorageType, kOrderedDict, kRebuildTensor, kRebuildParameter, kTypeTag, kSize})
    if (value.text == known) {
      push(std::move(value));
      return;
    }
  fail_unsupported("pickled code, " + value.text + ", which is not run");
}

// ("storage", type, key, device, count): where the memory is, which is loaded to the CPU from any device.
void Unpickler::push_storage() {
  const PickledValue& id = values_[pop()];
  if (item(id, 0, Kind::text).text != "storage" || item(id, 1, Kind::callable).text != kStorageType)
    fail_corrupt("a storage that is none");
  const PickledValue& type = item(id, 1, Kind::callable);
  PickledValue value;
  value.kind = Kind::storage;
  value.integer = item(id, 4, Kind::integer).integer;
  value.tensor = load_storage_(item(id, 2, Kind::text).text, type.type, value.integer);
  push(std::move(value));
}

// (storage, offset, sizes, strides, …): a view of the storage, all of whose elements must lie within it.
PickledValue Unpickler::rebuild_tensor(const PickledValue& arguments) const {
  const PickledValue& storage = item(arguments, 0, Kind::storage);
  const std::int64_t offset = item(arguments, 1, Kind::integer).integer;
  const std::vector<std::int64_t> sizes = integers(item(arguments, 2, Kind::tuple));
  const std::vector<std::int64_t> strides = integers(item(arguments, 3, Kind::tuple));
  if (sizes.size() != strides.size() || sizes.size() > 16 || offset < 0 || offset > storage.integer)
    fail_corrupt("a tensor whose shape is none");
  bool empty = false;
  std::int64_t last = offset;  // element; storage.integer is far from overflow, being in memory
  std::int64_t count = 1;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 0 || strides[i] < 0) fail_corrupt("a tensor of negative sizes or strides");
    empty = empty || sizes[i] == 0;
    std::int64_t step = 0;
    if (__builtin_mul_overflow(count, std::max<std::int64_t>(sizes[i], 1), &count) ||
        __builtin_mul_overflow(std::max<std::int64_t>(sizes[i] - 1, 0), strides[i], &step) ||
        __builtin_add_overflow(last, step, &last))
      fail_corrupt("a tensor whose sizes overflow");
  }
  if (!empty && last >= storage.integer) fail_corrupt("a tensor that reaches beyond its memory");
  // Repeated elements (strides of 0) would let few bytes stand for any number of them.
  if (!empty && count > storage.integer) fail_corrupt("a tensor that repeats its elements");
  PickledValue value;
  value.kind = Kind::tensor;
  value.tensor = storage.tensor.as_strided(sizes, strides, offset);
  return value;
}

void Unpickler::call() {
  const PickledValue& arguments = values_[pop()];
  const std::string name = values_[top()].kind == Kind::callable ? values_[pop()].text : "";
  PickledValue result;
  if (name == kOrderedDict && arguments.kind == Kind::tuple && arguments.items.empty()) {
    result.kind = Kind::dict;
  } else if (name == kRebuildTensor) {
    result = rebuild_tensor(arguments);
  } else if (name == kRebuildParameter) {
    result = item(arguments, 0, Kind::tensor);
  } else if (name == kSize) {
    result = item(arguments, 0, Kind::tuple);
  } else if (name == kTypeTag && arguments.kind == Kind::tuple && !arguments.items.empty()) {
    stack_.push_back(arguments.items[0]);
    return;
  } else {
    fail_corrupt("a call of what is not to be called so: " + (name.empty() ? "a value" : name));
  }
  push(std::move(result));
}

void Unpickler::set_items(std::size_t dict, std::vector<std::size_t> items) {
  if (value(dict).kind != Kind::dict || items.size() % 2 != 0) fail_corrupt("a dict that is none");
  value(dict).items.insert(value(dict).items.end(), items.begin(), items.end());
}

// Opcodes that push one number, text or callable.
bool Unpickler::step_scalar(unsigned char opcode) {
  const auto push_text = [this](std::string_view text) {
    PickledValue value;
    value.kind = Kind::text;
    value.text = text;
    push(std::move(value));
  };
  switch (opcode) {
    case 'N':
      push({});
      return true;
    case 0x88:
      push_integer(1, Kind::boolean);
      return true;
    case 0x89:
      push_integer(0, Kind::boolean);
      return true;
    case 'K':
      push_integer(static_cast<std::int64_t>(take_unsigned(1)));
      return true;
    case 'M':
      push_integer(static_cast<std::int64_t>(take_unsigned(2)));
      return true;
    case 'J':
      push_integer(static_cast<std::int32_t>(take_unsigned(4)));
      return true;
    case 0x8a: {  // signed, of as many bytes as it says
      const std::size_t bytes = take_unsigned(1);
      if (bytes > 8) fail_unsupported("an integer of more than 64 bits");
      const std::uint64_t low = take_unsigned(bytes);
      const unsigned above = bytes == 0 ? 0 : static_cast<unsigned>(64 - 8 * bytes);
      push_integer(static_cast<std::int64_t>(low << above) >> above);
      return true;
    }
    case 'G':
      take(8);
      push_integer(0, Kind::real);
      return true;  // no tensor needs its value
    case 'X':
      push_text(take(take_unsigned(4)));
      return true;
    case 0x8c:
      push_text(take(take_unsigned(1)));
      return true;
    case 0x8d:
      push_text(take(take_unsigned(8)));
      return true;
    case 'c': {
      const std::string module(take_line());
      push_callable(module, std::string(take_line()));
      return true;
    }
    case 0x93: {
      const PickledValue name = value(pop());
      const PickledValue module = value(pop());
      if (name.kind != Kind::text || module.kind != Kind::text) fail_corrupt("a name that is none");
      push_callable(module.text, name.text);
      return true;
    }
    default:
      return false;
  }
}

bool Unpickler::step_container(unsigned char opcode) {
  const auto push_items = [this](Kind kind, std::vector<std::size_t> items) {
    PickledValue value;
    value.kind = kind;
    value.items = std::move(items);
    push(std::move(value));
  };
  switch (opcode) {
    case '(':
      push_integer(0, Kind::mark);
      return true;
    case ')':
      push_items(Kind::tuple, {});
      return true;
    case ']':
      push_items(Kind::list, {});
      return true;
    case '}':
      push_items(Kind::dict, {});
      return true;
    case 't':
      push_items(Kind::tuple, pop_to_mark());
      return true;
    case 0x85:
    case 0x86:
    case 0x87: {
      std::vector<std::size_t> items(opcode - 0x84U);
      for (std::size_t i = items.size(); i-- > 0;) items[i] = pop();
      push_items(Kind::tuple, std::move(items));
      return true;
    }
    case 'a':
    case 'e': {
      const std::vector<std::size_t> items = opcode == 'a' ? std::vector{pop()} : pop_to_mark();
      if (value(top()).kind != Kind::list) fail_corrupt("a list that is none");
      std::vector<std::size_t>& list = value(top()).items;
      list.insert(list.end(), items.begin(), items.end());
      return true;
    }
    case 's': {
      const std::size_t held = pop();
      const std::size_t key = pop();
      set_items(top(), {key, held});
      return true;
    }
    case 'u': {
      std::vector<std::size_t> items = pop_to_mark();
      set_items(top(), std::move(items));
      return true;
    }
    default:
      return false;
  }
}

bool Unpickler::step_memo(unsigned char opcode) {
  const auto get = [this](std::uint64_t key) {
    const auto found = memo_.find(key);
    if (found == memo_.end()) fail_corrupt("its pickle refers to what is not there");
    stack_.push_back(found->second);
  };
  switch (opcode) {
    case 'q':
      memo_[take_unsigned(1)] = top();
      return true;
    case 'r':
      memo_[take_unsigned(4)] = top();
      return true;
    case 0x94:
      memo_.emplace(memo_.size(), top());
      return true;
    case 'h':
      get(take_unsigned(1));
      return true;
    case 'j':
      get(take_unsigned(4));
      return true;
    default:
      return false;
  }
}

bool Unpickler::step(unsigned char opcode) {
  switch (opcode) {
    case 0x80:
      if (const std::uint64_t protocol = take_unsigned(1); protocol < 2 || protocol > 5)
        fail_unsupported("pickle protocol " + std::to_string(protocol));
      return true;
    case 0x95:
      take_unsigned(8);
      return true;  // a frame: its length helps streams alone
    case '0':
      pop();
      return true;
    case 'Q':
      push_storage();
      return true;
    case 'R':
      call();
      return true;
    case 'b':
      pop();
      return value(top()).kind == Kind::dict;  // an OrderedDict's _metadata
    default:
      return step_scalar(opcode) || step_container(opcode) || step_memo(opcode);
  }
}

std::size_t Unpickler::run() {
  while (true) {
    const auto opcode = static_cast<unsigned char>(take_unsigned(1));
    if (opcode == '.') return pop();
    if (!step(opcode)) fail_unsupported("pickle opcode " + std::to_string(opcode));
  }
}

}  // namespace stoker::training
