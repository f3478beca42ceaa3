// Sound coded data with coefficients that no photo has: what mutations of a file's bits hardly ever are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/philox.hpp"
#include "jpeg/baseline_frame.hpp"

namespace stoker::fuzz {

// Codes of a Huffman table, by symbol. Source: ITU-T T.81 C.2.
struct SymbolCodes {
  struct Code {
    std::uint32_t code = 0;
    unsigned length = 0;  // 0: the table has no such symbol
  };
  std::array<Code, 256> of;
  std::vector<std::uint8_t> symbols;

  explicit SymbolCodes(const jpeg::HuffmanSpec& spec) {
    std::uint32_t code = 0;
    std::size_t next = 0;
    for (unsigned length = 1; length <= 16; ++length, code <<= 1) {
      for (unsigned i = 0; i < spec.count[length]; ++i) {
        const std::uint8_t symbol = spec.symbol[next++];
        if (of[symbol].length == 0) of[symbol] = {code, length};
        ++code;
        symbols.push_back(symbol);
      }
    }
  }
};

// Writes MCUs of random coefficients in the tables of a file, in place of its own.
class PictureCoder {
 public:
  PictureCoder(const jpeg::BaselineFrame& frame, SampleRng& choices)
      : frame_(frame), choices_(choices), calm_(choices.below(4) != 0) {}

  // The file up to its scan, then a scan of this coder's, then the end marker.
  std::vector<std::byte> replace_scan(std::span<const std::byte> file) {
    file_.assign(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(frame_.scan_begin));
    for (int mcu = 0; mcu < frame_.mcus(); ++mcu) {
      if (mcu > 0 && frame_.restart_interval > 0 && mcu % frame_.restart_interval == 0)
        end_with(static_cast<std::uint8_t>(0xd0 + (mcu / frame_.restart_interval - 1) % 8));
      for (int c = 0; c < frame_.components; ++c) {
        const jpeg::FrameComponent& component = frame_.component[static_cast<std::size_t>(c)];
        const SymbolCodes dc(frame_.dc[static_cast<std::size_t>(component.dc)]);
        const SymbolCodes ac(frame_.ac[static_cast<std::size_t>(component.ac)]);
        for (int block = 0; block < component.h * component.v; ++block) write_block(dc, ac);
      }
    }
    end_with(0xd9);
    return std::move(file_);
  }

 private:
  // One of a table's symbols; 0 where it has none.
  std::uint8_t any_of(const SymbolCodes& table) {
    return table.symbols.empty() ? std::uint8_t{0} : table.symbols[choices_.below(table.symbols.size())];
  }

  void write_block(const SymbolCodes& dc, const SymbolCodes& ac) {
    std::uint8_t size = any_of(dc);
    for (int i = 0; calm_ && size > 5 && i < 8; ++i) size = any_of(dc);
    write_symbol(dc, size);
    const unsigned most = static_cast<unsigned>(choices_.below(calm_ ? 8 : 64));
    for (unsigned k = 1, written = 0; k < 64; ++written) {
      const std::uint8_t symbol = written < most ? any_of(ac) : std::uint8_t{0};
      const unsigned run = symbol >> 4, value = symbol & 15;
      if (value == 0 && run != 15) {  // an end of block, under any of its names
        write_symbol(ac, symbol);
        return;
      }
      if (k + run > 63) continue;
      write_symbol(ac, symbol);
      k += run + 1;
    }
  }

  void write_symbol(const SymbolCodes& table, std::uint8_t symbol) {
    put(table.of[symbol].code, table.of[symbol].length);
    const unsigned size = symbol & 15;
    if (size > 0) put(choices_.next_u32() & ((1u << size) - 1), size);
  }

  void put(std::uint32_t value, unsigned bits) {
    held_ = held_ << bits | value;
    for (count_ += bits; count_ >= 8; count_ -= 8) put_byte(static_cast<std::uint8_t>(held_ >> (count_ - 8)));
  }
  void put_byte(std::uint8_t byte) {
    file_.push_back(static_cast<std::byte>(byte));
    if (byte == 0xff) file_.push_back(std::byte{0});
  }
  void end_with(std::uint8_t marker) {
    if (count_ > 0) put((1u << (8 - count_)) - 1, 8 - count_);
    file_.push_back(std::byte{0xff});
    file_.push_back(static_cast<std::byte>(marker));
  }

  const jpeg::BaselineFrame& frame_;
  SampleRng& choices_;
  const bool calm_;  // small values: few pictures leave the range of 8 bits then
  std::vector<std::byte> file_;
  std::uint64_t held_ = 0;
  unsigned count_ = 0;
};

}  // namespace stoker::fuzz
