#include "array/npy.hpp"

#include <cmath>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/endian.hpp"

namespace stoker::array {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Bytes = std::vector<std::byte>;

// A file as NumPy would write it, but for what the header says.
Bytes file_of(std::string header, std::string_view data, int major = 1) {
  header += '\n';
  Bytes file(major == 1 ? 10 : 12);
  std::memcpy(file.data(), "\x93NUMPY", 6);
  file[6] = static_cast<std::byte>(major);
  file[7] = std::byte{0};
  if (major == 1) {
    store_le(&file[8], static_cast<std::uint16_t>(header.size()));
  } else {
    store_le(&file[8], static_cast<std::uint32_t>(header.size()));
  }
  for (const char c : header + std::string(data)) file.push_back(static_cast<std::byte>(c));
  return file;
}

std::string header_of(const std::string& descr, const std::string& shape, const char* fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
}

std::vector<float> numbers_of(const Bytes& file) {
  const auto array = read_npy(file);
  EXPECT_TRUE(array) << array.error().what();
  if (!array) return {};
  std::vector<float> numbers(array->count());
  copy_floats(*array, numbers);
  return numbers;
}

// The message, behind the name of its code.
std::string refusal(const Bytes& file) {
  const auto array = read_npy(file);
  if (array) return "it was read";
  return std::string(to_string(array.error().code())) + ": " + array.error().what();
}

TEST(Npy, WhatIsWrittenIsReadAgain) {
  const std::vector<float> numbers{1, -2.5F, 0, 65504, 1e-3F, 7};
  Bytes file;
  for (const StoredType type : {StoredType::float32, StoredType::float16}) {
    write_npy({2, 3}, numbers, type, file);
    const auto array = read_npy(file);
    ASSERT_TRUE(array) << array.error().what();
    EXPECT_EQ(array->shape, (Shape{2, 3}));
    EXPECT_EQ(to_string(array->type), to_string(type));
    EXPECT_EQ((file.size() - array->data.size()) % 64, 0U) << "NumPy's alignment";
    const std::vector<float> got = numbers_of(file);
    for (std::size_t i = 0; i < got.size(); ++i)
      EXPECT_NEAR(got[i], numbers[i], type == StoredType::float32 ? 0 : 1e-6) << i;
  }
}

TEST(Npy, TheHeaderIsNumPys) {
  Bytes file;
  write_npy({3}, std::vector<float>{1, 2, 3}, StoredType::float32, file);
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  EXPECT_TRUE(text.substr(10).starts_with("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), } "));
  EXPECT_EQ(text[127], '\n');
  EXPECT_EQ(file.size(), 128U + 12U);
  write_npy({}, std::vector<float>{5}, StoredType::float32, file);
  EXPECT_THAT(numbers_of(file), ElementsAre(5));
  write_npy({0, 4}, {}, StoredType::float16, file);
  EXPECT_TRUE(numbers_of(file).empty());
}

TEST(Npy, EveryNumberType) {
  using namespace std::string_view_literals;
  EXPECT_THAT(numbers_of(file_of(header_of("|i1", "(2,)"), "\x01\xFF"sv)), ElementsAre(1, -1));
  EXPECT_THAT(numbers_of(file_of(header_of("|u1", "(2,)"), "\x01\xFF"sv)), ElementsAre(1, 255));
  EXPECT_THAT(numbers_of(file_of(header_of("<i2", "(1,)"), "\xFE\xFF"sv)), ElementsAre(-2));
  EXPECT_THAT(numbers_of(file_of(header_of(">i2", "(1,)"), "\xFF\xFE"sv)), ElementsAre(-2));
  EXPECT_THAT(numbers_of(file_of(header_of("<u2", "(1,)"), "\xFE\xFF"sv)), ElementsAre(65534));
  EXPECT_THAT(numbers_of(file_of(header_of("<u4", "(1,)"), "\0\0\0\x80"sv)), ElementsAre(0x1p31F));
  EXPECT_THAT(numbers_of(file_of(header_of("<i8", "(1,)"), "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"sv)),
              ElementsAre(-1));
  EXPECT_THAT(numbers_of(file_of(header_of("<f2", "(1,)"), "\x00\x3C"sv)), ElementsAre(1));
  EXPECT_THAT(numbers_of(file_of(header_of(">f2", "(1,)"), "\x3C\x00"sv)), ElementsAre(1));
  EXPECT_THAT(numbers_of(file_of(header_of(">f4", "(1,)"), "\x3F\x80\0\0"sv)), ElementsAre(1));
  EXPECT_THAT(numbers_of(file_of(header_of("<f8", "(1,)"), "\0\0\0\0\0\0\xF0\x3F"sv)), ElementsAre(1));
}

TEST(Npy, FortranOrderIsTurned) {
  // [[0, 1, 2], [3, 4, 5]], column by column.
  const std::string_view data("\x00\x03\x01\x04\x02\x05", 6);
  EXPECT_THAT(numbers_of(file_of(header_of("|u1", "(2, 3)", "True"), data)), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(numbers_of(file_of(header_of("|u1", "(6,)", "True"), data)), ElementsAre(0, 3, 1, 4, 2, 5));
}

TEST(Npy, LaterVersionsAndOtherWritersSpellings) {
  using namespace std::string_view_literals;
  EXPECT_THAT(numbers_of(file_of(header_of("|u1", "(1,)"), "\x07"sv, 2)), ElementsAre(7));
  EXPECT_THAT(numbers_of(file_of(header_of("|u1", "(1,)"), "\x07"sv, 3)), ElementsAre(7));
  EXPECT_THAT(numbers_of(file_of(R"({"shape":(1L,1L),"descr":"|u1","fortran_order":False})", "\x07"sv)),
              ElementsAre(7));
}

TEST(Npy, WhatIsNoArrayIsRefused) {
  EXPECT_FALSE(is_npy({}));
  EXPECT_FALSE(is_npy(Bytes(6)));
  EXPECT_TRUE(is_npy(file_of("", "")));
  EXPECT_THAT(refusal({}), HasSubstr("corrupt_data: read .npy: no bytes"));
  EXPECT_THAT(refusal(Bytes(100)), HasSubstr("does not begin with"));
  Bytes file = file_of(header_of("|u1", "(4,)"), "abcd");
  for (std::size_t bytes = 0; bytes < file.size(); ++bytes)
    EXPECT_THAT(refusal(Bytes(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(bytes))),
                HasSubstr("corrupt_data"))
        << bytes;
  file.push_back(std::byte{});
  EXPECT_THAT(refusal(file), HasSubstr("5 bytes of data; allowed: those of the shape [4] in uint8"));
  EXPECT_THAT(refusal(file_of(header_of("|u1", "(1,)"), "a", 4)), HasSubstr("unsupported"));
}

TEST(Npy, OtherKindsOfNumbersAreNamed) {
  for (const char* descr : {"|O", "<c8", "|b1", "<U8", "<M8[ns]", "<f3", "f4", "", "|f4", "=f4", "<f44"}) {
    const std::string told = refusal(file_of(header_of(descr, "(1,)"), "abcdefgh"));
    EXPECT_THAT(told, HasSubstr("unsupported")) << descr;
    EXPECT_THAT(told, HasSubstr("astype")) << descr;
  }
  EXPECT_THAT(refusal(file_of("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", "abcd")),
              HasSubstr("structured"));
}

TEST(Npy, TheHeaderIsOneDictionaryOfThreeEntries) {
  for (const char* header :
       {"", "{}", "{'descr': '|u1'}", "{'descr': '|u1', 'fortran_order': False, 'shape': (1,), 'more': 1}",
        "{'descr': '|u1', 'descr': '|u1', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '|u1', 'fortran_order': 0, 'shape': (1,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': 1}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (1)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (1.0,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (1,)",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (1,)} x",
        "{'descr': '|u1', 'fortran_order': False 'shape': (1,)}", "{'descr: '|u1'}", "{'descr' '|u1'}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (99999999999999999999,)}", "__import__('os')"}) {
    const std::string told = refusal(file_of(header, "a"));
    EXPECT_THAT(told, HasSubstr("corrupt_data")) << header;
    EXPECT_THAT(told, testing::AnyOf(HasSubstr("header, byte "), HasSubstr("not all of"))) << header;
  }
}

TEST(Npy, AShapeIsBelievedOnlyOfDataThatIsThere) {
  // Products that overflow 64 bits to what is there, and to nothing.
  EXPECT_THAT(refusal(file_of(header_of("|u1", "(4294967296, 4294967296)"), "")),
              HasSubstr("0 bytes of data"));
  EXPECT_THAT(refusal(file_of(header_of("|u1", "(9223372036854775809, 2)"), "ab")), HasSubstr("2 bytes"));
  EXPECT_THAT(refusal(file_of(header_of("<f8", "(2305843009213693953,)"), "abcdefgh")), HasSubstr("8 bytes"));
  EXPECT_THAT(refusal(file_of(header_of("|u1", "(0, 18446744073709551615)"), "a")), HasSubstr("1 bytes"));
  EXPECT_TRUE(numbers_of(file_of(header_of("|u1", "(0, 18446744073709551615)"), "")).empty());
  std::string axes = "(";
  for (int i = 0; i < 33; ++i) axes += "1, ";
  EXPECT_THAT(refusal(file_of(header_of("|u1", axes + ")"), "a")), HasSubstr("more than 32 axes"));
}

TEST(Npy, AHeaderIsNoLongerThanTheFile) {
  Bytes file = file_of(header_of("|u1", "(1,)"), "a", 2);
  store_le(&file[8], std::uint32_t{0xFFFFFFFF});
  EXPECT_THAT(refusal(file), HasSubstr("a header of 4294967295 bytes"));
}

}  // namespace
}  // namespace stoker::array
