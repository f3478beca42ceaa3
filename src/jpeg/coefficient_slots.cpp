#include "jpeg/coefficient_slots.hpp"

#include <algorithm>
#include <cstring>

namespace stoker::jpeg {

namespace {

// Beyond this a dequantised DC leaves what 8-bit pictures can have (T.81: ±1024 · 8), and 16-bit arithmetic
// might wrap.
constexpr int kMaxDequantisedDc = 8191;

void wipe(BlockRecord& record) { std::memset(record.coefficient, 0, sizeof record.coefficient); }

}  // namespace

void CoefficientSlots::prepare(const BaselineFrame& frame, const ScanTables& tables, int mcus_per_slot,
                               const McuRect& wanted, const std::array<Plane, 3>& planes,
                               const std::array<BlockSize, 3>& sizes) {
  frame_ = &frame;
  tables_ = &tables;
  planes_ = &planes;
  sizes_ = sizes;
  wanted_ = wanted;
  mcus_per_slot_ = mcus_per_slot;
  const auto blocks = static_cast<std::size_t>(tables.blocks_per_mcu());
  records_per_slot_ = static_cast<std::size_t>(mcus_per_slot) * blocks + 1;
  if (memory_.size() < kSlots * records_per_slot_) memory_.assign(kSlots * records_per_slot_, BlockRecord{});
  free_.clear();
  waiting_.clear();
  const DecodeTable* const parking = &parking_table();
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    BlockRecord* record = memory_.data() + slot * records_per_slot_;
    for (int mcu = 0; mcu < mcus_per_slot; ++mcu) {
      for (std::size_t i = 0; i < blocks; ++i, ++record) {
        record->ac = tables.blocks()[i].ac;
        record->next_dc = tables.blocks()[i + 1 == blocks ? 0 : i + 1].dc;
        record->beyond = 0;
      }
    }
    record[-1].next_dc = parking;
    record->ac = record->next_dc = parking;
    free_.push_back(record);
  }
  for (std::size_t c = 0; c < static_cast<std::size_t>(frame.components); ++c) {
    const auto quant = static_cast<std::size_t>(frame.component[c].quant);
    dc_limit_[c] = kMaxDequantisedDc / std::max<int>(1, frame.quant[quant][0]);
    mcu_bytes_[c] = frame.component[c].h * static_cast<int>(sizes[c]);
    const int of_component = frame.component[c].h * frame.component[c].v;
    jobs_[c].resize(std::size_t{kSlots} * static_cast<std::size_t>(mcus_per_slot) *
                    static_cast<std::size_t>(of_component));
    job_count_[c] = 0;
  }
  for (std::size_t i = 0; i < blocks; ++i) {
    const McuBlock& block = tables.blocks()[i];
    const auto c = static_cast<std::size_t>(block.component);
    const auto side = static_cast<std::ptrdiff_t>(sizes[c]);
    places_[i] = {c, block.row * side * static_cast<std::ptrdiff_t>(planes[c].stride) + block.column * side};
  }
}

Slot CoefficientSlots::take(int mcu, int mcus) {
  Slot slot;
  slot.end = free_.back();
  free_.pop_back();
  slot.begin = slot.end - mcus * tables_->blocks_per_mcu();
  slot.mcu = mcu;
  slot.mcus = mcus;
  return slot;
}

bool CoefficientSlots::finish(const Slot& slot) {
  waiting_.push_back(slot);
  if (!add_up(slot)) return false;
  if (waiting_.size() >= kFlushAt) return flush();
  return true;
}

// DC differences to DC values. Well ahead of the transform: it loads whole rows, and a load soon behind a
// narrower store to the same place waits for it.
bool CoefficientSlots::add_up(const Slot& slot) {
  std::array<int, 3> dc = slot.dc;
  int beyond = 0;
  bool sound = true;
  const auto blocks = static_cast<std::size_t>(tables_->blocks_per_mcu());
  BlockRecord* record = slot.begin;
  for (int mcu = 0; mcu < slot.mcus; ++mcu) {
    for (std::size_t i = 0; i < blocks; ++i, ++record) {
      const auto c = static_cast<std::size_t>(tables_->blocks()[i].component);
      dc[c] += record->coefficient[0];
      sound &= dc[c] >= -dc_limit_[c] && dc[c] <= dc_limit_[c];
      record->coefficient[0] = static_cast<std::int16_t>(dc[c]);
      beyond |= record->beyond;
    }
  }
  if (slot.dc_out != nullptr) *slot.dc_out = dc;
  return sound && beyond == 0 && (!slot.expected || *slot.expected == dc);
}

bool CoefficientSlots::flush() {
  for (const Slot& slot : waiting_) queue(slot);
  transform();
  for (const Slot& slot : waiting_) free_.push_back(slot.end);
  waiting_.clear();
  return true;
}

void CoefficientSlots::queue(const Slot& slot) {
  int row = slot.mcu / frame_->mcus_across, column = slot.mcu % frame_->mcus_across;
  BlockRecord* record = slot.begin;
  for (int left = slot.mcus; left > 0; ++row, column = 0) {
    const int in_row = std::min(left, frame_->mcus_across - column);
    const bool is_wanted = row >= wanted_.row_begin && row < wanted_.row_end;
    const int before = is_wanted ? std::clamp(wanted_.column_begin - column, 0, in_row) : in_row;
    const int within = std::clamp(wanted_.column_end - column, before, in_row) - before;
    record = wipe_mcus(record, before);
    record = queue_mcus(record, column + before, row, within);
    record = wipe_mcus(record, in_row - before - within);
    left -= in_row;
  }
}

BlockRecord* CoefficientSlots::wipe_mcus(BlockRecord* record, int mcus) const {
  for (int i = mcus * tables_->blocks_per_mcu(); i > 0; --i) wipe(*record++);
  return record;
}

BlockRecord* CoefficientSlots::queue_mcus(BlockRecord* record, int column, int row, int mcus) {
  std::array<std::uint8_t*, 3> samples{};
  std::array<BlockJob*, 3> job{};
  for (std::size_t c = 0; c < static_cast<std::size_t>(frame_->components); ++c) {
    const FrameComponent& component = frame_->component[c];
    const int side = static_cast<int>(sizes_[c]);
    samples[c] = (*planes_)[c].at(column * component.h * side, row * component.v * side);
    job[c] = jobs_[c].data() + job_count_[c];
    job_count_[c] += static_cast<std::size_t>(mcus * component.h * component.v);
  }
  const std::size_t blocks = static_cast<std::size_t>(tables_->blocks_per_mcu());
  for (int mcu = 0; mcu < mcus; ++mcu) {
    for (std::size_t i = 0; i < blocks; ++i, ++record) {
      const Place& place = places_[i];
      *job[place.component]++ = {record->coefficient, samples[place.component] + place.offset};
    }
    for (std::size_t c = 0; c < static_cast<std::size_t>(frame_->components); ++c)
      samples[c] += mcu_bytes_[c];
  }
  return record;
}

void CoefficientSlots::transform() {
  for (std::size_t c = 0; c < static_cast<std::size_t>(frame_->components); ++c) {
    const auto quant = static_cast<std::size_t>(frame_->component[c].quant);
    inverse_transform(frame_->quant[quant], sizes_[c], jobs_[c].data(), job_count_[c], (*planes_)[c].stride);
    job_count_[c] = 0;
  }
}

void CoefficientSlots::abandon() {
  for (BlockRecord& record : memory_) {
    wipe(record);
    record.beyond = 0;
  }
  waiting_.clear();
  job_count_ = {};
}

}  // namespace stoker::jpeg
