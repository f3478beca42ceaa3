// The tables of one scan, by block of an MCU.
#pragma once

#include <array>

#include "jpeg/baseline_frame.hpp"
#include "jpeg/decode_table.hpp"
#include "jpeg/entropy.hpp"

namespace stoker::jpeg {

// One block of an MCU. Source: the order of T.81 A.2.3.
struct McuBlock {
  int component = 0;
  int column = 0, row = 0;  // of its component's blocks within the MCU
  const DecodeTable* dc = nullptr;
  const DecodeTable* ac = nullptr;
};

// Owns: the tables, at fixed addresses, some 70 kB. Threads: one at a time.
class ScanTables {
 public:
  static constexpr int kMaxBlocks = 10;

  // False where a table is none. The blocks are those of `frame`, and the tables they name.
  bool make(const BaselineFrame& frame);
  // The tables by which blocks are passed over; made on first use, since not every picture has such blocks.
  const std::array<SkipBlock, kMaxBlocks>& skip_blocks();

  const std::array<McuBlock, kMaxBlocks>& blocks() const { return blocks_; }
  int blocks_per_mcu() const { return blocks_per_mcu_; }

 private:
  std::array<DecodeTable, 4> dc_, ac_;
  std::array<SkipTable, 4> steps_;
  std::array<McuBlock, kMaxBlocks> blocks_;
  std::array<SkipBlock, kMaxBlocks> skip_blocks_;
  int blocks_per_mcu_ = 0;
  bool has_steps_ = false;
};

}  // namespace stoker::jpeg
