// The header of a JPEG that the own decoder takes, as tables ready to use; every other file is "not mine".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace stoker::jpeg {

// A Huffman table as the file defines it (DHT). Source: ITU-T T.81 B.2.4.2.
struct HuffmanSpec {
  std::array<std::uint8_t, 17> count{};    // codes of each length 1..16; [0] unused
  std::array<std::uint8_t, 256> symbol{};  // by code, shortest first
  bool defined = false;
};

struct FrameComponent {
  int id = 0;
  int h = 1, v = 1;               // sampling factors, 1..4
  int quant = 0, dc = 0, ac = 0;  // table numbers, 0..3
  int width = 0, height = 0;      // true size in samples: the picture's, divided by the sampling, rounded up
};

enum class Colour { gray, ycbcr, rgb };

// 8-bit baseline or extended sequential Huffman, one interleaved scan of all components, 1 or 3 of them.
struct BaselineFrame {
  int width = 0, height = 0;  // pixels
  int components = 0;         // 1 or 3
  std::array<FrameComponent, 3> component;
  Colour colour = Colour::ycbcr;
  int h_max = 1, v_max = 1;  // of one component: 1×1, whatever the file says (T.81 A.2.2)
  int mcus_across = 0, mcus_down = 0;
  int blocks_per_mcu = 0;                              // 1..10
  int restart_interval = 0;                            // MCUs; 0: none
  std::size_t scan_begin = 0;                          // of the first byte of entropy-coded data
  std::array<std::array<std::uint16_t, 64>, 4> quant;  // natural order
  std::array<HuffmanSpec, 4> dc, ac;

  int mcu_width() const { return 8 * h_max; }  // pixels
  int mcu_height() const { return 8 * v_max; }
  int mcus() const { return mcus_across * mcus_down; }
  bool is_subsampled() const { return h_max > 1 || v_max > 1; }
};

// Why the own decoder leaves a file to libjpeg-turbo; the texts are what reports show.
enum class NotMine {
  process,     // progressive, arithmetic, lossless, hierarchical
  precision,   // not 8 bits
  components,  // neither 1 nor 3
  scans,       // components in several scans
  tables,      // a table that is missing, or that is not as T.81 wants it
  sampling,    // a ratio that no upsampling of ours has
  structure,   // segments that are damaged, or in an order of their own
  entropy,     // damage in the coded data
};
std::string_view to_string(NotMine reason);

// Fills `frame` from the file's first bytes; a reason where the file is not for the own decoder. Nothing is
// allocated. What libjpeg-turbo would complain about, or read in a way of its own, is a reason.
std::optional<NotMine> read_baseline_frame(std::span<const std::byte> bytes, BaselineFrame& frame);

}  // namespace stoker::jpeg
