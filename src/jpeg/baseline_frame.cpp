#include "jpeg/baseline_frame.hpp"

#include <algorithm>
#include <cstring>

#include "jpeg/natural_order.hpp"

namespace stoker::jpeg {

namespace {

// Markers' second bytes. Source: ITU-T T.81 table B.1.
constexpr int kSof0 = 0xc0, kSof1 = 0xc1, kDht = 0xc4, kJpg = 0xc8, kDac = 0xcc;
constexpr int kSoi = 0xd8, kSos = 0xda, kDqt = 0xdb, kDri = 0xdd;
constexpr int kApp0 = 0xe0, kApp14 = 0xee, kApp15 = 0xef, kComment = 0xfe;

// libjpeg's bounds: a side of a picture, blocks in an MCU.
constexpr int kMaxSide = 65500, kMaxBlocks = 10;

using Bytes = std::span<const std::byte>;
using Verdict = std::optional<NotMine>;

int u8(Bytes bytes, std::size_t at) { return std::to_integer<int>(bytes[at]); }
int u16(Bytes bytes, std::size_t at) { return u8(bytes, at) << 8 | u8(bytes, at + 1); }

bool begins_with(Bytes bytes, std::string_view text) {
  return bytes.size() >= text.size() && std::memcmp(bytes.data(), text.data(), text.size()) == 0;
}

bool is_frame(int marker) {
  return marker >= kSof0 && marker <= 0xcf && marker != kDht && marker != kJpg && marker != kDac;
}

// What the segments tell beside the frame itself.
struct Colours {
  bool jfif = false;
  int adobe_transform = -1;  // -1: no Adobe marker
};

Verdict read_quantisation(Bytes body, BaselineFrame& frame, std::array<bool, 4>& defined) {
  while (!body.empty()) {
    const int kind = u8(body, 0);
    const std::size_t width = kind >> 4 != 0 ? 2 : 1, table = static_cast<std::size_t>(kind & 15);
    if (kind >> 4 > 1 || table > 3 || body.size() < 1 + 64 * width) return NotMine::tables;
    for (std::size_t i = 0; i < 64; ++i) {
      const int value = width == 2 ? u16(body, 1 + 2 * i) : u8(body, 1 + i);
      frame.quant[table][kNaturalOrder[i]] = static_cast<std::uint16_t>(value);
    }
    defined[table] = true;
    body = body.subspan(1 + 64 * width);
  }
  return std::nullopt;
}

Verdict read_huffman(Bytes body, BaselineFrame& frame) {
  while (!body.empty()) {
    if (body.size() < 17) return NotMine::tables;
    const int kind = u8(body, 0);
    if (kind >> 4 > 1 || (kind & 15) > 3) return NotMine::tables;
    HuffmanSpec& spec = (kind >> 4 != 0 ? frame.ac : frame.dc)[static_cast<std::size_t>(kind & 15)];
    std::size_t symbols = 0;
    for (std::size_t length = 1; length <= 16; ++length) {
      spec.count[length] = static_cast<std::uint8_t>(u8(body, length));
      symbols += spec.count[length];
    }
    if (symbols > 256 || body.size() < 17 + symbols) return NotMine::tables;
    std::memcpy(spec.symbol.data(), body.data() + 17, symbols);
    spec.defined = true;
    body = body.subspan(17 + symbols);
  }
  return std::nullopt;
}

Verdict read_frame_header(Bytes body, BaselineFrame& frame) {
  if (frame.components != 0 || body.size() < 6) return NotMine::structure;
  if (u8(body, 0) != 8) return NotMine::precision;
  frame.height = u16(body, 1);
  frame.width = u16(body, 3);
  frame.components = u8(body, 5);
  if (frame.components != 1 && frame.components != 3) return NotMine::components;
  if (body.size() != 6 + 3 * static_cast<std::size_t>(frame.components)) return NotMine::structure;
  if (frame.width < 1 || frame.height < 1 || frame.width > kMaxSide || frame.height > kMaxSide) {
    return NotMine::structure;
  }
  for (int i = 0; i < frame.components; ++i) {
    const std::size_t at = 6 + 3 * static_cast<std::size_t>(i);
    FrameComponent& component = frame.component[static_cast<std::size_t>(i)];
    component.id = u8(body, at);
    component.h = u8(body, at + 1) >> 4;
    component.v = u8(body, at + 1) & 15;
    component.quant = u8(body, at + 2);
    if (component.h < 1 || component.h > 4 || component.v < 1 || component.v > 4) return NotMine::sampling;
    if (component.quant > 3) return NotMine::tables;
    for (int other = 0; other < i; ++other) {
      if (frame.component[static_cast<std::size_t>(other)].id == component.id) return NotMine::structure;
    }
  }
  return std::nullopt;
}

// The scan header: one scan of all components, in the frame's order, of all coefficients at once.
Verdict read_scan_header(Bytes body, BaselineFrame& frame) {
  if (frame.components == 0 || body.empty()) return NotMine::structure;
  if (u8(body, 0) != frame.components) return NotMine::scans;
  const std::size_t components = static_cast<std::size_t>(frame.components);
  if (body.size() != 4 + 2 * components) return NotMine::structure;
  for (std::size_t i = 0; i < components; ++i) {
    FrameComponent& component = frame.component[i];
    const int tables = u8(body, 2 + 2 * i);
    if (u8(body, 1 + 2 * i) != component.id) return NotMine::scans;
    component.dc = tables >> 4;
    component.ac = tables & 15;
    if (component.dc > 3 || component.ac > 3) return NotMine::tables;
  }
  const std::size_t at = 1 + 2 * components;
  if (u8(body, at) != 0 || u8(body, at + 1) != 63 || u8(body, at + 2) != 0) return NotMine::structure;
  return std::nullopt;
}

Verdict read_application(Bytes body, int marker, Colours& colours) {
  using namespace std::string_view_literals;
  constexpr std::size_t kJfifBytes = 14, kJfifVersionAt = 5, kAdobeBytes = 12;
  if (marker == kApp0 && body.size() >= kJfifBytes && begins_with(body, "JFIF\0"sv)) {
    colours.jfif = true;
    if (u8(body, kJfifVersionAt) != 1) return NotMine::structure;  // libjpeg warns
  }
  if (marker == kApp14 && body.size() >= kAdobeBytes && begins_with(body, "Adobe"sv)) {
    colours.adobe_transform = u8(body, kAdobeBytes - 1);
  }
  return std::nullopt;
}

// Source: libjpeg's jdapimin.c, default_decompress_parms.
Verdict choose_colour(const Colours& colours, BaselineFrame& frame) {
  if (frame.components == 1) {
    frame.colour = Colour::gray;
  } else if (colours.jfif) {
    frame.colour = Colour::ycbcr;
  } else if (colours.adobe_transform >= 0) {
    if (colours.adobe_transform > 1) return NotMine::structure;  // libjpeg warns
    frame.colour = colours.adobe_transform == 0 ? Colour::rgb : Colour::ycbcr;
  } else {
    const bool named_rgb =
        frame.component[0].id == 'R' && frame.component[1].id == 'G' && frame.component[2].id == 'B';
    frame.colour = named_rgb ? Colour::rgb : Colour::ycbcr;
  }
  return std::nullopt;
}

int divide_up(int a, int b) { return (a + b - 1) / b; }

Verdict lay_out(BaselineFrame& frame) {
  // A scan of one component is not interleaved: its MCU is one block, whatever its factors (T.81 A.2.2).
  if (frame.components == 1) frame.component[0].h = frame.component[0].v = 1;
  frame.h_max = frame.v_max = 1;
  frame.blocks_per_mcu = 0;
  const auto components = std::span(frame.component).first(static_cast<std::size_t>(frame.components));
  for (const FrameComponent& component : components) {
    frame.h_max = std::max(frame.h_max, component.h);
    frame.v_max = std::max(frame.v_max, component.v);
    frame.blocks_per_mcu += component.h * component.v;
  }
  if (frame.blocks_per_mcu > kMaxBlocks) return NotMine::sampling;
  for (FrameComponent& component : components) {
    if (frame.h_max % component.h != 0 || frame.v_max % component.v != 0) return NotMine::sampling;
    component.width = divide_up(frame.width * component.h, frame.h_max);
    component.height = divide_up(frame.height * component.v, frame.v_max);
  }
  frame.mcus_across = divide_up(frame.width, frame.mcu_width());
  frame.mcus_down = divide_up(frame.height, frame.mcu_height());
  return std::nullopt;
}

Verdict check_tables(const BaselineFrame& frame, const std::array<bool, 4>& quant_defined) {
  for (int i = 0; i < frame.components; ++i) {
    const FrameComponent& component = frame.component[static_cast<std::size_t>(i)];
    if (!quant_defined[static_cast<std::size_t>(component.quant)] ||
        !frame.dc[static_cast<std::size_t>(component.dc)].defined ||
        !frame.ac[static_cast<std::size_t>(component.ac)].defined) {
      return NotMine::tables;
    }
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(NotMine reason) {
  switch (reason) {
    case NotMine::process:
      return "process";
    case NotMine::precision:
      return "precision";
    case NotMine::components:
      return "components";
    case NotMine::scans:
      return "scans";
    case NotMine::tables:
      return "tables";
    case NotMine::sampling:
      return "sampling";
    case NotMine::structure:
      return "structure";
    case NotMine::entropy:
      return "entropy";
  }
  return "unknown";
}

std::optional<NotMine> read_baseline_frame(std::span<const std::byte> bytes, BaselineFrame& frame) {
  frame.components = 0;
  frame.restart_interval = 0;
  for (HuffmanSpec& spec : frame.dc) spec.defined = false;
  for (HuffmanSpec& spec : frame.ac) spec.defined = false;
  std::array<bool, 4> quant_defined{};
  Colours colours;
  if (bytes.size() < 4 || u8(bytes, 0) != 0xff || u8(bytes, 1) != kSoi) return NotMine::structure;
  std::size_t at = 2;
  for (;;) {
    if (at >= bytes.size() || u8(bytes, at) != 0xff) return NotMine::structure;
    while (at < bytes.size() && u8(bytes, at) == 0xff) ++at;
    if (bytes.size() - at < 3) return NotMine::structure;
    const int marker = u8(bytes, at++);
    const auto length = static_cast<std::size_t>(u16(bytes, at));
    if (length < 2 || length > bytes.size() - at) return NotMine::structure;
    const Bytes body = bytes.subspan(at + 2, length - 2);
    at += length;
    Verdict verdict;
    if (marker == kSof0 || marker == kSof1) {
      verdict = read_frame_header(body, frame);
    } else if (is_frame(marker)) {
      verdict = NotMine::process;
    } else if (marker == kDqt) {
      verdict = read_quantisation(body, frame, quant_defined);
    } else if (marker == kDht) {
      verdict = read_huffman(body, frame);
    } else if (marker == kDri) {
      if (body.size() != 2) return NotMine::structure;
      frame.restart_interval = u16(body, 0);
    } else if (marker >= kApp0 && marker <= kApp15) {
      verdict = read_application(body, marker, colours);
    } else if (marker == kSos) {
      verdict = read_scan_header(body, frame);
      if (!verdict) break;
    } else if (marker != kComment) {
      verdict = NotMine::structure;
    }
    if (verdict) return verdict;
  }
  frame.scan_begin = at;
  if (auto verdict = choose_colour(colours, frame)) return verdict;
  if (auto verdict = lay_out(frame)) return verdict;
  return check_tables(frame, quant_defined);
}

}  // namespace stoker::jpeg
