#include "jpeg/turbo_decoder.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "jpeg/file_limits.hpp"
#include "jpeg/ink.hpp"
#include "jpeg/libjpeg_guard.hpp"

namespace stoker::jpeg {

namespace {

constexpr std::string_view kOperation = "decode JPEG";

// Columns on either side of the wanted ones whose chroma libjpeg would filter without its neighbours at a
// cut. Source: measured, formats of all samplings: the outermost 1–2 columns differ from the full decode.
constexpr int kCutMargin = 2;
// Rows asked for at once: the most that one row of 4-fold subsampled units yields.
constexpr int kRowsAtOnce = 32;

// Whether libjpeg will smooth over AC coefficients that a progressive file has not told (jdcoefct.c:
// smoothing_ok). It then looks at neighbouring blocks, and so a cut would change pixels beside it.
bool smooths_blocks(const jpeg_decompress_struct& libjpeg) {
  constexpr int kPredicted = 10;  // DC and the nine lowest AC coefficients
  if (!libjpeg.progressive_mode || !libjpeg.coef_bits) return false;
  for (int i = 0; i < libjpeg.num_components; ++i) {
    const int* bits = libjpeg.coef_bits[i];
    if (std::any_of(bits + 1, bits + kPredicted, [](int missing) { return missing != 0; })) return true;
  }
  return false;
}

}  // namespace

class TurboDecoder::Impl {
 public:
  Impl() = default;
  ~Impl() {
    if (created_) jpeg_destroy_decompress(&libjpeg_);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Result<Size> open(std::span<const std::byte> bytes, std::uint64_t max_pixels);
  Result<Rect> begin(const Rect& wanted);
  Result<Size> begin_scaled(int denominator);
  Result<void> read(std::uint8_t* rgb, std::size_t stride);
  std::string_view warning() const { return guard_.warning(); }

 private:
  tl::unexpected<Error> libjpeg_error() const { return tl::unexpected(guard_.error(kOperation)); }
  void set_output();
  void read_rows(std::uint8_t* rgb, std::size_t stride);
  void read_ink_rows(std::uint8_t* rgb, std::size_t stride);

  LibjpegGuard guard_;
  ScanLimit scan_limit_{guard_};
  jpeg_decompress_struct libjpeg_{};
  bool created_ = false;
  Rect covered_;
  std::vector<std::uint8_t> ink_row_;
};

// A struct is made anew for each picture (under a microsecond), since libjpeg keeps Huffman and quantisation
// tables from one picture to the next: a file without tables would decode by those of whatever file came
// before.
Result<Size> TurboDecoder::Impl::open(std::span<const std::byte> bytes, std::uint64_t max_pixels) {
  guard_.clear();
  const bool read = guard_.run([&] {
    if (created_) jpeg_destroy_decompress(&libjpeg_);
    created_ = false;
    guard_.attach(libjpeg_);
    jpeg_create_decompress(&libjpeg_);
    created_ = true;
    scan_limit_.watch(libjpeg_);
    jpeg_mem_src(&libjpeg_, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    jpeg_read_header(&libjpeg_, TRUE);
  });
  if (!read) return libjpeg_error();
  const std::uint64_t coefficient_rooms = jpeg_has_multiple_scans(&libjpeg_) ? 1 : 0;
  if (auto allowed = check_limits(libjpeg_, bytes.size(), max_pixels, coefficient_rooms, kOperation);
      !allowed) {
    return tl::unexpected(std::move(allowed).error());
  }
  scan_limit_.set_for(libjpeg_);
  set_output();
  return Size{static_cast<int>(libjpeg_.image_width), static_cast<int>(libjpeg_.image_height)};
}

void TurboDecoder::Impl::set_output() {
  const bool has_inks = libjpeg_.jpeg_color_space == JCS_CMYK || libjpeg_.jpeg_color_space == JCS_YCCK;
  libjpeg_.out_color_space = has_inks ? JCS_CMYK : JCS_RGB;
  libjpeg_.dct_method = JDCT_ISLOW;
  libjpeg_.do_fancy_upsampling = TRUE;
}

Result<Rect> TurboDecoder::Impl::begin(const Rect& wanted) {
  const bool begun = guard_.run([&] {
    jpeg_start_decompress(&libjpeg_);
    const int width = static_cast<int>(libjpeg_.output_width);
    covered_ = {0, wanted.y, width, wanted.height};
    if (smooths_blocks(libjpeg_)) return;
    const int left = std::max(0, wanted.x - kCutMargin);
    const int right = std::min(width, wanted.x + wanted.width + kCutMargin);
    if (left == 0 && right == width) return;
    JDIMENSION x = static_cast<JDIMENSION>(left), columns = static_cast<JDIMENSION>(right - left);
    jpeg_crop_scanline(&libjpeg_, &x, &columns);
    covered_.x = static_cast<int>(x);
    covered_.width = static_cast<int>(columns);
  });
  if (!begun) return libjpeg_error();
  return covered_;
}

Result<Size> TurboDecoder::Impl::begin_scaled(int denominator) {
  const bool begun = guard_.run([&] {
    libjpeg_.scale_num = 1;
    libjpeg_.scale_denom = static_cast<unsigned>(denominator);
    jpeg_start_decompress(&libjpeg_);
    covered_ = {0, 0, static_cast<int>(libjpeg_.output_width), static_cast<int>(libjpeg_.output_height)};
  });
  if (!begun) return libjpeg_error();
  return Size{covered_.width, covered_.height};
}

Result<void> TurboDecoder::Impl::read(std::uint8_t* rgb, std::size_t stride) {
  const bool has_inks = libjpeg_.out_color_space == JCS_CMYK;
  if (has_inks) ink_row_.resize(4 * static_cast<std::size_t>(covered_.width));
  const bool done = guard_.run([&] {
    const JDIMENSION above = static_cast<JDIMENSION>(covered_.y);
    if (above > 0) {
      // Skipping is right from the first line on, and only once (libjpeg-turbo's issue 915). What is smoothed
      // looks at the rows above it, so those are decoded and dropped.
      if (smooths_blocks(libjpeg_)) {
        JSAMPROW row = rgb;
        std::uint8_t* inks = ink_row_.data();
        while (libjpeg_.output_scanline < above) jpeg_read_scanlines(&libjpeg_, has_inks ? &inks : &row, 1);
      } else {
        jpeg_skip_scanlines(&libjpeg_, above);
      }
    }
    if (has_inks) {
      read_ink_rows(rgb, stride);
    } else {
      read_rows(rgb, stride);
    }
    if (libjpeg_.output_scanline == libjpeg_.output_height) {
      jpeg_finish_decompress(&libjpeg_);  // complains about what stands between the last row and the end
    } else {
      jpeg_abort_decompress(&libjpeg_);
    }
  });
  if (!done) return libjpeg_error();
  return {};
}

void TurboDecoder::Impl::read_rows(std::uint8_t* rgb, std::size_t stride) {
  std::array<JSAMPROW, kRowsAtOnce> rows;
  for (int y = 0; y < covered_.height;) {
    const int count = std::min(kRowsAtOnce, covered_.height - y);
    for (int i = 0; i < count; ++i)
      rows[static_cast<std::size_t>(i)] = rgb + static_cast<std::size_t>(y + i) * stride;
    y += static_cast<int>(jpeg_read_scanlines(&libjpeg_, rows.data(), static_cast<JDIMENSION>(count)));
  }
}

void TurboDecoder::Impl::read_ink_rows(std::uint8_t* rgb, std::size_t stride) {
  JSAMPROW row = ink_row_.data();
  for (int y = 0; y < covered_.height; ++y) {
    jpeg_read_scanlines(&libjpeg_, &row, 1);
    inverted_cmyk_to_rgb(row, static_cast<std::size_t>(covered_.width),
                         rgb + static_cast<std::size_t>(y) * stride);
  }
}

TurboDecoder::TurboDecoder() : impl_(std::make_unique<Impl>()) {}
TurboDecoder::~TurboDecoder() = default;
TurboDecoder::TurboDecoder(TurboDecoder&&) noexcept = default;
TurboDecoder& TurboDecoder::operator=(TurboDecoder&&) noexcept = default;

Result<Size> TurboDecoder::open(std::span<const std::byte> bytes, std::uint64_t max_pixels) {
  return impl_->open(bytes, max_pixels);
}
Result<Rect> TurboDecoder::begin(const Rect& wanted) { return impl_->begin(wanted); }
Result<Size> TurboDecoder::begin_scaled(int denominator) { return impl_->begin_scaled(denominator); }
Result<void> TurboDecoder::read(std::uint8_t* rgb, std::size_t stride) { return impl_->read(rgb, stride); }
std::string_view TurboDecoder::warning() const { return impl_->warning(); }

}  // namespace stoker::jpeg
