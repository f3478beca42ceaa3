#include "load/array_placer.hpp"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "array/npy.hpp"
#include "base/float16.hpp"

namespace stoker::load {
namespace {

using ::testing::HasSubstr;

const array::Shape kShape{2, 3};
const std::vector<float> kNumbers{1, -2, 0.5F, 1.0F / 3, 100, 65504};

std::vector<std::byte> file_of(array::StoredType type) {
  std::vector<std::byte> file;
  array::write_npy(kShape, kNumbers, type, file);
  return file;
}

TEST(ArrayPlacer, NumbersAreTheTensors) {
  ArrayPlacer placer;
  std::vector<float> out(6);
  ASSERT_TRUE(placer.place(file_of(array::StoredType::float32), kShape, DType::f32,
                           reinterpret_cast<std::byte*>(out.data())));
  EXPECT_EQ(out, kNumbers);
  ASSERT_TRUE(placer.place(file_of(array::StoredType::float16), kShape, DType::f32,
                           reinterpret_cast<std::byte*>(out.data())));
  for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], from_f16(to_f16(kNumbers[i])));
}

TEST(ArrayPlacer, HalvesComeFromEitherType) {
  ArrayPlacer placer;
  for (const array::StoredType stored : {array::StoredType::float16, array::StoredType::float32}) {
    std::vector<std::uint16_t> out(6);
    ASSERT_TRUE(placer.place(file_of(stored), kShape, DType::f16, reinterpret_cast<std::byte*>(out.data())));
    for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], to_f16(kNumbers[i]));
  }
}

TEST(ArrayPlacer, AnotherShapeIsRefusedWithBoth) {
  ArrayPlacer placer;
  std::vector<float> out(6);
  const array::Shape turned{3, 2};
  const auto placed = placer.place(file_of(array::StoredType::float32), turned, DType::f32,
                                   reinterpret_cast<std::byte*>(out.data()));
  ASSERT_FALSE(placed);
  EXPECT_EQ(placed.error().code(), ErrorCode::unsupported);
  EXPECT_THAT(placed.error().what(), HasSubstr("the shape [2, 3]; allowed: [3, 2]"));
}

TEST(ArrayPlacer, NoArrayIsCorrupt) {
  ArrayPlacer placer;
  std::vector<float> out(6);
  const auto placed = placer.place({}, kShape, DType::f32, reinterpret_cast<std::byte*>(out.data()));
  ASSERT_FALSE(placed);
  EXPECT_EQ(placed.error().code(), ErrorCode::corrupt_data);
}

}  // namespace
}  // namespace stoker::load
