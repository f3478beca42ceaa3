#include "jpeg/idct.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "base/philox.hpp"
#include "base/simd_targets.hpp"
#include "jpeg/fixtures.hpp"

namespace stoker::jpeg {
namespace {

using fixtures::Bytes;
using Quant = std::array<std::uint16_t, 64>;
using Samples = std::vector<std::uint8_t>;

constexpr BlockSize kSizes[] = {BlockSize::full, BlockSize::half, BlockSize::quarter, BlockSize::eighth};

// Blocks of a gray picture.
struct Gray {
  int blocks_across = 0, blocks_down = 0;
  Quant quant{};
  std::vector<Coefficients> coefficients;  // of block after block, natural order
};

// What a random block holds: how many coefficients besides DC, and how large they are.
struct Kind {
  int count;
  int magnitude;
};
constexpr Kind kKinds[] = {{0, 60}, {3, 30}, {10, 100}, {63, 8}, {63, 1023}, {0, 1023}, {1, 1023}};

void fill_block(SampleRng& rng, const Kind& kind, Coefficients* block) {
  const auto value = [&](int magnitude) {
    return static_cast<Coefficients>(
        static_cast<int>(rng.below(static_cast<std::uint64_t>(2 * magnitude + 1))) - magnitude);
  };
  std::fill_n(block, 64, Coefficients{0});
  block[0] = value(kind.magnitude);
  for (int i = 0; i < kind.count; ++i) block[rng.below(64)] = value(kind.magnitude);
}

Gray random_gray(std::uint64_t seed, int quant_limit) {
  Gray gray{.blocks_across = 23, .blocks_down = 14, .quant = {}, .coefficients = {}};
  SampleRng rng(seed, 0, 0, 0);
  for (std::uint16_t& step : gray.quant) {
    step = static_cast<std::uint16_t>(1 + rng.below(static_cast<std::uint64_t>(quant_limit)));
  }
  const std::size_t blocks =
      static_cast<std::size_t>(gray.blocks_across) * static_cast<std::size_t>(gray.blocks_down);
  gray.coefficients.resize(64 * blocks);
  for (std::size_t i = 0; i < blocks; ++i) {
    fill_block(rng, kKinds[rng.below(std::size(kKinds))], gray.coefficients.data() + 64 * i);
  }
  return gray;
}

// A JPEG that holds these very coefficients.
Bytes written(const Gray& gray) {
  jpeg_compress_struct libjpeg{};
  jpeg_error_mgr errors{};
  libjpeg.err = jpeg_std_error(&errors);
  errors.output_message = [](j_common_ptr) {};  // that coarse tables are not baseline is known
  jpeg_create_compress(&libjpeg);
  unsigned char* buffer = nullptr;
  unsigned long bytes = 0;
  jpeg_mem_dest(&libjpeg, &buffer, &bytes);
  libjpeg.image_width = static_cast<JDIMENSION>(8 * gray.blocks_across);
  libjpeg.image_height = static_cast<JDIMENSION>(8 * gray.blocks_down);
  libjpeg.input_components = 1;
  libjpeg.in_color_space = JCS_GRAYSCALE;
  jpeg_set_defaults(&libjpeg);
  unsigned table[64];
  std::copy(gray.quant.begin(), gray.quant.end(), table);
  jpeg_add_quant_table(&libjpeg, 0, table, 100, FALSE);
  libjpeg.optimize_coding = TRUE;
  jvirt_barray_ptr array = libjpeg.mem->request_virt_barray(
      reinterpret_cast<j_common_ptr>(&libjpeg), JPOOL_IMAGE, TRUE,
      static_cast<JDIMENSION>(gray.blocks_across), static_cast<JDIMENSION>(gray.blocks_down), 1);
  jpeg_write_coefficients(&libjpeg, &array);
  const Coefficients* from = gray.coefficients.data();
  for (int y = 0; y < gray.blocks_down; ++y) {
    JBLOCKARRAY rows = libjpeg.mem->access_virt_barray(reinterpret_cast<j_common_ptr>(&libjpeg), array,
                                                       static_cast<JDIMENSION>(y), 1, TRUE);
    for (int x = 0; x < gray.blocks_across; ++x, from += 64) std::copy_n(from, 64, rows[0][x]);
  }
  jpeg_finish_compress(&libjpeg);
  jpeg_destroy_compress(&libjpeg);
  const std::byte* first = reinterpret_cast<const std::byte*>(buffer);
  Bytes file(first, first + bytes);
  std::free(buffer);
  return file;
}

Gray read(const Bytes& file) {
  Gray gray;
  fixtures::with_file(file, [&](jpeg_decompress_struct& libjpeg) {
    jvirt_barray_ptr* arrays = jpeg_read_coefficients(&libjpeg);
    const jpeg_component_info& component = libjpeg.comp_info[0];
    gray.blocks_across = static_cast<int>(component.width_in_blocks);
    gray.blocks_down = static_cast<int>(component.height_in_blocks);
    std::copy_n(component.quant_table->quantval, 64, gray.quant.begin());
    for (int y = 0; y < gray.blocks_down; ++y) {
      JBLOCKARRAY rows = libjpeg.mem->access_virt_barray(reinterpret_cast<j_common_ptr>(&libjpeg), arrays[0],
                                                         static_cast<JDIMENSION>(y), 1, FALSE);
      gray.coefficients.insert(gray.coefficients.end(), rows[0][0], rows[0][gray.blocks_across]);
    }
  });
  return gray;
}

// libjpeg's own pixels, rows cut to whole pictures.
Samples decoded(const Bytes& file, BlockSize size, int* width) {
  Samples samples;
  fixtures::with_file(file, [&](jpeg_decompress_struct& libjpeg) {
    libjpeg.scale_num = static_cast<unsigned>(size);
    libjpeg.scale_denom = 8;
    libjpeg.dct_method = JDCT_ISLOW;
    jpeg_start_decompress(&libjpeg);
    *width = static_cast<int>(libjpeg.output_width);
    samples.resize(std::size_t{libjpeg.output_width} * libjpeg.output_height);
    while (libjpeg.output_scanline < libjpeg.output_height) {
      JSAMPROW row = samples.data() + std::size_t{libjpeg.output_scanline} * libjpeg.output_width;
      jpeg_read_scanlines(&libjpeg, &row, 1);
    }
  });
  return samples;
}

using Transform = decltype(inverse_transform);

// The picture's samples, rows `width` long; coefficients lie in records of 160 bytes, as the decoder's do.
Samples transformed(const Gray& gray, BlockSize size, int width, int height, Transform& transform) {
  constexpr std::size_t kRecord = 80;
  const auto side = static_cast<std::size_t>(size);
  const auto across = static_cast<std::size_t>(gray.blocks_across);
  const std::size_t blocks = across * static_cast<std::size_t>(gray.blocks_down), stride = across * side;
  std::vector<std::int16_t> memory(blocks * kRecord + 16, -1);
  auto* first = memory.data();
  while (reinterpret_cast<std::uintptr_t>(first) % 32 != 0) ++first;
  Samples plane(blocks * side * side);
  std::vector<BlockJob> jobs(blocks);
  for (std::size_t i = 0; i < blocks; ++i) {
    std::copy_n(gray.coefficients.data() + 64 * i, 64, first + kRecord * i);
    jobs[i] = {first + kRecord * i, plane.data() + i / across * side * stride + i % across * side};
  }
  transform(gray.quant, size, jobs.data(), blocks, stride);
  for (std::size_t i = 0; i < blocks * kRecord; ++i) {
    if (first[i] != (i % kRecord < 64 ? 0 : -1)) ADD_FAILURE() << "coefficient " << i << " after the wipe";
  }
  Samples cut;
  for (int y = 0; y < height; ++y) {
    const auto row = plane.begin() + static_cast<std::ptrdiff_t>(y) * static_cast<std::ptrdiff_t>(stride);
    cut.insert(cut.end(), row, row + width);
  }
  return cut;
}

void expect_libjpegs_pixels(const Bytes& file) {
  const Gray gray = read(file);
  for (const BlockSize size : kSizes) {
    int width = 0;
    const Samples wanted = decoded(file, size, &width);
    const int height = static_cast<int>(wanted.size()) / width;
    EXPECT_EQ(transformed(gray, size, width, height, inverse_transform_scalar), wanted)
        << "side " << static_cast<int>(size);
  }
}

TEST(Idct, PicturesComeOutAsOfLibjpegTurboInEverySize) {
  for (const int quality : {1, 10, 50, 75, 90, 96, 100}) {
    SCOPED_TRACE("quality " + std::to_string(quality));
    const fixtures::Options options{.quality = quality, .components = 1};
    expect_libjpegs_pixels(fixtures::encode(fixtures::picture(203, 117), 203, 117, options));
  }
}

#if defined(__x86_64__)  // elsewhere libjpeg-turbo has other SIMD, which overflows in other ways
TEST(Idct, CoefficientsThatNoPictureHasComeOutAsOfLibjpegTurbo) {
  for (const int quant_limit : {1, 8, 60, 255, 4000, 65535}) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      SCOPED_TRACE("steps up to " + std::to_string(quant_limit) + ", seed " + std::to_string(seed));
      const Gray gray = random_gray(seed, quant_limit);
      const Bytes file = written(gray);
      ASSERT_EQ(read(file).coefficients, gray.coefficients);
      expect_libjpegs_pixels(file);
    }
  }
}
#endif

TEST(Idct, SimdEqualsTheScalarReferenceToTheBit) {
  test::on_every_target([] {
    for (const int quant_limit : {1, 30, 255, 65535}) {
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        const Gray gray = random_gray(seed, quant_limit);
        for (const BlockSize size : kSizes) {
          const int width = gray.blocks_across * static_cast<int>(size);
          const int height = gray.blocks_down * static_cast<int>(size);
          ASSERT_EQ(transformed(gray, size, width, height, inverse_transform),
                    transformed(gray, size, width, height, inverse_transform_scalar))
              << "side " << static_cast<int>(size) << ", steps up to " << quant_limit << ", seed " << seed;
        }
      }
    }
  });
}

TEST(Idct, AnyNumberOfJobsIsDoneAndNothingBesideThem) {
  test::on_every_target([] {
    for (const BlockSize size : kSizes) {
      const auto side = static_cast<std::size_t>(size);
      for (std::size_t count = 0; count <= 9; ++count) {
        alignas(32) Coefficients coefficients[9][64];
        SampleRng rng(7, 0, count, 0);
        std::vector<BlockJob> jobs;
        Samples samples(9 * 16 * 16, 99), wanted = samples;
        const Quant quant = random_gray(3, 90).quant;
        for (Samples* out : {&samples, &wanted}) {
          rng = SampleRng(7, 0, count, 0);
          jobs.clear();
          for (std::size_t i = 0; i < count; ++i) {
            fill_block(rng, kKinds[i % std::size(kKinds)], coefficients[i]);
            jobs.push_back({coefficients[i], out->data() + 16 * i});
          }
          (out == &samples ? inverse_transform : inverse_transform_scalar)(quant, size, jobs.data(), count,
                                                                           16 * 9);
        }
        ASSERT_EQ(samples, wanted) << "side " << side << ", jobs " << count;
        for (std::size_t i = 0; i < samples.size(); ++i) {
          const std::size_t x = i % (16 * 9), y = i / (16 * 9);
          if (y >= side || x % 16 >= side || x / 16 >= count) {
            ASSERT_EQ(samples[i], 99) << x << "," << y;
          }
        }
      }
    }
  });
}

}  // namespace
}  // namespace stoker::jpeg
