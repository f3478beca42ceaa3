// DecodeCounts as sums and as words.
#include <fmt/format.h>

#include "stoker/loader.hpp"

namespace stoker {

DecodeCounts& DecodeCounts::operator+=(const DecodeCounts& more) {
  own += more.own;
  seek += more.seek;
  turbo += more.turbo;
  other += more.other;
  points_failed += more.points_failed;
  learned += more.learned;
  if (!more.published.empty()) published = more.published;
  if (!more.not_learned.empty()) not_learned = more.not_learned;
  return *this;
}

std::string to_string(const DecodeCounts& counts) {
  const bool is_plain = counts.seek == 0 && counts.points_failed == 0 && counts.published.empty();
  if (is_plain && counts.not_learned.empty()) return "";
  std::string text = fmt::format("images decoded at seek points {}, without {}", counts.seek, counts.own);
  if (counts.turbo > 0) text += fmt::format(", by libjpeg-turbo {}", counts.turbo);
  if (counts.other > 0) text += fmt::format(", no JPEG {}", counts.other);
  if (counts.points_failed > 0)
    text += fmt::format("; seek points that did not fit {}", counts.points_failed);
  if (!counts.published.empty()) text += fmt::format("; learned points are in {}", counts.published);
  if (!counts.not_learned.empty()) text += fmt::format("; no more are learned: {}", counts.not_learned);
  return text;
}

}  // namespace stoker
