#include "jpeg/baseline_decoder.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/pixel_buffer.hpp"
#include "jpeg/coefficient_slots.hpp"
#include "jpeg/entropy.hpp"
#include "jpeg/scan_tables.hpp"
#include "jpeg/unstuff.hpp"

namespace stoker::jpeg {

namespace {

using Verdict = std::optional<NotMine>;
using Dc = std::array<int, 3>;

constexpr int kLanes = 4;
// MCUs of a slot where nothing else tells, and the longest segment that lanes take: coefficients of sixteen
// slots are to stay in the second cache.
constexpr int kStreamMcus = 8, kMaxLaneMcus = kLargestUsedInterval;
// A load reads so far ahead that libjpeg, which loads as eagerly, would have met the end of a cut-off file.
constexpr std::ptrdiff_t kEagerBits = 64;
constexpr std::size_t kPlaneAlignment = 64;

const std::uint8_t* u8(std::span<const std::byte> bytes) {
  return reinterpret_cast<const std::uint8_t*>(bytes.data());
}

// Entropy-coded data between two places where a decoder may enter.
struct Segment {
  int mcu = 0, mcus = 0;
  const std::uint8_t* first = nullptr;  // unstuffed
  const std::uint8_t* last = nullptr;   // behind its data
  int bit = 0;
  int spare_bits = -1;   // of the last byte, behind the segment; -1: any number below 8
  bool is_whole = true;  // else only its first `mcus` are wanted, and more data follows them
  Dc dc{};
  std::optional<Dc> expected;

  bool ends_with(std::ptrdiff_t bits_left) const {
    if (!is_whole) return bits_left > spare_bits;
    return spare_bits < 0 ? bits_left >= 0 && bits_left < 8 : bits_left == spare_bits;
  }
};

// A stretch that one stream decodes.
struct Run {
  int mcu = 0, end = 0;
  Dc dc{};
};

}  // namespace

class BaselineDecoder::Impl {
 public:
  Verdict open(std::span<const std::byte> bytes);
  const BaselineFrame& frame() const { return frame_; }
  Result<Verdict> decode(const RegionRequest& request);
  const std::array<Plane, 3>& planes() const { return planes_; }
  Verdict find_seek_points(int interval, SeekPoints& points);
  bool has_own_entrances() const { return frame_.restart_interval > 0; }

 private:
  Result<void> reserve_planes(const std::array<BlockSize, 3>& sizes);
  Result<void> reserve_raw(std::size_t bytes);
  McuRect mcus_of(const Rect& region) const;
  int last_wanted() const { return (wanted_.row_end - 1) * frame_.mcus_across + wanted_.column_end - 1; }

  Result<Verdict> decode_by_points(const SeekPoints& points, SeekPoints* learned, bool to_end);
  Result<Verdict> decode_from(const SeekPoint& start, int mcu, SeekPoints* learned, bool to_end);
  Result<Verdict> decode_by_markers();

  bool is_entrance(const SeekPoint& point) const;  // of a byte in the file
  bool add_segment(const SeekPoints& points, std::size_t index, std::uint8_t*& raw);
  bool run_segments();
  bool run_stream(BitStream& stream, const Run& run, SeekPoints* learned);
  bool decode_mcus(BitStream& stream, int mcu, int mcus, Dc& dc);
  // MCUs from `mcu` on up to the next wanted one, or (0) that it is wanted itself.
  int unwanted_from(int mcu) const;
  // How many of `mcus` MCUs from `mcu` on reach to the last wanted one among them.
  int wanted_within(int mcu, int mcus) const;
  bool note_point(const BitStream& stream, const Dc& dc, SeekPoints& points);
  bool scan_ends_well(const BitStream& stream, bool whole) const;
  bool unstuff_scan(std::size_t from, bool keep_dropped);

  std::span<const std::byte> bytes_;
  BaselineFrame frame_;
  ScanTables tables_;
  CoefficientSlots slots_;
  McuRect wanted_;
  std::array<Plane, 3> planes_;
  std::array<PixelBuffer, 3> plane_memory_;
  PixelBuffer raw_memory_;
  std::uint8_t* raw_ = nullptr;  // unstuffed bytes
  std::vector<Segment> segments_;
  std::vector<Slot> lane_slots_;  // of the segments in the making
  // Of unstuff_scan():
  std::size_t scan_from_ = 0;                // file offset of raw_
  const std::uint8_t* scan_stop_ = nullptr;  // where it stopped in the file
  const std::uint8_t* raw_end_ = nullptr;
  std::vector<std::uint32_t> dropped_;
  std::size_t dropped_passed_ = 0;
};

Verdict BaselineDecoder::Impl::open(std::span<const std::byte> bytes) {
  bytes_ = bytes;
  if (auto reason = read_baseline_frame(bytes, frame_)) return reason;
  if (!tables_.make(frame_)) return NotMine::tables;
  return std::nullopt;
}

McuRect BaselineDecoder::Impl::mcus_of(const Rect& region) const {
  return {region.x / frame_.mcu_width(), (region.x + region.width - 1) / frame_.mcu_width() + 1,
          region.y / frame_.mcu_height(), (region.y + region.height - 1) / frame_.mcu_height() + 1};
}

Result<void> BaselineDecoder::Impl::reserve_planes(const std::array<BlockSize, 3>& sizes) {
  for (std::size_t c = 0; c < static_cast<std::size_t>(frame_.components); ++c) {
    const FrameComponent& component = frame_.component[c];
    const int side = static_cast<int>(sizes[c]);
    Plane& plane = planes_[c];
    plane.x = wanted_.column_begin * component.h * side;
    plane.y = wanted_.row_begin * component.v * side;
    plane.width = (wanted_.column_end - wanted_.column_begin) * component.h * side;
    plane.height = (wanted_.row_end - wanted_.row_begin) * component.v * side;
    const std::size_t row = static_cast<std::size_t>(plane.width) + kPlaneSlack;
    plane.stride = (row + kPlaneAlignment - 1) / kPlaneAlignment * kPlaneAlignment;
    const std::size_t rows = static_cast<std::size_t>(plane.height) + 2;
    const auto memory = plane_memory_[c].reserve(rows * plane.stride + 3 * kPlaneAlignment);
    if (!memory) return tl::unexpected(memory.error());
    const auto address = reinterpret_cast<std::uintptr_t>(*memory);
    const std::uintptr_t aligned = (address + kPlaneAlignment) / kPlaneAlignment * kPlaneAlignment;
    plane.data = *memory + (aligned - address) + plane.stride;
  }
  return {};
}

Result<void> BaselineDecoder::Impl::reserve_raw(std::size_t bytes) {
  const auto memory = raw_memory_.reserve(bytes + kEntropySlack + kUnstuffSlack);
  if (!memory) return tl::unexpected(memory.error());
  raw_ = *memory;
  return {};
}

Result<Verdict> BaselineDecoder::Impl::decode(const RegionRequest& request) {
  wanted_ = mcus_of(request.region);
  if (auto reserved = reserve_planes(request.sizes); !reserved) return tl::unexpected(reserved.error());
  const bool by_markers = has_own_entrances();
  const SeekPoints* points = request.points;
  if (points != nullptr && (by_markers || points->empty())) points = nullptr;
  if (points != nullptr && (points->interval < 1 || points->interval > kMaxLaneMcus)) {
    return Verdict(NotMine::entropy);
  }
  int mcus_per_slot = kStreamMcus;
  if (points != nullptr) mcus_per_slot = points->interval;
  if (by_markers && frame_.restart_interval <= kMaxLaneMcus) mcus_per_slot = frame_.restart_interval;
  slots_.prepare(frame_, tables_, mcus_per_slot, wanted_, planes_, request.sizes);
  Result<Verdict> verdict;
  if (by_markers) {
    verdict = decode_by_markers();
  } else {
    if (request.learned != nullptr) {
      if (points != nullptr) {
        *request.learned = *points;
      } else {
        request.learned->clear();
        request.learned->interval = default_interval(frame_.blocks_per_mcu, frame_.mcus_across);
      }
    }
    verdict = points != nullptr ? decode_by_points(*points, request.learned, request.learn_to_end)
                                : decode_from({static_cast<std::uint32_t>(frame_.scan_begin), 0, {}}, 0,
                                              request.learned, request.learn_to_end);
  }
  if (!verdict || *verdict) slots_.abandon();
  return verdict;
}

// A stuffed zero is no data. Entered there, it would be taken for eight bits.
bool BaselineDecoder::Impl::is_entrance(const SeekPoint& point) const {
  const std::uint8_t* at = u8(bytes_) + point.byte;
  if (point.byte < frame_.scan_begin || point.bit > 7) return false;
  return point.byte == frame_.scan_begin || at[0] != 0 || at[-1] != 0xff;
}

// Appends segment `index` of the points, its bytes unstuffed to `raw`; false: it cannot be one.
bool BaselineDecoder::Impl::add_segment(const SeekPoints& points, std::size_t index, std::uint8_t*& raw) {
  const SeekPoint& point = points.points[index];
  const SeekPoint& next = points.points[index + 1];
  const std::size_t end = std::size_t{next.byte} + (next.bit != 0 ? 1 : 0);
  if (end > bytes_.size() || point.byte >= end || next.bit > 7 || !is_entrance(point)) return false;
  Segment segment;
  segment.mcu = static_cast<int>(index) * points.interval;
  const int all = std::min(points.interval, frame_.mcus() - segment.mcu);
  segment.mcus = wanted_within(segment.mcu, all);
  segment.is_whole = segment.mcus == all;
  segment.first = raw;
  segment.bit = point.bit;
  segment.spare_bits = next.bit != 0 ? 8 - next.bit : 0;
  for (std::size_t c = 0; c < 3; ++c) segment.dc[c] = point.dc[c];
  if (segment.is_whole) segment.expected = Dc{next.dc[0], next.dc[1], next.dc[2]};
  const Unstuffed done = unstuff(u8(bytes_) + point.byte, u8(bytes_) + end, raw);
  if (done.source != u8(bytes_) + end) return false;
  segment.last = raw = done.target;
  segments_.push_back(segment);
  return true;
}

Result<Verdict> BaselineDecoder::Impl::decode_by_points(const SeekPoints& points, SeekPoints* learned,
                                                        bool to_end) {
  // The bytes of each segment begin and end within a byte of their own, hence a little more than the file.
  const std::size_t known = points.points.size() - 1;
  const std::size_t all =
      (static_cast<std::size_t>(frame_.mcus()) + static_cast<std::size_t>(points.interval) - 1) /
      static_cast<std::size_t>(points.interval);
  if (known > all || (points.complete && known != all)) return Verdict(NotMine::entropy);
  if (auto reserved = reserve_raw(bytes_.size() + 2 * known); !reserved)
    return tl::unexpected(reserved.error());
  segments_.clear();
  std::uint8_t* raw = raw_;
  const auto per_segment = static_cast<std::size_t>(points.interval);
  std::size_t next = 0, last_end = 0;
  for (int row = wanted_.row_begin; row < wanted_.row_end; ++row) {
    const int row_begin = row * frame_.mcus_across;
    const auto begin = static_cast<std::size_t>(row_begin + wanted_.column_begin);
    const auto end = static_cast<std::size_t>(row_begin + wanted_.column_end);
    next = std::max(next, begin / per_segment);
    for (; next < known && next * per_segment < end; ++next) {
      // Bytes must not be taken twice: the points would claim more than the file holds.
      if (points.points[next].byte + std::size_t{1} < last_end) return Verdict(NotMine::entropy);
      if (!add_segment(points, next, raw)) return Verdict(NotMine::entropy);
      last_end = points.points[next + 1].byte;
    }
  }
  std::memset(raw, 0, kEntropySlack);
  if (!run_segments()) return Verdict(NotMine::entropy);
  const bool covered = static_cast<std::size_t>(last_wanted()) < known * per_segment;
  if (known == all || (covered && !to_end)) {
    if (learned != nullptr) learned->complete = known == all;
    return slots_.flush() ? Verdict() : Verdict(NotMine::entropy);
  }
  return decode_from(points.points[known], static_cast<int>(known * per_segment), learned, to_end);
}

// The lanes go on while finished segments are transformed; only the last ones of a picture run with fewer.
bool BaselineDecoder::Impl::run_segments() {
  std::array<Lane, kLanes> lanes;
  std::array<std::size_t, kLanes> of{};  // which segment each lane has
  lane_slots_.resize(kLanes);
  std::size_t next = 0;
  int active = 0;
  const auto start = [&](std::size_t lane) {
    const Segment& segment = segments_[next];
    Slot slot = slots_.take(segment.mcu, segment.mcus);
    slot.dc = segment.dc;
    slot.expected = segment.expected;
    lanes[lane].start(segment.first, segment.bit, segment.last, tables_.blocks()[0].dc, slot.begin, slot.end);
    lane_slots_[lane] = slot;
    of[lane] = next++;
  };
  while (active < kLanes && next < segments_.size()) start(static_cast<std::size_t>(active++));
  while (active > 0) {
    run_lanes(lanes.data(), active);
    int kept = 0;
    for (int i = 0; i < active; ++i) {
      const auto lane = static_cast<std::size_t>(i), to = static_cast<std::size_t>(kept);
      if (lanes[lane].is_done()) {
        const Segment& segment = segments_[of[lane]];
        if (!segment.ends_with(lanes[lane].bits_left()) || !slots_.finish(lane_slots_[lane])) return false;
        if (next == segments_.size()) continue;
        start(lane);
      }
      if (to != lane) {
        lanes[to] = lanes[lane];
        lane_slots_[to] = lane_slots_[lane];
        of[to] = of[lane];
      }
      ++kept;
    }
    active = kept;
  }
  return true;
}

bool BaselineDecoder::Impl::unstuff_scan(std::size_t from, bool keep_dropped) {
  dropped_.clear();
  dropped_passed_ = 0;
  scan_from_ = from;
  const Unstuffed done =
      unstuff(u8(bytes_) + from, u8(bytes_) + bytes_.size(), raw_, keep_dropped ? &dropped_ : nullptr, raw_);
  scan_stop_ = done.source;
  raw_end_ = done.target;
  std::memset(done.target, 0, kEntropySlack);
  return done.target != raw_;
}

Result<Verdict> BaselineDecoder::Impl::decode_from(const SeekPoint& start, int mcu, SeekPoints* learned,
                                                   bool to_end) {
  if (start.byte >= bytes_.size() || !is_entrance(start)) return Verdict(NotMine::entropy);
  if (auto reserved = reserve_raw(bytes_.size()); !reserved) return tl::unexpected(reserved.error());
  if (!unstuff_scan(start.byte, learned != nullptr)) return Verdict(NotMine::entropy);
  BitStream stream;
  stream.start(raw_, start.bit, raw_end_);
  // To the end of the last row, as libjpeg decodes: its damage is to be heard of.
  Run run{mcu,
          to_end ? frame_.mcus() : wanted_.row_end * frame_.mcus_across,
          {start.dc[0], start.dc[1], start.dc[2]}};
  if (!run_stream(stream, run, learned)) return Verdict(NotMine::entropy);
  if (!slots_.flush() || !scan_ends_well(stream, run.end == frame_.mcus())) return Verdict(NotMine::entropy);
  return Verdict();
}

// Whether libjpeg would have had nothing to complain about by now.
bool BaselineDecoder::Impl::scan_ends_well(const BitStream& stream, bool whole) const {
  const std::ptrdiff_t left = stream.bits_left();
  const auto behind = bytes_.size() - static_cast<std::size_t>(scan_stop_ - u8(bytes_));
  if (!whole) return behind >= 2 ? left >= 0 : left >= kEagerBits;
  constexpr std::uint8_t kEoi = 0xd9;
  return left >= 0 && left < 8 && behind >= 2 && scan_stop_[1] == kEoi;
}

int BaselineDecoder::Impl::unwanted_from(int mcu) const {
  const int row = mcu / frame_.mcus_across, column = mcu % frame_.mcus_across;
  const int first = wanted_.row_begin * frame_.mcus_across + wanted_.column_begin;
  if (mcu < first) return first - mcu;
  if (row >= wanted_.row_end) return frame_.mcus() - mcu;
  if (column < wanted_.column_begin) return wanted_.column_begin - column;
  if (column < wanted_.column_end) return 0;
  if (row + 1 == wanted_.row_end) return frame_.mcus() - mcu;
  return frame_.mcus_across - column + wanted_.column_begin;
}

int BaselineDecoder::Impl::wanted_within(int mcu, int mcus) const {
  int last = mcu + mcus - 1;
  while (last > mcu && unwanted_from(last) > 0) --last;
  return last - mcu + 1;
}

bool BaselineDecoder::Impl::run_stream(BitStream& stream, const Run& run, SeekPoints* learned) {
  Dc dc = run.dc;
  // The first point of a continued list is there already.
  bool has_point = learned != nullptr && !learned->points.empty();
  int mcu = run.mcu;
  while (mcu < run.end) {
    int most = run.end - mcu;
    if (learned != nullptr) {
      const int into = mcu % learned->interval;
      if (into == 0 && !has_point && !note_point(stream, dc, *learned)) return false;
      has_point = false;
      most = std::min(most, learned->interval - into);
    }
    const int unwanted = std::min(unwanted_from(mcu), most);
    if (unwanted > 0) {
      const auto& blocks = tables_.skip_blocks();
      if (!skip_mcus(stream, blocks.data(), tables_.blocks_per_mcu(), unwanted, dc)) return false;
      mcu += unwanted;
      continue;
    }
    const int column = mcu % frame_.mcus_across;
    const int mcus = std::min({most, slots_.mcus_per_slot(), wanted_.column_end - column});
    if (!decode_mcus(stream, mcu, mcus, dc)) return false;
    mcu += mcus;
  }
  if (learned != nullptr && (run.end % learned->interval == 0 || run.end == frame_.mcus())) {
    if (!note_point(stream, dc, *learned)) return false;
    learned->complete = run.end == frame_.mcus();
  }
  return stream.bits_left() >= 0;
}

bool BaselineDecoder::Impl::decode_mcus(BitStream& stream, int mcu, int mcus, Dc& dc) {
  Slot slot = slots_.take(mcu, mcus);
  slot.dc = dc;
  slot.dc_out = &dc;
  return decode_blocks(stream, tables_.blocks()[0].dc, slot.begin, slot.end) && slots_.finish(slot);
}

bool BaselineDecoder::Impl::note_point(const BitStream& stream, const Dc& dc, SeekPoints& points) {
  const std::ptrdiff_t position = stream.position(raw_);
  const auto raw_byte = static_cast<std::size_t>(position / 8);
  while (dropped_passed_ < dropped_.size() && dropped_[dropped_passed_] <= raw_byte) ++dropped_passed_;
  const std::size_t byte = scan_from_ + raw_byte + dropped_passed_;
  SeekPoint point{static_cast<std::uint32_t>(byte), static_cast<std::uint8_t>(position % 8), {}};
  for (std::size_t c = 0; c < 3; ++c) {
    if (dc[c] != static_cast<std::int16_t>(dc[c])) return false;
    point.dc[c] = static_cast<std::int16_t>(dc[c]);
  }
  points.points.push_back(point);
  return true;
}

// Restart markers: each interval begins at a byte of its own, with predictors of zero.
Result<Verdict> BaselineDecoder::Impl::decode_by_markers() {
  if (auto reserved = reserve_raw(bytes_.size()); !reserved) return tl::unexpected(reserved.error());
  const bool in_lanes = frame_.restart_interval <= kMaxLaneMcus;
  const std::uint8_t* const file_end = u8(bytes_) + bytes_.size();
  const std::uint8_t* from = u8(bytes_) + frame_.scan_begin;
  std::uint8_t* raw = raw_;
  segments_.clear();
  const int last = last_wanted();
  for (int mcu = 0, number = 0; mcu <= last; mcu += frame_.restart_interval, ++number) {
    const int mcus = std::min(frame_.restart_interval, frame_.mcus() - mcu);
    const Unstuffed done = unstuff(from, file_end, raw);
    const bool is_last = mcu + mcus == frame_.mcus();
    const int expected = is_last ? 0xd9 : 0xd0 + number % 8;
    if (file_end - done.source < 2 || done.source[1] != expected) return Verdict(NotMine::entropy);
    from = done.source + 2;
    if (unwanted_from(mcu) >= mcus) continue;
    segments_.push_back({.mcu = mcu, .mcus = mcus, .first = raw, .last = done.target});
    raw = done.target;
  }
  std::memset(raw, 0, kEntropySlack);
  if (in_lanes) {
    if (!run_segments()) return Verdict(NotMine::entropy);
  } else {
    for (const Segment& segment : segments_) {
      BitStream stream;
      stream.start(segment.first, 0, segment.last);
      if (!run_stream(stream, {segment.mcu, segment.mcu + segment.mcus, {}}, nullptr)) {
        return Verdict(NotMine::entropy);
      }
      if (stream.bits_left() < 0 || stream.bits_left() > 7) return Verdict(NotMine::entropy);
    }
  }
  return slots_.flush() ? Verdict() : Verdict(NotMine::entropy);
}

Verdict BaselineDecoder::Impl::find_seek_points(int interval, SeekPoints& points) {
  points.clear();
  points.interval = interval > 0 ? interval : default_interval(frame_.blocks_per_mcu, frame_.mcus_across);
  if (!reserve_raw(bytes_.size()) || !unstuff_scan(frame_.scan_begin, true)) return NotMine::entropy;
  wanted_ = {};
  BitStream stream;
  stream.start(raw_, 0, raw_end_);
  if (!run_stream(stream, {0, frame_.mcus(), {}}, &points) || !scan_ends_well(stream, true)) {
    points.clear();
    return NotMine::entropy;
  }
  return std::nullopt;
}

BaselineDecoder::BaselineDecoder() : impl_(std::make_unique<Impl>()) {}
BaselineDecoder::~BaselineDecoder() = default;
BaselineDecoder::BaselineDecoder(BaselineDecoder&&) noexcept = default;
BaselineDecoder& BaselineDecoder::operator=(BaselineDecoder&&) noexcept = default;

std::optional<NotMine> BaselineDecoder::open(std::span<const std::byte> bytes) { return impl_->open(bytes); }
const BaselineFrame& BaselineDecoder::frame() const { return impl_->frame(); }
Result<std::optional<NotMine>> BaselineDecoder::decode(const RegionRequest& request) {
  return impl_->decode(request);
}
const std::array<Plane, 3>& BaselineDecoder::planes() const { return impl_->planes(); }
std::optional<NotMine> BaselineDecoder::find_seek_points(int interval, SeekPoints& points) {
  return impl_->find_seek_points(interval, points);
}
bool BaselineDecoder::has_own_entrances() const { return impl_->has_own_entrances(); }

}  // namespace stoker::jpeg
