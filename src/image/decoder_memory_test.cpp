// A warm decoder allocates nothing, in either mode. The test program's operator new is replaced by one that
// counts.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <new>

#include "image/decoder.hpp"
#include "jpeg/fixtures.hpp"

namespace {
std::atomic<std::uint64_t> allocations{0};

void* counted(void* memory) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (memory != nullptr) return memory;
  throw std::bad_alloc();
}
}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  return counted(std::malloc(bytes == 0 ? 1 : bytes));
}
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
  const auto unit = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(unit, (std::max<std::size_t>(bytes, 1) + unit - 1) / unit * unit));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace stoker::image {
namespace {

TEST(DecoderMemory, AWarmDecoderAllocatesNothing) {
  const auto picture = jpeg::fixtures::picture(400, 300);
  std::vector<jpeg::fixtures::Bytes> files;
  files.push_back(jpeg::fixtures::encode(picture, 400, 300, {}));
  files.push_back(jpeg::fixtures::encode(picture, 400, 300, {.h = {2, 1, 1}, .v = {2, 1, 1}}));
  files.push_back(jpeg::fixtures::encode(picture, 400, 300, {.components = 1}));
  std::vector<std::vector<std::byte>> points;
  for (const auto& file : files) points.push_back(make_seek_points(file));
  Decoder decoder;
  for (const PixelMode pixels : {PixelMode::exact, PixelMode::fast}) {
    const auto decode_all = [&] {
      for (std::size_t i = 0; i < files.size(); ++i) {
        for (const Rect crop : {Rect{0, 0, 400, 300}, Rect{11, 7, 130, 200}, Rect{90, 80, 260, 120}}) {
          for (const std::span<const std::byte> entered : {std::span<const std::byte>(), {points[i]}}) {
            const DecodeSpec spec{
                .crop = crop, .resize = Size{112, 96}, .pixels = pixels, .seek_points = entered};
            ASSERT_TRUE(decoder.decode(files[i], spec));
          }
        }
      }
    };
    decode_all();
    const std::uint64_t before = allocations.load();
    decode_all();
    EXPECT_EQ(allocations.load(), before) << to_string(pixels);
  }
}

}  // namespace
}  // namespace stoker::image
