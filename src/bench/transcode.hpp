// Samples made anew with another chroma sampling, so that one set measures both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.hpp"
#include "bench/turbo_route.hpp"
#include "jpeg/encoder.hpp"

namespace stoker::bench {

enum class SampleForm {
  keep,    // the file's own bytes
  ycc420,  // three components, chroma at half size both ways
  ycc444,  // three components, chroma at full size
};
std::string_view to_string(SampleForm form);  // keep, 420, 444

// libjpeg's scale.
inline constexpr int kTranscodeQuality = 90;

// Threads: one at a time.
class Transcoder {
 public:
  // `bytes` decoded by plain libjpeg-turbo and written again, gray ones as colour; of `keep`, `bytes`
  // themselves. Valid until the next call. Errors: as TurboDecoder::decode.
  Result<std::span<const std::byte>> transcode(std::span<const std::byte> bytes, SampleForm form,
                                               std::uint64_t max_pixels);

 private:
  TurboDecoder decoder_;
  jpeg::Encoder encoder_;
};

}  // namespace stoker::bench
