#include "pack/sample_rewriter.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

#include "image/pixel_encoders.hpp"
#include "image/turn_pixels.hpp"
#include "pack/markers.hpp"

namespace stoker::packing {
namespace {

constexpr int kDefaultQuality = 90;

constexpr std::array<std::pair<Change, const char*>, 12> kNames{{
    {Change::resized, "resized"},
    {Change::enlarged, "enlarged"},
    {Change::cropped, "cropped"},
    {Change::reencoded, "reencoded"},
    {Change::converted_to_jpeg, "converted_to_jpeg"},
    {Change::converted_to_png, "converted_to_png"},
    {Change::converted_to_rgb, "converted_to_rgb"},
    {Change::scaled_decode, "scaled_decode"},
    {Change::decoded_with_warning, "decoded_with_warning"},
    {Change::orientation_lost, "orientation_lost"},
    {Change::baselined, "baselined"},
    {Change::uprighted, "uprighted"},
}};

bool decodable(ImageKind kind) {
  return kind == ImageKind::jpeg || kind == ImageKind::png || kind == ImageKind::webp;
}

// What the header can tell is wrong, for a sample whose bytes are not decoded.
Result<void> check_header(const ImageInfo& info, std::uint64_t max_pixels) {
  if (!decodable(info.kind)) {
    return fail(ErrorCode::unsupported, {.operation = "pack",
                                         .found = "a file of kind " + std::string(to_string(info.kind)),
                                         .allowed = "jpeg, png, webp",
                                         .next_step = "convert it first"});
  }
  const auto pixels = static_cast<std::uint64_t>(info.width) * static_cast<std::uint64_t>(info.height);
  if (pixels > max_pixels) {
    return fail(ErrorCode::out_of_resources, {.operation = "pack",
                                              .found = std::to_string(pixels) + " pixels",
                                              .allowed = std::to_string(max_pixels),
                                              .next_step = "raise max-pixels"});
  }
  return {};
}

void note_changes(const ImageInfo& info, const ImagePlan& plan, Changes& changes) {
  changes.add(Change::reencoded);
  if (plan.resize) changes.add(Change::resized);
  if (plan.enlarge) changes.add(Change::enlarged);
  if (plan.crop) changes.add(Change::cropped);
  if (plan.turn.any()) changes.add(Change::uprighted);
  if (plan.to_rgb) changes.add(Change::converted_to_rgb);
  if (plan.kind != info.kind) {
    changes.add(plan.kind == ImageKind::jpeg ? Change::converted_to_jpeg : Change::converted_to_png);
  }
}

}  // namespace

void Changes::count_into(std::map<std::string, std::uint64_t>& counts) const {
  if (empty()) return;
  for (const auto& [change, name] : kNames) {
    if (has(change)) ++counts[name];
  }
}

SampleRewriter::SampleRewriter(const PackOptions& options)
    : options_(options), touches_pixels_(touches_pixels(options)) {}

Result<Rewritten> SampleRewriter::run(std::span<const std::byte> bytes, bool must_be_image) {
  Rewritten result{.bytes = bytes};
  if (!touches_pixels_ && !must_be_image) return result;
  auto info = decoder_.info(bytes);
  if (!info) return tl::unexpected(info.error());
  if (auto sane = check_header(*info, options_.max_pixels); !sane) return tl::unexpected(sane.error());
  auto plan = plan_image(*info, bytes, options_);
  if (!plan) return tl::unexpected(plan.error());
  if (plan->transcode && transcode(bytes, *info, *plan, result)) return result;
  if (!plan->rewrite && !plan->turn.any()) {
    if (info->kind == ImageKind::jpeg && !has_end_of_image(bytes)) {
      result.warning = "no end-of-image marker: the file was cut short";
    }
    return result;
  }
  auto pixels = decode(bytes, {info->width, info->height}, *plan);
  if (!pixels) return tl::unexpected(pixels.error());
  result.passed_through = false;
  result.warning = pixels->warning;
  note_changes(*info, *plan, result.changes);
  if (pixels->scaled) result.changes.add(Change::scaled_decode);
  if (!result.warning.empty()) result.changes.add(Change::decoded_with_warning);
  auto encoded = encode(*pixels, bytes, *info, *plan, result.changes);
  if (!encoded) return tl::unexpected(encoded.error());
  result.bytes = *encoded;
  return result;
}

bool SampleRewriter::transcode(std::span<const std::byte> bytes, const ImageInfo& info, const ImagePlan& plan,
                               Rewritten& result) {
  const auto written = transcoder_.run(bytes, options_.max_pixels, plan.turn);
  if (!written) {
    if (!plan.turn.any()) result.kept = fmt::format("{}, {}", info.process, to_string(written.error()));
    return false;
  }
  result.bytes = *written;
  result.passed_through = false;
  if (!is_baseline(info)) result.changes.add(Change::baselined);
  if (plan.turn.any()) result.changes.add(Change::uprighted);
  return true;
}

Result<SampleRewriter::Pixels> SampleRewriter::decode(std::span<const std::byte> bytes, Size stored,
                                                      const ImagePlan& plan) {
  if (!plan.scaled_decode) {
    DecodeSpec spec;
    spec.max_pixels = options_.max_pixels;
    if (plan.resize) {
      spec.resize = plan.scaled;
      if (plan.crop) spec.window = plan.window;
    } else if (plan.crop) {
      spec.crop = plan.window;
    }
    auto decoded = decoder_.decode(bytes, spec);
    if (!decoded) return tl::unexpected(decoded.error());
    return Pixels{decoded->pixels, decoded->warning, false};
  }
  const Size at_least{2 * plan.scaled.width, 2 * plan.scaled.height};
  auto decoded = decoder_.decode_scaled(bytes, at_least, options_.max_pixels);
  if (!decoded) return tl::unexpected(decoded.error());
  const image::RgbView& from = decoded->pixels;
  const bool scaled = from.width < stored.width || from.height < stored.height;
  const std::size_t stride = static_cast<std::size_t>(plan.window.width) * 3;
  resized_.resize(stride * static_cast<std::size_t>(plan.window.height));
  const image::MutableRgbView to{resized_.data(), plan.window.width, plan.window.height, stride};
  resizer_.resize(from, {0, 0, from.width, from.height}, {from.width, from.height}, plan.scaled, plan.window,
                  Filter::bilinear, to);
  return Pixels{{to.data, to.width, to.height, to.stride}, decoded->warning, scaled};
}

Result<std::span<const std::byte>> SampleRewriter::encode(const Pixels& pixels,
                                                          std::span<const std::byte> source,
                                                          const ImageInfo& info, const ImagePlan& plan,
                                                          Changes& changes) {
  const int quality = options_.quality.value_or(kDefaultQuality);
  const bool turned = info.orientation >= 2 && info.orientation <= 8 && !plan.turn.any();
  const image::RgbView view =
      plan.turn.any() ? image::turn_pixels(pixels.view, plan.turn, turned_) : pixels.view;
  if (plan.kind == ImageKind::png) {
    const std::vector<std::byte> exif =
        turned ? exif_with_orientation(info.orientation) : std::vector<std::byte>{};
    if (auto done = image::encode_png(view, plan.gray, exif, encoded_); !done) {
      return tl::unexpected(done.error());
    }
    return std::span<const std::byte>(encoded_);
  }
  if (plan.kind == ImageKind::webp) {
    if (turned) changes.add(Change::orientation_lost);
    if (auto done = image::encode_webp(view, quality, image::webp_is_lossless(source), encoded_); !done) {
      return tl::unexpected(done.error());
    }
    return std::span<const std::byte>(encoded_);
  }
  jpeg::EncodeSpec spec;
  spec.quality = quality;
  spec.gray = plan.gray;
  choose_sampling(info, options_.subsampling, spec);
  auto jpeg = jpeg_encoder_.encode(view.data, view.width, view.height, view.stride, spec);
  if (!jpeg || !turned) return jpeg;
  insert_orientation(*jpeg, info.orientation, encoded_);
  return std::span<const std::byte>(encoded_);
}

}  // namespace stoker::packing
