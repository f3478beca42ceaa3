#include "jpeg/scan_tables.hpp"

namespace stoker::jpeg {

bool ScanTables::make(const BaselineFrame& frame) {
  std::array<bool, 4> has_dc{}, has_ac{};
  has_steps_ = false;
  blocks_per_mcu_ = 0;
  for (int c = 0; c < frame.components; ++c) {
    const FrameComponent& component = frame.component[static_cast<std::size_t>(c)];
    const auto dc = static_cast<std::size_t>(component.dc), ac = static_cast<std::size_t>(component.ac);
    if (!has_dc[dc] && !make_decode_table(frame.dc[dc], false, dc_[dc])) return false;
    if (!has_ac[ac] && !make_decode_table(frame.ac[ac], true, ac_[ac])) return false;
    has_dc[dc] = has_ac[ac] = true;
    for (int row = 0; row < component.v; ++row) {
      for (int column = 0; column < component.h; ++column) {
        blocks_[static_cast<std::size_t>(blocks_per_mcu_++)] = {c, column, row, &dc_[dc], &ac_[ac]};
      }
    }
  }
  return true;
}

const std::array<SkipBlock, ScanTables::kMaxBlocks>& ScanTables::skip_blocks() {
  if (has_steps_) return skip_blocks_;
  has_steps_ = true;
  std::array<bool, 4> made{};
  for (std::size_t i = 0; i < static_cast<std::size_t>(blocks_per_mcu_); ++i) {
    const McuBlock& block = blocks_[i];
    const auto ac = static_cast<std::size_t>(block.ac - ac_.data());
    if (!made[ac]) make_skip_table(*block.ac, steps_[ac]);
    made[ac] = true;
    skip_blocks_[i] = {block.dc, block.ac, &steps_[ac], block.component};
  }
  return skip_blocks_;
}

}  // namespace stoker::jpeg
