// JPEG bytes → baseline JPEG bytes of the very same coefficients, perhaps turned. One a thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <tl/expected.hpp>

#include "jpeg/turn.hpp"

namespace stoker::jpeg {

// Why a file cannot be written anew without loss.
enum class WhyKept {
  not_decoded,   // 12 bits, lossless, hierarchical, or arithmetic coding that this libjpeg lacks
  damaged,       // libjpeg gave up or complained
  incomplete,    // scans are missing: not every coefficient is told to its last bit
  not_baseline,  // baseline cannot hold it: 16-bit quantisation, more than 10 blocks an MCU, …
  not_whole,     // a turn would bring cut blocks to an edge that has none
  too_large,     // its coefficients take more memory than max_pixels allows
};
// "not decoded", "damaged", "scans missing", "beyond baseline", "cut blocks", "too large".
std::string_view to_string(WhyKept reason);

// Every APPn and COM segment stands in the new file as it was, in its order, before the frame; what stood
// behind the end of the image stands there again. Restart markers go. Huffman tables are made for the file.
//
// Threads: one at a time.
class Transcoder {
 public:
  Transcoder();
  ~Transcoder();
  Transcoder(Transcoder&&) noexcept;
  Transcoder& operator=(Transcoder&&) noexcept;

  // The new file, valid until the next call. A turn also makes the orientation in its EXIF blocks 1.
  // Decoded by libjpeg it has the pixels of the old one, to the byte. A turned one has them within some levels
  // (4 at most on the odd images), for the inverse transform and the chroma filters round one way.
  // Cost: two bytes of memory a coefficient, four where it turns, checked against 4 bytes × max_pixels before
  // anything is allocated; about twice the time of a decode.
  tl::expected<std::span<const std::byte>, WhyKept> run(std::span<const std::byte> bytes,
                                                        std::uint64_t max_pixels, const Turn& turn = {});

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stoker::jpeg
