#include "jpeg/turned_coefficients.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>

namespace stoker::jpeg {

namespace {

constexpr unsigned kSide = DCTSIZE;

// One coefficient of a turned block: where in the stored block it was, and its sign.
struct Move {
  std::uint8_t from = 0;
  JCOEF sign = 1;
};
using Moves = std::array<Move, DCTSIZE2>;

Moves moves_of(const Turn& turn) {
  Moves moves;
  for (unsigned i = 0; i < DCTSIZE2; ++i) {
    unsigned row = i / kSide, column = i % kSide;
    if (turn.transposed) std::swap(row, column);
    const bool negative = (turn.mirror_x && column % 2 == 1) != (turn.mirror_y && row % 2 == 1);
    moves[i] = {static_cast<std::uint8_t>(row * kSide + column), static_cast<JCOEF>(negative ? -1 : 1)};
  }
  return moves;
}

void turn_block(const JBLOCK& from, const Moves& moves, JBLOCK& to) {
  for (unsigned i = 0; i < DCTSIZE2; ++i) to[i] = static_cast<JCOEF>(from[moves[i].from] * moves[i].sign);
}

JDIMENSION round_up(JDIMENSION n, int factor) {
  const auto step = static_cast<JDIMENSION>(factor);
  return (n + step - 1) / step * step;
}

std::span<jpeg_component_info> components_of(jpeg_decompress_struct& libjpeg) {
  return {libjpeg.comp_info, static_cast<std::size_t>(libjpeg.num_components)};
}

void turn_component(jpeg_decompress_struct& libjpeg, const jpeg_component_info& stored, jvirt_barray_ptr from,
                    jvirt_barray_ptr to, const Turn& turn, const Moves& moves) {
  const auto common = reinterpret_cast<j_common_ptr>(&libjpeg);
  const auto row_of = [&](jvirt_barray_ptr blocks, JDIMENSION row, bool written) {
    return *(*libjpeg.mem->access_virt_barray)(common, blocks, row, 1, written ? TRUE : FALSE);
  };
  const JDIMENSION across = stored.width_in_blocks, down = stored.height_in_blocks;
  const JDIMENSION to_down = turn.transposed ? across : down, to_across = turn.transposed ? down : across;
  for (JDIMENSION y = 0; y < to_down; ++y) {
    JBLOCKROW written = row_of(to, y, true);
    for (JDIMENSION x = 0; x < to_across; ++x) {
      JDIMENSION u = turn.transposed ? y : x, v = turn.transposed ? x : y;
      if (turn.mirror_x) u = across - 1 - u;
      if (turn.mirror_y) v = down - 1 - v;
      turn_block(row_of(from, v, false)[u], moves, written[x]);
    }
  }
}

}  // namespace

bool moves_whole_blocks(const jpeg_decompress_struct& libjpeg, const Turn& turn) {
  for (int i = 0; i < libjpeg.num_components; ++i) {
    const jpeg_component_info& component = libjpeg.comp_info[i];
    const auto whole = [](JDIMENSION side, int factor, int largest, JDIMENSION blocks) {
      return std::uint64_t{side} * static_cast<unsigned>(factor) ==
             std::uint64_t{blocks} * kSide * static_cast<unsigned>(largest);
    };
    if (turn.mirror_x && !whole(libjpeg.image_width, component.h_samp_factor, libjpeg.max_h_samp_factor,
                                component.width_in_blocks)) {
      return false;
    }
    if (turn.mirror_y && !whole(libjpeg.image_height, component.v_samp_factor, libjpeg.max_v_samp_factor,
                                component.height_in_blocks)) {
      return false;
    }
  }
  return true;
}

jvirt_barray_ptr* request_turned(jpeg_decompress_struct& libjpeg, const Turn& turn) {
  const auto common = reinterpret_cast<j_common_ptr>(&libjpeg);
  const std::span<jpeg_component_info> components = components_of(libjpeg);
  auto* arrays = static_cast<jvirt_barray_ptr*>(
      (*libjpeg.mem->alloc_small)(common, JPOOL_IMAGE, components.size() * sizeof(jvirt_barray_ptr)));
  for (std::size_t i = 0; i < components.size(); ++i) {
    JDIMENSION across = components[i].width_in_blocks, down = components[i].height_in_blocks;
    int h = components[i].h_samp_factor, v = components[i].v_samp_factor;
    if (turn.transposed) {
      std::swap(across, down);
      std::swap(h, v);
    }
    // Zeroed, since whole MCUs are read and only blocks of the picture are filled.
    arrays[i] = (*libjpeg.mem->request_virt_barray)(common, JPOOL_IMAGE, TRUE, round_up(across, h),
                                                    round_up(down, v), static_cast<JDIMENSION>(v));
  }
  return arrays;
}

void turn_coefficients(jpeg_decompress_struct& libjpeg, jvirt_barray_ptr* from, jvirt_barray_ptr* to,
                       const Turn& turn) {
  const Moves moves = moves_of(turn);
  const std::span<jpeg_component_info> components = components_of(libjpeg);
  for (std::size_t i = 0; i < components.size(); ++i) {
    turn_component(libjpeg, components[i], from[i], to[i], turn, moves);
  }
}

void turn_parameters(jpeg_compress_struct& libjpeg, const Turn& turn) {
  if (!turn.transposed) return;
  std::swap(libjpeg.image_width, libjpeg.image_height);
#if JPEG_LIB_VERSION >= 70
  std::swap(libjpeg.jpeg_width, libjpeg.jpeg_height);
#endif
  for (int i = 0; i < libjpeg.num_components; ++i) {
    std::swap(libjpeg.comp_info[i].h_samp_factor, libjpeg.comp_info[i].v_samp_factor);
  }
  for (JQUANT_TBL* table : libjpeg.quant_tbl_ptrs) {
    if (!table) continue;
    for (unsigned row = 0; row < kSide; ++row) {
      for (unsigned column = 0; column < row; ++column) {
        std::swap(table->quantval[row * kSide + column], table->quantval[column * kSide + row]);
      }
    }
  }
}

}  // namespace stoker::jpeg
