#include "pack/image_plan.hpp"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>

#include "jpeg/header.hpp"

namespace stoker::packing {
namespace {

constexpr int kMaxJpegSide = 65'500;        // JPEG_MAX_DIMENSION of libjpeg
constexpr int kMaxWebpSide = 16'383;        // 14 bits in the VP8 frame header, RFC 6386 9.1
constexpr std::size_t kPngColourType = 25;  // signature 8, IHDR length and name 8, width, height, bit depth 9

struct Factors {
  int h = 1;
  int v = 1;
};

struct Sampling {
  Factors luma;
  Factors chroma;
};

// "2x2 1x1 1x1" → first and second component; one component: both the same.
Sampling parse_sampling(const std::string& text) {
  Sampling s;
  const int fields = std::sscanf(text.c_str(), "%dx%d %dx%d", &s.luma.h, &s.luma.v, &s.chroma.h, &s.chroma.v);
  if (fields != 4) return {};
  return s;
}

bool png_is_gray(std::span<const std::byte> bytes) {
  if (bytes.size() <= kPngColourType) return false;
  const auto type = static_cast<unsigned>(bytes[kPngColourType]);
  return type == 0 || type == 4;  // grey, grey with alpha
}

ImageKind target_kind(ImageKind source, Encode encode) {
  if (encode == Encode::jpeg) return ImageKind::jpeg;
  if (encode == Encode::png) return ImageKind::png;
  return source;
}

bool sampling_differs(const ImageInfo& info, Subsampling wanted) {
  if (wanted == Subsampling::keep || info.kind != ImageKind::jpeg || info.components == 1) return false;
  const Sampling now = parse_sampling(info.sampling);
  const int h = now.luma.h / std::max(now.chroma.h, 1);
  const int v = now.luma.v / std::max(now.chroma.v, 1);
  return wanted == Subsampling::s444 ? h != 1 || v != 1 : h != 2 || v != 2;
}

Result<void> check_size(const ImagePlan& plan, const PackOptions& options) {
  const auto pixels =
      static_cast<std::uint64_t>(plan.scaled.width) * static_cast<std::uint64_t>(plan.scaled.height);
  if (plan.enlarge && pixels > options.max_pixels) {
    return fail(ErrorCode::out_of_resources,
                {.operation = "enlarge",
                 .found = fmt::format("{} x {} pixels would come out", plan.scaled.width, plan.scaled.height),
                 .allowed = fmt::format("{} pixels", options.max_pixels),
                 .next_step = "raise max-pixels or leave enlarge out"});
  }
  const int side = std::max(plan.window.width, plan.window.height);
  const int limit = plan.kind == ImageKind::jpeg   ? kMaxJpegSide
                    : plan.kind == ImageKind::webp ? kMaxWebpSide
                                                   : side;
  if (side > limit) {
    return fail(ErrorCode::unsupported,
                {.operation = "encode",
                 .found = fmt::format("a side of {} pixels", side),
                 .allowed = fmt::format("{} in a {} file", limit, to_string(plan.kind)),
                 .next_step = "encode to png, or resize"});
  }
  return {};
}

// round(n / 2) with halves to the even side, as Python's round.
int half_to_even(int n) {
  const int half = n / 2;
  return n % 2 == 1 && half % 2 == 1 ? half + 1 : half;
}

}  // namespace

bool touches_pixels(const PackOptions& options) {
  return options.resize_short > 0 || options.max_side > 0 || options.center_crop ||
         options.quality.has_value() || options.encode != Encode::keep ||
         options.subsampling != Subsampling::keep || options.baseline || options.upright;
}

bool is_baseline(const ImageInfo& info) {
  return info.process == jpeg::to_string(jpeg::Process::baseline);
}

Size resized_size(Size from, int short_side) {
  const auto scale = [&](int long_side, int short_now) {
    return static_cast<int>(std::max<std::int64_t>(std::int64_t{long_side} * short_side / short_now, 1));
  };
  if (from.width <= from.height) return {short_side, scale(from.height, from.width)};
  return {scale(from.width, from.height), short_side};
}

Size fitted_size(Size from, int long_side) {
  const auto scale = [&](int short_side, int long_now) {
    return static_cast<int>(std::max<std::int64_t>(std::int64_t{short_side} * long_side / long_now, 1));
  };
  if (from.width >= from.height) return {long_side, scale(from.height, from.width)};
  return {scale(from.width, from.height), long_side};
}

Rect center_square(Size size) {
  const int side = std::min(size.width, size.height);
  return {half_to_even(size.width - side), half_to_even(size.height - side), side, side};
}

void choose_sampling(const ImageInfo& source, Subsampling wanted, jpeg::EncodeSpec& spec) {
  double chroma_share = 1;
  if (wanted == Subsampling::s420) {
    chroma_share = 0.25;
  } else if (wanted == Subsampling::keep && source.kind == ImageKind::jpeg) {
    const Sampling s = parse_sampling(source.sampling);
    chroma_share = static_cast<double>(s.chroma.h * s.chroma.v) / std::max(s.luma.h * s.luma.v, 1);
  }
  spec.luma_h = chroma_share > 0.7 ? 1 : 2;
  spec.luma_v = chroma_share > 0.35 ? 1 : 2;
}

Result<ImagePlan> plan_image(const ImageInfo& info, std::span<const std::byte> bytes,
                             const PackOptions& options) {
  ImagePlan plan;
  const Size stored{info.width, info.height};
  const int short_side = std::min(info.width, info.height);
  plan.scaled = stored;
  if (options.resize_short > 0 &&
      (short_side > options.resize_short || (options.enlarge && short_side < options.resize_short))) {
    // The long side may leave the int range only when enlarging; max_pixels catches it from the exact
    // product.
    const std::int64_t long_side = std::max(info.width, info.height);
    if (long_side * options.resize_short / short_side > INT32_MAX) {
      return fail(ErrorCode::out_of_resources,
                  {.operation = "enlarge",
                   .found = fmt::format("{} x {} pixels", info.width, info.height),
                   .allowed = fmt::format("{} pixels behind it", options.max_pixels),
                   .next_step = "leave enlarge out"});
    }
    plan.scaled = resized_size(stored, options.resize_short);
    plan.resize = true;
    plan.enlarge = short_side < options.resize_short;
  }
  if (options.max_side > 0 && std::max(info.width, info.height) > options.max_side) {
    plan.scaled = fitted_size(stored, options.max_side);
    plan.resize = true;
  }
  plan.window = {0, 0, plan.scaled.width, plan.scaled.height};
  if (options.center_crop && plan.scaled.width != plan.scaled.height) {
    plan.window = center_square(plan.scaled);
    plan.crop = true;
  }
  plan.kind = target_kind(info.kind, options.encode);
  if (options.upright) plan.turn = jpeg::turn_of(info.orientation);
  const bool is_jpeg = info.kind == ImageKind::jpeg;
  const bool geometry_asked = options.resize_short > 0 || options.max_side > 0 || options.center_crop;
  const bool jpeg_asked = is_jpeg && !geometry_asked &&
                          (options.quality.has_value() || sampling_differs(info, options.subsampling));
  plan.rewrite =
      plan.resize || plan.crop || plan.kind != info.kind || jpeg_asked || (!is_jpeg && plan.turn.any());
  plan.transcode =
      is_jpeg && !plan.rewrite && (plan.turn.any() || (options.baseline && !is_baseline(info)));
  if (!plan.rewrite && !plan.transcode) return plan;

  plan.gray = is_jpeg ? info.components == 1 : info.kind == ImageKind::png && png_is_gray(bytes);
  plan.to_rgb = info.components == 4 || (info.kind == ImageKind::png && info.components == 2);
  // Half of the picture must still be twice the target on both sides.
  plan.scaled_decode = is_jpeg && plan.resize && info.width / 2 >= 2 * plan.scaled.width &&
                       info.height / 2 >= 2 * plan.scaled.height;
  if (auto fits = check_size(plan, options); !fits) return tl::unexpected(fits.error());
  return plan;
}

}  // namespace stoker::packing
