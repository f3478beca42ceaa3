// A ring of coefficient memory small enough for the caches: segments go in, samples come out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "jpeg/baseline_frame.hpp"
#include "jpeg/decode_table.hpp"
#include "jpeg/idct.hpp"
#include "jpeg/plane.hpp"
#include "jpeg/scan_tables.hpp"

namespace stoker::jpeg {

// MCUs [column_begin, column_end) of the rows [row_begin, row_end): what becomes samples.
struct McuRect {
  int column_begin = 0, column_end = 0, row_begin = 0, row_end = 0;
};

// One run of MCUs whose coefficients are in the making, or wait for their transform.
struct Slot {
  BlockRecord* begin = nullptr;  // the first block
  BlockRecord* end = nullptr;    // the terminal record
  int mcu = 0, mcus = 0;
  std::array<int, 3> dc{};                     // predictors in front of it
  std::optional<std::array<int, 3>> expected;  // behind it, if known
  std::array<int, 3>* dc_out = nullptr;        // gets the predictors behind it, if wanted
};

// Owns: the coefficients, all zero between pictures. Threads: one at a time.
class CoefficientSlots {
 public:
  static constexpr int kSlots = 16, kFlushAt = 8;

  // Ready for a picture: slots of up to `mcus_per_slot` MCUs. `planes` get the samples of the MCUs in
  // `wanted`, of side `sizes` a block. All must outlive the picture.
  void prepare(const BaselineFrame& frame, const ScanTables& tables, int mcus_per_slot, const McuRect& wanted,
               const std::array<Plane, 3>& planes, const std::array<BlockSize, 3>& sizes);

  int mcus_per_slot() const { return mcus_per_slot_; }
  // An empty slot for `mcus` MCUs from `mcu` on. At most kSlots - kFlushAt may be in the making at once.
  Slot take(int mcu, int mcus);
  // The slot's blocks are decoded; false: they, or those of a slot before, show damage.
  bool finish(const Slot& slot);
  // Transforms what waits; false: damage.
  bool flush();
  // Throws away what waits or is in the making, after damage.
  void abandon();

 private:
  bool add_up(const Slot& slot);
  void queue(const Slot& slot);
  BlockRecord* wipe_mcus(BlockRecord* record, int mcus) const;
  BlockRecord* queue_mcus(BlockRecord* record, int column, int row, int mcus);
  void transform();

  // Where a block of an MCU goes: its component, and from the MCU's first sample of it on, in bytes.
  struct Place {
    std::size_t component = 0;
    std::ptrdiff_t offset = 0;
  };

  std::vector<BlockRecord> memory_;
  std::size_t records_per_slot_ = 0;
  int mcus_per_slot_ = 0;
  std::vector<BlockRecord*> free_;  // the last record of each free slot
  std::vector<Slot> waiting_;
  std::array<std::vector<BlockJob>, 3> jobs_;
  std::array<std::size_t, 3> job_count_{};
  std::array<Place, ScanTables::kMaxBlocks> places_;
  std::array<std::ptrdiff_t, 3> mcu_bytes_{};  // from one MCU's samples to the next one's
  std::array<int, 3> dc_limit_{};
  const BaselineFrame* frame_ = nullptr;
  const ScanTables* tables_ = nullptr;
  const std::array<Plane, 3>* planes_ = nullptr;
  std::array<BlockSize, 3> sizes_{};
  McuRect wanted_;
};

}  // namespace stoker::jpeg
