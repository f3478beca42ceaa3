#include "bench/turbo_route.hpp"

#include <cstdio>
#include <fmt/format.h>
#include <setjmp.h>
#include <vector>
// jpeglib.h needs size_t and FILE before it.
#include <jpeglib.h>

namespace stoker::bench {

// A jump out of libjpeg crosses only its own C frames and the two functions below, which hold no object with
// a destructor.
class TurboDecoder::Impl {
 public:
  Impl() {
    info_.err = jpeg_std_error(&errors_.base);
    errors_.base.error_exit = [](j_common_ptr info) {
      longjmp(reinterpret_cast<Errors*>(info->err)->back, 1);
    };
    errors_.base.emit_message = [](j_common_ptr info, int level) {
      if (level < 0) ++info->err->num_warnings;
    };
    errors_.base.output_message = [](j_common_ptr) {};
    jpeg_create_decompress(&info_);
  }
  ~Impl() { jpeg_destroy_decompress(&info_); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Result<image::RgbView> decode(std::span<const std::byte> bytes, std::uint64_t max_pixels) {
    if (!read_header(bytes.data(), bytes.size())) return broken();
    const std::uint64_t pixels = std::uint64_t{info_.image_width} * info_.image_height;
    if (info_.num_components == 4) {
      jpeg_abort_decompress(&info_);
      return fail(ErrorCode::unsupported, {.operation = "decode by plain libjpeg-turbo",
                                           .found = "four inks",
                                           .allowed = "gray, YCbCr or RGB"});
    }
    if (pixels > max_pixels) {
      jpeg_abort_decompress(&info_);
      return fail(ErrorCode::out_of_resources, {.operation = "decode by plain libjpeg-turbo",
                                                .found = fmt::format("{} pixels", pixels),
                                                .allowed = fmt::format("at most {}", max_pixels)});
    }
    const std::size_t stride = std::size_t{info_.image_width} * 3;
    if (pixels_.size() < stride * info_.image_height) pixels_.resize(stride * info_.image_height);
    rows_.resize(info_.image_height);
    for (std::size_t y = 0; y < rows_.size(); ++y) rows_[y] = pixels_.data() + y * stride;
    if (!read_pixels(rows_.data())) return broken();
    return image::RgbView{pixels_.data(), static_cast<int>(info_.image_width),
                          static_cast<int>(info_.image_height), stride};
  }

 private:
  struct Errors {
    jpeg_error_mgr base{};
    jmp_buf back{};
  };

  bool read_header(const std::byte* bytes, std::size_t size) {
    if (setjmp(errors_.back)) return false;
    // libjpeg's interface takes no const pointer before version 8; it does not write through it.
    jpeg_mem_src(&info_, const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(bytes)),
                 static_cast<unsigned long>(size));
    jpeg_read_header(&info_, TRUE);
    return true;
  }

  bool read_pixels(JSAMPROW* rows) {
    if (setjmp(errors_.back)) return false;
    info_.out_color_space = JCS_RGB;
    jpeg_start_decompress(&info_);
    while (info_.output_scanline < info_.output_height) {
      jpeg_read_scanlines(&info_, rows + info_.output_scanline, info_.output_height - info_.output_scanline);
    }
    jpeg_finish_decompress(&info_);
    return true;
  }

  tl::unexpected<Error> broken() {
    char text[JMSG_LENGTH_MAX];
    errors_.base.format_message(reinterpret_cast<j_common_ptr>(&info_), text);
    jpeg_abort_decompress(&info_);
    return fail(ErrorCode::corrupt_data, {.operation = "decode by plain libjpeg-turbo", .found = text});
  }

  Errors errors_;
  jpeg_decompress_struct info_{};
  std::vector<std::uint8_t> pixels_;
  std::vector<JSAMPROW> rows_;
};

TurboDecoder::TurboDecoder() : impl_(std::make_unique<Impl>()) {}
TurboDecoder::~TurboDecoder() = default;

Result<image::RgbView> TurboDecoder::decode(std::span<const std::byte> bytes, std::uint64_t max_pixels) {
  return impl_->decode(bytes, max_pixels);
}

}  // namespace stoker::bench
