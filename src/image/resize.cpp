#include "image/resize.hpp"

#include <algorithm>
#include <cstring>

namespace stoker::image {

namespace {

// Weights of one axis that are held at once; a window that needs more is made in parts.
constexpr std::size_t kMaxWeights = std::size_t{1} << 22;
// Rows, and their bytes, that the vertical pass wants side by side at most; taller windows are summed up row
// by row.
constexpr int kMaxRing = 1024;
constexpr std::size_t kMaxRingBytes = std::size_t{16} << 20;

bool fits(const ResizeAxis& axis, int source_size, int target_size, int begin, int end, Filter filter) {
  return axis.source_size == source_size && axis.target_size == target_size && axis.begin == begin &&
         axis.end == end && axis.filter == filter;
}

std::size_t weights_needed(int source_size, int target_size, int outputs) {
  const std::size_t taps = static_cast<std::size_t>(source_size / target_size) * 4 + 12;  // at most
  return taps * static_cast<std::size_t>(outputs);
}

}  // namespace

bool vertical_pass_first(Size from, Size to) {
  const std::int64_t rows_less = std::int64_t{from.height} - to.height;
  return rows_less > 0 && rows_less > (std::int64_t{from.width} - to.width) * 2;
}

Rect needed_source(Size from, Size to, const Rect& window, Filter filter) {
  const TapRange left = tap_range(from.width, to.width, window.x, filter);
  const TapRange right = tap_range(from.width, to.width, window.x + window.width - 1, filter);
  const TapRange top = tap_range(from.height, to.height, window.y, filter);
  const TapRange bottom = tap_range(from.height, to.height, window.y + window.height - 1, filter);
  return {left.first, top.first, right.first + right.count - left.first,
          bottom.first + bottom.count - top.first};
}

// One call of resize(), its window small enough for the weights to be held at once.
class Resizer::Job {
 public:
  Job(Resizer& resizer, const RgbView& source, const Rect& source_rect, Size from, Size to,
      const Rect& window, const MutableRgbView& out)
      : r_(resizer),
        source_(source),
        source_rect_(source_rect),
        window_(window),
        out_(out),
        row_bytes_(static_cast<std::size_t>(window.width) * 3),
        has_horizontal_(from.width != to.width),
        has_vertical_(from.height != to.height),
        vertical_first_(vertical_pass_first(from, to)) {}

  void run(Size from, Size to, Filter filter) {
    if (has_horizontal_ &&
        !fits(r_.horizontal_, from.width, to.width, window_.x, window_.x + window_.width, filter)) {
      make_axis(from.width, to.width, window_.x, window_.x + window_.width, filter, r_.horizontal_);
    }
    if (has_vertical_ &&
        !fits(r_.vertical_, from.height, to.height, window_.y, window_.y + window_.height, filter)) {
      make_axis(from.height, to.height, window_.y, window_.y + window_.height, filter, r_.vertical_);
    }
    ring_pitch_ = (row_bytes_ + kRowSlack + 63) / 64 * 64;
    first_padded_ = source_.height;
    if (has_horizontal_ && has_vertical_ && vertical_first_) {
      vertical_then_horizontal();
    } else if (!has_vertical_) {
      only_horizontal();
    } else {
      if (has_horizontal_) plan_source_rows();
      horizontal_then_vertical();
    }
  }

 private:
  // The source row `y` of the picture, from the source view's first column on.
  const std::uint8_t* source_row(int y) const {
    const int row = y - source_rect_.y;
    if (row >= first_padded_) {
      return r_.padded_.data() + static_cast<std::size_t>(row - first_padded_) * padded_pitch_;
    }
    return source_.data + static_cast<std::size_t>(row) * source_.stride;
  }

  void make_axis(int source_size, int target_size, int begin, int end, Filter filter, ResizeAxis& axis) {
    if (r_.scalar_) {
      make_resize_axis_scalar(source_size, target_size, begin, end, filter, axis);
    } else {
      make_resize_axis(source_size, target_size, begin, end, filter, axis);
    }
  }

  void plan_source_rows() {
    if (!r_.scalar_) copy_last_rows(plan_horizontal(r_.horizontal_, source_rect_.x, r_.plan_));
  }

  // The SIMD loop reads `reach` bytes from a row's beginning: rows too near the view's end get a copy with
  // slack.
  void copy_last_rows(std::size_t reach) {
    const std::size_t bytes = static_cast<std::size_t>(source_.width) * 3;
    if (reach <= bytes) return;
    const std::size_t end = static_cast<std::size_t>(source_.height - 1) * source_.stride + bytes;
    while (first_padded_ > 0 && static_cast<std::size_t>(first_padded_ - 1) * source_.stride + reach > end) {
      --first_padded_;
    }
    padded_pitch_ = reach;
    r_.padded_.resize(static_cast<std::size_t>(source_.height - first_padded_) * padded_pitch_);
    for (int row = first_padded_; row < source_.height; ++row) {
      std::memcpy(r_.padded_.data() + static_cast<std::size_t>(row - first_padded_) * padded_pitch_,
                  source_.data + static_cast<std::size_t>(row) * source_.stride, bytes);
    }
  }

  // The horizontal pass of `count` rows, count <= kRowsAtOnce, which begin with pixel `source_x`.
  void horizontal_rows(const std::uint8_t* const* rows, int count, int source_x, std::uint8_t* const* outs) {
    if (r_.scalar_) {
      for (int i = 0; i < count; ++i) scalar::horizontal_row(r_.horizontal_, source_x, rows[i], outs[i]);
      return;
    }
    const std::uint8_t* sources[kRowsAtOnce];
    std::uint8_t* targets[kRowsAtOnce];
    for (int i = 0; i < kRowsAtOnce; ++i) {  // where rows are missing the last one is made again
      sources[i] = rows[std::min(i, count - 1)];
      targets[i] = outs[std::min(i, count - 1)];
    }
    horizontal_rows_simd(r_.plan_, sources, targets);
  }

  void vertical_row(const VerticalTaps& taps, std::size_t bytes, std::uint8_t* out) {
    if (r_.scalar_) {
      scalar::vertical_row(taps, bytes, out);
    } else {
      vertical_row_simd(taps, bytes, out);
    }
  }

  std::uint8_t* out_row(int i) const { return out_.data + static_cast<std::size_t>(i) * out_.stride; }

  void only_horizontal() {
    if (!has_horizontal_) {
      const int x = (window_.x - source_rect_.x) * 3;
      for (int i = 0; i < window_.height; ++i)
        std::memcpy(out_row(i), source_row(window_.y + i) + x, row_bytes_);
      return;
    }
    plan_source_rows();
    r_.between_.resize(kRowsAtOnce * ring_pitch_);
    for (int i = 0; i < window_.height; i += kRowsAtOnce) {
      const int count = std::min(kRowsAtOnce, window_.height - i);
      make_between(window_.y + i, count, 0, kRowsAtOnce);
      for (int k = 0; k < count; ++k) {
        std::memcpy(out_row(i + k), r_.between_.data() + static_cast<std::size_t>(k) * ring_pitch_,
                    row_bytes_);
      }
    }
  }

  // Puts source rows [y, y + count) through the horizontal pass into a ring of rows, from `slot` on.
  void make_between(int y, int count, int slot, int ring) {
    const std::uint8_t* rows[kRowsAtOnce];
    std::uint8_t* outs[kRowsAtOnce];
    for (int k = 0; k < count; ++k) {
      rows[k] = source_row(y + k);
      outs[k] = r_.between_.data() + static_cast<std::size_t>((slot + k) % ring) * ring_pitch_;
    }
    horizontal_rows(rows, count, source_rect_.x, outs);
  }

  // The taps of row `i` of the vertical pass, at r_.rows_.
  VerticalTaps taps_of(int i) {
    const int count = r_.vertical_.count[static_cast<std::size_t>(i)];
    r_.row_weights_.resize(static_cast<std::size_t>(r_.vertical_.used_taps));
    for (int tap = 0; tap < count; ++tap) {
      r_.row_weights_[static_cast<std::size_t>(tap)] = r_.vertical_.weight(i, tap);
    }
    return {count, r_.row_weights_.data(), r_.rows_.data()};
  }

  // Both passes (or the vertical alone) row by row: a ring holds the rows that the next output rows still
  // need.
  void horizontal_then_vertical() {
    const ResizeAxis& axis = r_.vertical_;
    const int ring = axis.used_taps + kRowsAtOnce;
    if (!has_horizontal_ || axis.used_taps > kMaxRing ||
        static_cast<std::size_t>(ring) * ring_pitch_ > kMaxRingBytes) {
      const int x = has_horizontal_ ? 0 : (window_.x - source_rect_.x) * 3;
      for (int i = 0; i < axis.size(); ++i) tall_row(i, x, row_bytes_, has_horizontal_, out_row(i));
      return;
    }
    r_.between_.resize(static_cast<std::size_t>(ring) * ring_pitch_);
    r_.rows_.resize(static_cast<std::size_t>(axis.used_taps));
    int made = axis.source_begin;  // rows before this one went through the horizontal pass
    for (int i = 0; i < axis.size(); ++i) {
      const int first = axis.first[static_cast<std::size_t>(i)],
                count = axis.count[static_cast<std::size_t>(i)];
      while (made < first + count) {
        const int batch = std::min(kRowsAtOnce, axis.source_end - made);
        make_between(made, batch, made % ring, ring);
        made += batch;
      }
      for (int tap = 0; tap < count; ++tap) {
        r_.rows_[static_cast<std::size_t>(tap)] =
            r_.between_.data() + static_cast<std::size_t>((first + tap) % ring) * ring_pitch_;
      }
      vertical_row(taps_of(i), row_bytes_, out_row(i));
    }
  }

  // The vertical pass over the columns that the horizontal one needs, a few rows at a time.
  void vertical_then_horizontal() {
    const int left = r_.horizontal_.source_begin;
    const auto bytes = static_cast<std::size_t>(r_.horizontal_.source_end - left) * 3;
    std::size_t pitch = bytes;
    if (!r_.scalar_) pitch = std::max(pitch, plan_horizontal(r_.horizontal_, left, r_.plan_));
    pitch = (pitch + 63) / 64 * 64;
    r_.between_.resize(kRowsAtOnce * (pitch + ring_pitch_));
    std::uint8_t* between[kRowsAtOnce];
    std::uint8_t* outs[kRowsAtOnce];
    for (int k = 0; k < kRowsAtOnce; ++k) {
      between[k] = r_.between_.data() + static_cast<std::size_t>(k) * pitch;
      outs[k] = r_.between_.data() + kRowsAtOnce * pitch + static_cast<std::size_t>(k) * ring_pitch_;
    }
    for (int i = 0; i < window_.height; i += kRowsAtOnce) {
      const int count = std::min(kRowsAtOnce, window_.height - i);
      for (int k = 0; k < count; ++k) tall_row(i + k, (left - source_rect_.x) * 3, bytes, false, between[k]);
      horizontal_rows(between, count, left, outs);
      for (int k = 0; k < count; ++k) std::memcpy(out_row(i + k), outs[k], row_bytes_);
    }
  }

  // Row `i` of the vertical pass over source rows from byte `x` on, or (`between`) over rows of the
  // horizontal pass. Windows so tall that their rows should not all be listed or held are summed up in
  // instalments.
  void tall_row(int i, int x, std::size_t bytes, bool between, std::uint8_t* out) {
    const ResizeAxis& axis = r_.vertical_;
    const int first = axis.first[static_cast<std::size_t>(i)],
              count = axis.count[static_cast<std::size_t>(i)];
    if (!between && count <= kMaxRing) {
      r_.rows_.resize(static_cast<std::size_t>(axis.used_taps));
      for (int tap = 0; tap < count; ++tap)
        r_.rows_[static_cast<std::size_t>(tap)] = source_row(first + tap) + x;
      vertical_row(taps_of(i), bytes, out);
      return;
    }
    if (between) r_.between_.resize(kRowsAtOnce * ring_pitch_);
    r_.sums_.assign(bytes, 0);
    for (int tap = 0; tap < count; tap += kRowsAtOnce) {
      const int batch = std::min(kRowsAtOnce, count - tap);
      if (between) make_between(first + tap, batch, 0, kRowsAtOnce);
      for (int k = 0; k < batch; ++k) {
        const std::uint8_t* row = between ? r_.between_.data() + static_cast<std::size_t>(k) * ring_pitch_
                                          : source_row(first + tap + k) + x;
        scalar::add_row(row, axis.weight(i, tap + k), bytes, r_.sums_.data());
      }
    }
    scalar::finish_row(r_.sums_.data(), bytes, out);
  }

  Resizer& r_;
  const RgbView& source_;
  const Rect& source_rect_;
  const Rect& window_;
  const MutableRgbView& out_;
  std::size_t row_bytes_;
  bool has_horizontal_;
  bool has_vertical_;
  bool vertical_first_;
  std::size_t ring_pitch_ = 0;
  int first_padded_ = 0;
  std::size_t padded_pitch_ = 0;
};

void Resizer::resize(const RgbView& source, const Rect& source_rect, Size from, Size to, const Rect& window,
                     Filter filter, const MutableRgbView& out) {
  const bool wide = weights_needed(from.width, to.width, window.width) > kMaxWeights && window.width > 1;
  const bool tall = weights_needed(from.height, to.height, window.height) > kMaxWeights && window.height > 1;
  if (!wide && !tall) {
    Job(*this, source, source_rect, from, to, window, out).run(from, to, filter);
    return;
  }
  Rect first = window, second = window;
  MutableRgbView first_out = out, second_out = out;
  if (wide) {
    first.width = window.width / 2;
    second.x += first.width;
    second.width -= first.width;
    second_out.data += static_cast<std::size_t>(first.width) * 3;
  } else {
    first.height = window.height / 2;
    second.y += first.height;
    second.height -= first.height;
    second_out.data += static_cast<std::size_t>(first.height) * out.stride;
  }
  first_out.width = first.width;
  first_out.height = first.height;
  second_out.width = second.width;
  second_out.height = second.height;
  resize(source, source_rect, from, to, first, filter, first_out);
  resize(source, source_rect, from, to, second, filter, second_out);
}

}  // namespace stoker::image
