// What a pack does to one image, from its header alone: pass it through, or to which pixels and which kind it
// is rewritten.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "stoker/image.hpp"
#include "stoker/pack.hpp"

#include "base/result.hpp"
#include "jpeg/encoder.hpp"
#include "jpeg/turn.hpp"

namespace stoker::packing {

// Whether the options may change any image's bytes at all; if not, every sample passes through undecoded.
bool touches_pixels(const PackOptions& options);

// Whether a JPEG's frame header says so.
bool is_baseline(const ImageInfo& info);

// A decision about one image. Units: pixels in stored orientation.
struct ImagePlan {
  bool rewrite = false;  // decoded and encoded
  // A JPEG whose pixels stay as they are, turned or not: its coefficients are written anew. Where they cannot
  // be, it is rewritten if it turns, else left. Neither this nor rewrite: the bytes pass through untouched,
  // and nothing below counts.
  bool transcode = false;
  jpeg::Turn turn;  // behind resize and crop
  bool resize = false;
  bool enlarge = false;  // the resize makes it larger
  bool crop = false;
  bool scaled_decode =
      false;    // JPEG's scaled inverse transform may halve the picture and still leave twice `scaled`
  Size scaled;  // the whole picture behind the resize
  Rect window;  // of `scaled`: what is written, before it turns
  ImageKind kind = ImageKind::unknown;  // of the bytes that are written
  bool gray = false;                    // one channel is written
  bool to_rgb = false;                  // CMYK, YCCK or alpha is lost
};

// `bytes` are asked only for what ImageInfo leaves open (a PNG's colour type).
// Errors: unsupported (a side beyond what the target kind holds), out_of_resources (an enlargement beyond
// max_pixels).
Result<ImagePlan> plan_image(const ImageInfo& info, std::span<const std::byte> bytes,
                             const PackOptions& options);

// The short side becomes `short_side`, the long one floor(long · short_side / short), at least 1.
Size resized_size(Size from, int short_side);

// The long side becomes `long_side`, the short one floor(short · long_side / long), at least 1.
Size fitted_size(Size from, int long_side);

// The centred square of the short side. Source: recipes' center_crop: offsets are (long - short) / 2, halves
// to even.
Rect center_square(Size size);

// Sampling for a JPEG that is encoded anew. keep: by the share of chroma samples of the source, so 4:4:4
// stays, 4:2:2 and 4:4:0 become 4:2:2, 4:2:0, 4:1:1 and 4:1:0 become 4:2:0; what was no JPEG had all its
// chroma and becomes 4:4:4.
void choose_sampling(const ImageInfo& source, Subsampling wanted, jpeg::EncodeSpec& spec);

}  // namespace stoker::packing
