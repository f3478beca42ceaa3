#include "record/text_index.hpp"

#include <algorithm>
#include <charconv>

#include "stoker/error.hpp"

#include "record/line_reader.hpp"
#include "record/recordio_container.hpp"
#include "record/recordio_format.hpp"

namespace stoker::record {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

TextIndexLine parse_line(std::string_view line) {
  while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
  std::size_t begin = line.size();
  while (begin > 0 && !is_blank(line[begin - 1])) --begin;
  TextIndexLine parsed;
  const std::string_view digits = line.substr(begin);
  std::uint64_t offset = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), offset);
  // A line of one number holds no key: it is cut, or no index.
  if (error == std::errc{} && end == digits.data() + digits.size() && begin > 0) parsed.offset = offset;
  parsed.key = line.substr(0, begin > 0 ? begin - 1 : 0);
  return parsed;
}

// Whether records stand where the index says, on a sample of it; looking at all would cost a read each.
bool stands_on_records(const std::vector<std::uint64_t>& offsets, const ReadableFile& container) {
  constexpr std::size_t kTried = 16;
  const std::size_t count = offsets.size();
  for (std::size_t i = 0; i < std::min(kTried, count); ++i) {
    const std::size_t index = count <= kTried ? i : i * (count - 1) / (kTried - 1);
    std::byte header[kPartHeader];
    const std::size_t got = container.read_at(offsets[index], header);
    if (!begins_record(std::span(header).first(got))) return false;
  }
  return true;
}

// Whether the last record listed is the container's last. A damaged one is a matter for its reader.
bool reaches_end(std::uint64_t last, const ReadableFile& container) {
  WindowReader window(container);
  const Walked walked = RecordIOContainer().walk_record(window, last, container.bytes());
  return walked.damage || walked.end == container.bytes();
}

}  // namespace

std::string text_index_path(const std::string& container) {
  const std::string_view stem =
      std::string_view(container).substr(0, container.size() - (container.ends_with(".rec") ? 4 : 0));
  return std::string(stem) + ".idx";
}

void read_text_index(const ReadableFile& index, const std::function<bool(const TextIndexLine&)>& visit) {
  LineReader lines(index);
  while (const auto line = lines.next()) {
    if (std::all_of(line->begin(), line->end(), is_blank)) continue;
    TextIndexLine parsed = parse_line(*line);
    parsed.number = lines.number();
    if (!visit(parsed)) return;
  }
}

std::optional<std::vector<std::uint64_t>> offsets_of_text_index(const ReadableFile& index,
                                                                const ReadableFile& container) {
  std::vector<std::uint64_t> offsets;
  bool fits = true;
  const std::uint64_t end = container.bytes();
  const std::uint64_t most_records = end / kPartHeader;
  try {
    read_text_index(index, [&](const TextIndexLine& line) {
      fits = line.offset && *line.offset % 4 == 0 && *line.offset < end &&
             end - *line.offset >= kPartHeader && offsets.size() < most_records;
      if (fits) offsets.push_back(*line.offset);
      return fits;
    });
  } catch (const Error& error) {
    if (error.code() != ErrorCode::corrupt_data) throw;
    return std::nullopt;
  }
  if (!fits || offsets.empty() != (end == 0)) return std::nullopt;
  if (!std::is_sorted(offsets.begin(), offsets.end())) std::sort(offsets.begin(), offsets.end());
  if (std::adjacent_find(offsets.begin(), offsets.end()) != offsets.end()) return std::nullopt;
  if (!offsets.empty() && (offsets.front() != 0 || !stands_on_records(offsets, container) ||
                           !reaches_end(offsets.back(), container)))
    return std::nullopt;
  offsets.push_back(end);
  return offsets;
}

}  // namespace stoker::record
