// Single samples through a recipe: what the loader makes of them.
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

#include "stoker/error.hpp"
#include "stoker/loader.hpp"
#include "stoker/transform.hpp"

#include "array/npy.hpp"
#include "load/fixtures.hpp"

namespace stoker::load::test {
namespace {

using ::testing::HasSubstr;

TEST(Transformer, MakesWhatTheLoaderMakes) {
  const auto records = std::make_shared<MemoryReader>(23);
  LoaderOptions options = small_options();
  Transformer transformer(Recipe::parse(options.recipe));
  std::vector<std::byte> tensor(transformer.recipe().bytes_per_sample());
  Loader loader(records, options);
  for (std::uint64_t epoch = 0; epoch < 2; ++epoch) {
    while (const Batch batch = loader.next()) {
      for (std::size_t i = 0; i < static_cast<std::size_t>(batch.size()); ++i) {
        const std::uint64_t index = batch.indices()[i];
        transformer.run(
            {.bytes = records->bytes(index), .seed = options.seed, .epoch = epoch, .index = index}, tensor);
        EXPECT_TRUE(std::equal(tensor.begin(), tensor.end(), batch.images() + i * batch.image_bytes()))
            << "sample " << index << " of epoch " << epoch;
      }
    }
  }
}

TEST(Transformer, PlacesArrays) {
  std::vector<std::byte> file;
  array::write_npy({2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6}, array::StoredType::float16, file);
  Transformer transformer(Recipe::parse("array(2x3)"));
  std::vector<std::byte> tensor(transformer.recipe().bytes_per_sample());
  transformer.run({.bytes = file}, tensor);
  EXPECT_EQ(reinterpret_cast<const float*>(tensor.data())[5], 6.0F);
}

TEST(Transformer, NamesWhatIsWrong) {
  Transformer transformer(Recipe::parse("resize(8x8)"));
  std::vector<std::byte> tensor(8 * 8 * 3), small(5), text(100, std::byte{'x'});
  const auto message = [&](std::span<const std::byte> bytes, std::span<std::byte> out) {
    try {
      transformer.run({.bytes = bytes}, out);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(message(text, tensor), HasSubstr("image"));
  EXPECT_THAT(message(text, small), HasSubstr("5 bytes; allowed: 192"));
}

}  // namespace
}  // namespace stoker::load::test
