#include "train/torch/state_dict.hpp"

#include <ATen/ops/allclose.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <caffe2/serialize/inline_container.h>
#include <cstring>
#include <gmock/gmock.h>
#include <string>
#include <string_view>
#include <vector>

#include "stoker/error.hpp"

namespace stoker::training {
namespace {

using ::testing::HasSubstr;
using std::string_literals::operator""s;

// A file as torch.save lays it out.
std::string file_of(const std::string& pickle, const std::vector<std::pair<std::string, std::string>>& data) {
  std::string bytes;
  caffe2::serialize::PyTorchStreamWriter writer([&bytes](const void* from, std::size_t size) {
    bytes.append(static_cast<const char*>(from), size);
    return size;
  });
  writer.writeRecord("data.pkl", pickle.data(), pickle.size());
  for (const auto& [name, memory] : data) writer.writeRecord(name, memory.data(), memory.size());
  writer.writeEndOfFile();
  return bytes;
}

std::string text(const std::string& text) {
  return "X" + std::string(1, static_cast<char>(text.size())) + "\0\0\0"s + text;
}

std::string number(std::int64_t value) {
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &value, 8);
  return "\x8a\x08" + bytes;
}

std::string tuple(const std::vector<std::int64_t>& numbers) {
  std::string pickle = "(";
  for (const std::int64_t value : numbers) pickle += number(value);
  return pickle + "t";
}

struct Described {
  std::string type = "FloatStorage";
  std::string key = "0";
  std::int64_t count = 6;
  std::int64_t offset = 0;
  std::vector<std::int64_t> sizes{2, 3};
  std::vector<std::int64_t> strides{3, 1};
};

// What Python writes for a tensor, without its memos.
std::string tensor(const Described& described) {
  return "ctorch._utils\n_rebuild_tensor_v2\n((" + text("storage") + "ctorch\n" + described.type + "\n" +
         text(described.key) + text("cpu") + number(described.count) + "tQ" + number(described.offset) +
         tuple(described.sizes) + tuple(described.strides) + "\x89" + "ccollections\nOrderedDict\n)RtR";
}

std::string dict_with(const std::string& tensor) { return "\x80\x02}(" + text("w") + tensor + "u."; }

template <class Number>
std::string memory(const std::vector<Number>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
}

std::string six_floats() { return memory<float>({0, 1, 2, 3, 4, 5}); }

at::Tensor read(const std::string& pickle, const std::string& data) {
  return StateFile(file_of(pickle, {{"data/0", data}}), "f.pt").tensors().at(0).second;
}

ErrorCode code_of(const std::string& bytes, const std::string& text) {
  try {
    StateFile(bytes, "f.pt");
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(text));
    EXPECT_THAT(error.what(), HasSubstr("f.pt"));
    return error.code();
  }
  ADD_FAILURE() << "no error; expected " << text;
  return ErrorCode::internal;
}

ErrorCode code_of_tensor(const Described& described, const std::string& text) {
  return code_of(file_of(dict_with(tensor(described)), {{"data/0", six_floats()}}), text);
}

at::Tensor counted() { return at::arange(6, at::kFloat).reshape({2, 3}); }

TEST(StateFile, ReadsADict) { EXPECT_TRUE(at::equal(read(dict_with(tensor({})), six_floats()), counted())); }

TEST(StateFile, ReadsAnOrderedDictWithItsMetadata) {
  const std::string pickle =
      "\x80\x02"
      "ccollections\nOrderedDict\n)Rq\x05(" +
      text("w") + tensor({}) + "u}" + text("_metadata") + "ccollections\nOrderedDict\n)R" + text("") + "}" +
      text("version") + "K\x01" + "sssb.";
  EXPECT_TRUE(at::equal(read(pickle, six_floats()), counted()));
}

TEST(StateFile, ReadsProtocol4) {
  std::string named = tensor({});
  const std::string line = "ctorch._utils\n_rebuild_tensor_v2\n";
  named = "\x8c\x0ctorch._utils\x94\x8c\x12_rebuild_tensor_v2\x94\x93\x94" + named.substr(line.size());
  const std::string pickle = "\x80\x04\x95\x10\0\0\0\0\0\0\0}\x94("s + "\x8c\x01w\x94" + named + "u.";
  EXPECT_TRUE(at::equal(read(pickle, six_floats()), counted()));
}

TEST(StateFile, ReadsEveryTypeOfNumber) {
  const auto read_as = [](const std::string& type, const std::string& data) {
    return read(dict_with(tensor({.type = type})), data).to(at::kFloat);
  };
  const auto bytes_of = [](at::ScalarType type) {
    const at::Tensor numbers = counted().to(type);
    return std::string(static_cast<const char*>(numbers.const_data_ptr()), numbers.nbytes());
  };
  EXPECT_TRUE(at::equal(read_as("HalfStorage", bytes_of(at::kHalf)), counted()));
  EXPECT_TRUE(at::equal(read_as("BFloat16Storage", bytes_of(at::kBFloat16)), counted()));
  EXPECT_TRUE(at::equal(read_as("DoubleStorage", bytes_of(at::kDouble)), counted()));
  EXPECT_TRUE(at::equal(read_as("LongStorage", bytes_of(at::kLong)), counted()));
}

TEST(StateFile, ReadsStridesAndOffsets) {
  EXPECT_TRUE(
      at::equal(read(dict_with(tensor({.sizes = {3, 2}, .strides = {1, 3}})), six_floats()), counted().t()));
  EXPECT_EQ(read(dict_with(tensor({.offset = 5, .sizes = {}, .strides = {}})), six_floats()).item<float>(),
            5);
  EXPECT_EQ(read(dict_with(tensor({.offset = 6, .sizes = {0, 9}, .strides = {9, 1}})), six_floats()).numel(),
            0);
}

TEST(StateFile, WritesWhatItReads) {
  const NamedTensors tensors{{"b", counted()}, {"a", counted().t().to(at::kBFloat16)}};
  const NamedTensors read = StateFile(write_state_file(tensors), "f.pt").tensors();
  ASSERT_EQ(read.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read[i].first, tensors[i].first);
    EXPECT_EQ(read[i].second.scalar_type(), tensors[i].second.scalar_type());
    EXPECT_TRUE(at::equal(read[i].second, tensors[i].second));
  }
  const StateFile groups(write_state_file({{"one", tensors}, {"none", {}}}), "f.pt");
  EXPECT_EQ(groups.tensors("one").size(), 2U);
  EXPECT_TRUE(groups.has_group("none"));
  EXPECT_FALSE(groups.has_group("two"));
}

// torch.load's weights_only refuses any other callable than those of plain state_dicts.
TEST(StateFile, WritesNoTypeTags) {
  const std::string bytes = write_state_file({{"one", NamedTensors{{"a", counted()}}}});
  EXPECT_THAT(bytes, HasSubstr("_rebuild_tensor_v2"));
  EXPECT_THAT(bytes, ::testing::Not(HasSubstr("restore_type_tag")));
}

TEST(StateFile, OfOneNameTheLastHolds) {
  const std::string pickle =
      "\x80\x02}(" + text("w") + tensor({}) + text("w") + tensor({.sizes = {1}, .strides = {1}}) + "u.";
  EXPECT_EQ(read(pickle, six_floats()).numel(), 1);
}

TEST(StateFile, RunsNoCode) {
  const auto evil = [](const std::string& name) {
    return file_of("\x80\x02}" + text("w") + "c" + name + text("echo") + "\x85Rs.", {});
  };
  EXPECT_EQ(code_of(evil("os\nsystem\n"), "os.system"), ErrorCode::unsupported);
  EXPECT_EQ(code_of(evil("builtins\neval\n"), "builtins.eval"), ErrorCode::unsupported);
  EXPECT_EQ(code_of(evil("torch\nload\n"), "torch.load"), ErrorCode::unsupported);
  // A known name called as it is not to be.
  EXPECT_EQ(code_of(evil("collections\nOrderedDict\n"), "collections.OrderedDict"), ErrorCode::corrupt_data);
}

TEST(StateFile, RefusesUnknownOpcodesByNumber) {
  EXPECT_EQ(code_of(file_of("\x80\x02}i.", {}), "opcode 105"), ErrorCode::unsupported);
  EXPECT_EQ(code_of(file_of("\x80\x00."s, {}), "protocol 0"), ErrorCode::unsupported);
}

TEST(StateFile, RefusesWhatIsNoDict) {
  EXPECT_EQ(code_of(file_of("\x80\x02K\x01.", {}), "something else than a dict"), ErrorCode::unsupported);
}

TEST(StateFile, TellsTheOldFormatFromOtherBytes) {
  EXPECT_EQ(code_of("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", "before version 1.6"),
            ErrorCode::unsupported);
  EXPECT_EQ(code_of("\xff\xd8\xff\xe0", "no zip file"), ErrorCode::corrupt_data);
  EXPECT_EQ(code_of("", "empty"), ErrorCode::corrupt_data);
}

TEST(StateFile, RefusesAPickleThatBreaksOff) {
  for (const std::string& pickle :
       {""s, "\x80"s, "\x80\x02"s, "\x80\x02}"s, "\x80\x02}(X\x05\0\0\0ab"s, "\x80\x02."s, "\x80\x02s."s,
        "\x80\x02t."s, "\x80\x02h\x07."s, "\x80\x02(q\x01."s, "\x80\x02(."s, "\x80\x02K\x01K\x02\x86Q."s,
        "\x80\x02K\x01)R."s, "\x80\x02]K\x01K\x02s."s, "\x80\x02}(K\x01u."s,
        "\x80\x02"
        "cos"s})
    EXPECT_EQ(code_of(file_of(pickle, {}), ""), ErrorCode::corrupt_data) << pickle;
}

// A ring, and a nest of a hundred thousand: read in one array, and let go of without a deep stack.
TEST(StateFile, SurvivesRingsAndDeepNests) {
  EXPECT_TRUE(StateFile(file_of("\x80\x02}q\x01" + text("w") + "h\x01s.", {}), "f").tensors().empty());
  EXPECT_TRUE(
      StateFile(
          file_of("\x80\x02}" + text("w") + std::string(100'000, ']') + std::string(99'999, 'a') + "s.", {}),
          "f")
          .tensors()
          .empty());
  EXPECT_EQ(code_of(file_of("\x80\x02}(" + std::string(1'100'000, ')') + "t.", {}), "values"),
            ErrorCode::unsupported);
}

TEST(StateFile, RefusesTensorsBeyondTheirMemory) {
  constexpr std::int64_t kLarge = std::int64_t{1} << 62;
  for (const Described& described : std::vector<Described>{{.sizes = {2, 4}},
                                                           {.offset = 1},
                                                           {.offset = -1},
                                                           {.offset = 7, .sizes = {0}, .strides = {1}},
                                                           {.sizes = {2}, .strides = {3, 1}},
                                                           {.sizes = {-2, 3}},
                                                           {.strides = {-3, 1}},
                                                           {.sizes = {kLarge, kLarge}},
                                                           {.sizes = {kLarge}, .strides = {0}},
                                                           {.sizes = {3}, .strides = {kLarge}},
                                                           {.offset = kLarge},
                                                           {.sizes = {7}, .strides = {0}}})
    EXPECT_EQ(code_of_tensor(described, "tensor"), ErrorCode::corrupt_data);
}

TEST(StateFile, RefusesMemoriesOfAnotherSize) {
  EXPECT_EQ(code_of_tensor({.count = 7}, "data/0"), ErrorCode::corrupt_data);
  EXPECT_EQ(code_of_tensor({.count = -1}, "data/0"), ErrorCode::corrupt_data);
  EXPECT_EQ(code_of_tensor({.count = std::int64_t{1} << 62}, "data/0"), ErrorCode::corrupt_data);
  EXPECT_EQ(code_of_tensor({.key = "1"}, "data/1 is absent"), ErrorCode::corrupt_data);
  EXPECT_EQ(code_of_tensor({.type = "ComplexFloatStorage"}, "ComplexFloatStorage"), ErrorCode::unsupported);
  const std::string twice = "\x80\x02}(" + text("a") + tensor({}) + text("b") +
                            tensor({.type = "DoubleStorage", .count = 3, .sizes = {3}, .strides = {1}}) +
                            "u.";
  EXPECT_EQ(code_of(file_of(twice, {{"data/0", six_floats()}}), "two kinds"), ErrorCode::corrupt_data);
}

// The directory says that a record is larger than the file.
TEST(StateFile, RefusesARecordThatClaimsMoreThanTheFileHas) {
  std::string bytes = file_of(dict_with(tensor({})), {{"data/0", six_floats()}});
  const std::size_t entry = bytes.rfind("PK\x01\x02", bytes.rfind("data/0"));
  ASSERT_NE(entry, std::string::npos);
  const std::uint32_t size = 0x70000000;
  std::memcpy(&bytes[entry + 24], &size, 4);
  EXPECT_EQ(code_of(bytes, ""), ErrorCode::corrupt_data);
}

TEST(StateFile, RefusesTheOtherByteOrder) {
  EXPECT_EQ(code_of(file_of(dict_with(tensor({})), {{"data/0", six_floats()}, {"byteorder", "big"}}),
                    "most significant"),
            ErrorCode::unsupported);
}

}  // namespace
}  // namespace stoker::training
