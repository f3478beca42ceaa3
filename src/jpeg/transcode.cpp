#include "jpeg/transcode.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "jpeg/exif.hpp"
#include "jpeg/file_limits.hpp"
#include "jpeg/libjpeg_guard.hpp"
#include "jpeg/output_buffer.hpp"
#include "jpeg/turned_coefficients.hpp"

namespace stoker::jpeg {

namespace {

constexpr std::string_view kOperation = "write JPEG anew";
constexpr unsigned kLongestSegment = 0xffff;
constexpr UINT16 kLargestBaselineQuant = 255;
constexpr int kBaselinePrecision = 8;

using Kept = std::optional<WhyKept>;

// Both of libjpeg's structs; they go with all their memory.
struct Structs {
  jpeg_decompress_struct in{};
  jpeg_compress_struct out{};

  Structs() = default;
  Structs(const Structs&) = delete;
  Structs& operator=(const Structs&) = delete;
  ~Structs() {
    // Where one was never created its memory manager is null, and nothing is done.
    jpeg_destroy_compress(&out);
    jpeg_destroy_decompress(&in);
  }
};

WhyKept why_unread(ErrorCode code) {
  if (code == ErrorCode::unsupported) return WhyKept::not_decoded;
  return code == ErrorCode::out_of_resources ? WhyKept::too_large : WhyKept::damaged;
}

WhyKept why_unwritten(ErrorCode code) {
  return code == ErrorCode::out_of_resources ? WhyKept::too_large : WhyKept::not_baseline;
}

// Whether the scans told every coefficient to its last bit. A component of a sequential file is whole once it
// was in a scan, and libjpeg then holds its quantisation table.
bool is_complete(const jpeg_decompress_struct& libjpeg) {
  for (int i = 0; i < libjpeg.num_components; ++i) {
    if (!libjpeg.comp_info[i].quant_table) return false;
    if (!libjpeg.progressive_mode) continue;
    const int* bits = libjpeg.coef_bits[i];
    if (std::any_of(bits, bits + DCTSIZE2, [](int missing) { return missing != 0; })) return false;
  }
  return true;
}

bool fits_baseline(const jpeg_decompress_struct& libjpeg) {
  for (int i = 0; i < libjpeg.num_components; ++i) {
    const UINT16* quant = libjpeg.comp_info[i].quant_table->quantval;
    if (std::any_of(quant, quant + DCTSIZE2, [](UINT16 q) { return q > kLargestBaselineQuant; }))
      return false;
  }
  return true;
}

void make_upright(const jpeg_marker_struct& segment) {
  constexpr std::string_view kExif("Exif\0\0", 6);
  if (segment.marker != JPEG_APP0 + 1 || segment.data_length < kExif.size()) return;
  if (std::memcmp(segment.data, kExif.data(), kExif.size()) != 0) return;
  set_exif_upright(
      std::as_writable_bytes(std::span(segment.data, segment.data_length)).subspan(kExif.size()));
}

}  // namespace

std::string_view to_string(WhyKept reason) {
  switch (reason) {
    case WhyKept::not_decoded:
      return "not decoded";
    case WhyKept::damaged:
      return "damaged";
    case WhyKept::incomplete:
      return "scans missing";
    case WhyKept::not_baseline:
      return "beyond baseline";
    case WhyKept::not_whole:
      return "cut blocks";
    case WhyKept::too_large:
      return "too large";
  }
  return "unknown";
}

class Transcoder::Impl {
 public:
  tl::expected<std::span<const std::byte>, WhyKept> run(std::span<const std::byte> bytes,
                                                        std::uint64_t max_pixels, const Turn& turn);

 private:
  ErrorCode code() const { return guard_.error(kOperation).code(); }
  Kept open(Structs& files, std::span<const std::byte> bytes, std::uint64_t max_pixels, const Turn& turn);
  Kept read(Structs& files, const Turn& turn);
  Kept write(Structs& files, const Turn& turn);

  LibjpegGuard guard_;
  ScanLimit scan_limit_{guard_};
  OutputBuffer output_{guard_};
  jvirt_barray_ptr* stored_ = nullptr;  // of the file in the making
  jvirt_barray_ptr* turned_ = nullptr;
};

tl::expected<std::span<const std::byte>, WhyKept> Transcoder::Impl::run(std::span<const std::byte> bytes,
                                                                        std::uint64_t max_pixels,
                                                                        const Turn& turn) {
  guard_.clear();
  Structs files;
  if (const Kept kept = open(files, bytes, max_pixels, turn)) return tl::unexpected(*kept);
  if (const Kept kept = read(files, turn)) return tl::unexpected(*kept);
  output_.reserve(bytes.size());
  if (const Kept kept = write(files, turn)) return tl::unexpected(*kept);
  return output_.bytes_and(bytes.last(files.in.src->bytes_in_buffer));
}

Kept Transcoder::Impl::open(Structs& files, std::span<const std::byte> bytes, std::uint64_t max_pixels,
                            const Turn& turn) {
  jpeg_decompress_struct& in = files.in;
  const bool opened = guard_.run([&] {
    guard_.attach(in);
    jpeg_create_decompress(&in);
    scan_limit_.watch(in);
    for (int i = 0; i < 16; ++i) jpeg_save_markers(&in, JPEG_APP0 + i, kLongestSegment);
    jpeg_save_markers(&in, JPEG_COM, kLongestSegment);
    jpeg_mem_src(&in, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    jpeg_read_header(&in, TRUE);
  });
  if (!opened) return why_unread(code());
  if (in.data_precision != kBaselinePrecision) return WhyKept::not_decoded;
  if (auto allowed = check_limits(in, bytes.size(), max_pixels, turn.any() ? 2 : 1, kOperation); !allowed) {
    return why_unread(allowed.error().code());
  }
  scan_limit_.set_for(in);
  if (!moves_whole_blocks(in, turn)) return WhyKept::not_whole;
  return std::nullopt;
}

Kept Transcoder::Impl::read(Structs& files, const Turn& turn) {
  const bool read = guard_.run([&] {
    turned_ = turn.any() ? request_turned(files.in, turn) : nullptr;
    stored_ = jpeg_read_coefficients(&files.in);
  });
  if (!read) return why_unread(code());
  if (!guard_.warning().empty()) return WhyKept::damaged;
  if (!is_complete(files.in)) return WhyKept::incomplete;
  if (!fits_baseline(files.in)) return WhyKept::not_baseline;
  return std::nullopt;
}

Kept Transcoder::Impl::write(Structs& files, const Turn& turn) {
  jpeg_decompress_struct& in = files.in;
  jpeg_compress_struct& out = files.out;
  const bool written = guard_.run([&] {
    guard_.attach(out);
    jpeg_create_compress(&out);
    out.dest = output_.manager();
    jpeg_copy_critical_parameters(&in, &out);
    turn_parameters(out, turn);
    out.optimize_coding = TRUE;
    out.arith_code = FALSE;
    // The file's own are among its segments; without one, none is to be added.
    out.write_JFIF_header = FALSE;
    out.write_Adobe_marker = FALSE;
    if (turned_) turn_coefficients(in, stored_, turned_, turn);
    jpeg_write_coefficients(&out, turned_ ? turned_ : stored_);
    for (const jpeg_marker_struct* segment = in.marker_list; segment; segment = segment->next) {
      if (turn.any()) make_upright(*segment);
      jpeg_write_marker(&out, segment->marker, segment->data, segment->data_length);
    }
    jpeg_finish_compress(&out);
  });
  if (!written) return why_unwritten(code());
  return std::nullopt;
}

Transcoder::Transcoder() : impl_(std::make_unique<Impl>()) {}
Transcoder::~Transcoder() = default;
Transcoder::Transcoder(Transcoder&&) noexcept = default;
Transcoder& Transcoder::operator=(Transcoder&&) noexcept = default;

tl::expected<std::span<const std::byte>, WhyKept> Transcoder::run(std::span<const std::byte> bytes,
                                                                  std::uint64_t max_pixels,
                                                                  const Turn& turn) {
  return impl_->run(bytes, max_pixels, turn);
}

}  // namespace stoker::jpeg
