#include "record/tfrecord_index.hpp"

#include <array>
#include <charconv>
#include <fmt/format.h>

#include "stoker/error.hpp"

#include "base/words.hpp"
#include "record/line_reader.hpp"
#include "record/open_if_there.hpp"
#include "record/shard_name.hpp"
#include "record/tfrecord_format.hpp"

namespace stoker::record {

namespace {

bool parse_number(std::string_view text, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

TextIndexLine parse_line(std::string_view text, std::uint64_t number) {
  TextIndexLine parsed{.number = number};
  const std::size_t blank = text.find_first_of(" \t");
  std::uint64_t offset = 0, bytes = 0;
  if (blank == std::string_view::npos || !parse_number(text.substr(0, blank), offset) ||
      !parse_number(trimmed(text.substr(blank)), bytes))
    return parsed;
  parsed.offset = offset;
  parsed.bytes = bytes;
  return parsed;
}

// Whether records of the lengths told stand where the index says, on a sample of it: a look at all would cost
// a read each.
bool stands_on_records(const std::vector<std::uint64_t>& offsets, const ReadableFile& container) {
  constexpr std::size_t kTried = 16;
  const std::size_t count = offsets.size() - 1;
  for (std::size_t i = 0; i < std::min(kTried, count); ++i) {
    const std::size_t index = count <= kTried ? i : i * (count - 1) / (kTried - 1);
    std::array<std::byte, kTFRecordHead> head;
    const std::size_t got = container.read_at(offsets[index], head);
    const auto length = length_of_head(std::span(head).first(got));
    if (length != offsets[index + 1] - offsets[index] - kTFRecordFraming) return false;
  }
  return true;
}

std::optional<std::vector<std::uint64_t>> offsets_of(const ReadableFile& index,
                                                     const ReadableFile& container) {
  std::vector<std::uint64_t> offsets;
  std::uint64_t end = 0;
  bool fits = true;
  try {
    read_tfrecord_index(index, [&](const TextIndexLine& line) {
      fits = line.offset == end && line.bytes >= kTFRecordFraming && line.bytes <= container.bytes() - end;
      if (!fits) return false;
      offsets.push_back(end);
      end += *line.bytes;
      return true;
    });
  } catch (const Error& error) {
    if (error.code() != ErrorCode::corrupt_data) throw;
    return std::nullopt;
  }
  if (!fits || end != container.bytes()) return std::nullopt;
  offsets.push_back(end);
  if (!stands_on_records(offsets, container)) return std::nullopt;
  return offsets;
}

}  // namespace

std::string tfrecord_index_path(const std::string& container) { return container + ".idx"; }

std::string tfrecord_index_line(std::uint64_t offset, std::uint64_t bytes) {
  return fmt::format("{} {}\n", offset, bytes);
}

void read_tfrecord_index(const ReadableFile& index, const std::function<bool(const TextIndexLine&)>& visit) {
  LineReader lines(index);
  while (const auto line = lines.next()) {
    const std::string_view text = trimmed(*line);
    if (!text.empty() && !visit(parse_line(text, lines.number()))) return;
  }
}

std::optional<std::vector<std::uint64_t>> offsets_of_tfrecord_index(Store& store,
                                                                    const ReadableFile& container) {
  // train.idx beside train.tfrecord: as people call what `tfrecord2idx FILE INDEX` writes.
  for (const std::string& path :
       {tfrecord_index_path(container.path()), std::string(without_ending(container.path())) + ".idx"}) {
    const auto index = open_if_there(store, path);
    if (!index) continue;
    if (auto offsets = offsets_of(*index, container)) return offsets;
  }
  return std::nullopt;
}

}  // namespace stoker::record
