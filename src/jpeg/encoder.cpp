#include "jpeg/encoder.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <vector>

#include "jpeg/libjpeg_guard.hpp"
#include "jpeg/output_buffer.hpp"

namespace stoker::jpeg {

namespace {

constexpr std::string_view kOperation = "encode JPEG";
constexpr int kMaxSide = 65'500;  // libjpeg's limit
constexpr int kRowsAtOnce = 16;

}  // namespace

class Encoder::Impl {
 public:
  Impl() = default;
  ~Impl() {
    if (created_) jpeg_destroy_compress(&libjpeg_);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Result<std::span<const std::byte>> encode(const std::uint8_t* rgb, int width, int height,
                                            std::size_t stride, const EncodeSpec& spec);

 private:
  void set_options(int width, int height, const EncodeSpec& spec);
  void write_rgb_rows(const std::uint8_t* rgb, std::size_t stride);
  void write_gray_rows(const std::uint8_t* rgb, std::size_t stride);

  LibjpegGuard guard_;
  OutputBuffer output_{guard_};
  jpeg_compress_struct libjpeg_{};
  bool created_ = false;
  bool tables_are_foreign_ = false;  // made for another picture
  std::vector<std::uint8_t> gray_row_;
};

Result<std::span<const std::byte>> Encoder::Impl::encode(const std::uint8_t* rgb, int width, int height,
                                                         std::size_t stride, const EncodeSpec& spec) {
  const auto refuse = [](std::string found, std::string allowed) {
    return fail(
        ErrorCode::invalid_argument,
        {.operation = std::string(kOperation), .found = std::move(found), .allowed = std::move(allowed)});
  };
  if (width < 1 || height < 1 || width > kMaxSide || height > kMaxSide) {
    return refuse(fmt::format("{} x {} pixels", width, height), fmt::format("1 to {} a side", kMaxSide));
  }
  if (spec.quality < 1 || spec.quality > 100)
    return refuse(fmt::format("quality {}", spec.quality), "1 to 100");
  const auto is_factor = [](int factor) { return factor == 1 || factor == 2 || factor == 4; };
  if (!is_factor(spec.luma_h) || !is_factor(spec.luma_v) || spec.luma_h * spec.luma_v > 8) {
    return refuse(fmt::format("sampling {}x{}", spec.luma_h, spec.luma_v),
                  "1, 2 or 4 each, product at most 8");
  }
  output_.reserve(0);
  if (spec.gray) gray_row_.resize(static_cast<std::size_t>(width));
  guard_.clear();
  const bool done = guard_.run([&] {
    // libjpeg keeps the tables that it made for one picture and would code the next one by them.
    if (created_ && tables_are_foreign_) {
      jpeg_destroy_compress(&libjpeg_);
      created_ = false;
    }
    tables_are_foreign_ = spec.optimize;
    if (!created_) {
      guard_.attach(libjpeg_);
      jpeg_create_compress(&libjpeg_);
      created_ = true;
      libjpeg_.dest = output_.manager();
    }
    set_options(width, height, spec);
    jpeg_start_compress(&libjpeg_, TRUE);
    if (spec.gray) {
      write_gray_rows(rgb, stride);
    } else {
      write_rgb_rows(rgb, stride);
    }
    jpeg_finish_compress(&libjpeg_);
  });
  if (!done) {
    if (created_) jpeg_abort_compress(&libjpeg_);
    return tl::unexpected(guard_.error(kOperation));
  }
  return output_.bytes();
}

void Encoder::Impl::set_options(int width, int height, const EncodeSpec& spec) {
  libjpeg_.image_width = static_cast<JDIMENSION>(width);
  libjpeg_.image_height = static_cast<JDIMENSION>(height);
  libjpeg_.input_components = spec.gray ? 1 : 3;
  libjpeg_.in_color_space = spec.gray ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&libjpeg_);
  jpeg_set_quality(&libjpeg_, spec.quality, TRUE);
  libjpeg_.dct_method = JDCT_ISLOW;
  libjpeg_.optimize_coding = spec.optimize ? TRUE : FALSE;
  if (!spec.gray) {
    libjpeg_.comp_info[0].h_samp_factor = spec.luma_h;
    libjpeg_.comp_info[0].v_samp_factor = spec.luma_v;
  }
}

void Encoder::Impl::write_rgb_rows(const std::uint8_t* rgb, std::size_t stride) {
  std::array<JSAMPROW, kRowsAtOnce> rows;
  while (libjpeg_.next_scanline < libjpeg_.image_height) {
    const JDIMENSION count =
        std::min<JDIMENSION>(kRowsAtOnce, libjpeg_.image_height - libjpeg_.next_scanline);
    for (JDIMENSION i = 0; i < count; ++i) {
      rows[i] = const_cast<JSAMPROW>(rgb + (libjpeg_.next_scanline + i) * stride);  // libjpeg only reads it
    }
    jpeg_write_scanlines(&libjpeg_, rows.data(), count);
  }
}

void Encoder::Impl::write_gray_rows(const std::uint8_t* rgb, std::size_t stride) {
  JSAMPROW row = gray_row_.data();
  while (libjpeg_.next_scanline < libjpeg_.image_height) {
    const std::uint8_t* from = rgb + libjpeg_.next_scanline * stride;
    for (JDIMENSION x = 0; x < libjpeg_.image_width; ++x) row[x] = from[3 * x];
    jpeg_write_scanlines(&libjpeg_, &row, 1);
  }
}

Encoder::Encoder() : impl_(std::make_unique<Impl>()) {}
Encoder::~Encoder() = default;

Result<std::span<const std::byte>> Encoder::encode(const std::uint8_t* rgb, int width, int height,
                                                   std::size_t stride, const EncodeSpec& spec) {
  return impl_->encode(rgb, width, height, stride, spec);
}

}  // namespace stoker::jpeg
