#include "bench/transcode.hpp"

namespace stoker::bench {

std::string_view to_string(SampleForm form) {
  switch (form) {
    case SampleForm::keep:
      return "keep";
    case SampleForm::ycc420:
      return "420";
    case SampleForm::ycc444:
      return "444";
  }
  return "";
}

Result<std::span<const std::byte>> Transcoder::transcode(std::span<const std::byte> bytes, SampleForm form,
                                                         std::uint64_t max_pixels) {
  if (form == SampleForm::keep) return bytes;
  const Result<image::RgbView> pixels = decoder_.decode(bytes, max_pixels);
  if (!pixels) return tl::unexpected(pixels.error());
  const int chroma_shrink = form == SampleForm::ycc420 ? 2 : 1;
  return encoder_.encode(pixels->data, pixels->width, pixels->height, pixels->stride,
                         {.quality = kTranscodeQuality, .luma_h = chroma_shrink, .luma_v = chroma_shrink});
}

}  // namespace stoker::bench
