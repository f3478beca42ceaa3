#include "record/recordio_scanner.hpp"

#include <fmt/format.h>

#include "base/endian.hpp"
#include "record/recordio_format.hpp"

namespace stoker::record {

namespace {
constexpr std::uint64_t kReadAheadBytes = 8u << 20;
}

RecordIOScanner::RecordIOScanner(std::unique_ptr<ReadableFile> file)
    : file_(std::move(file)), window_(*file_) {}

RecordScanner::Step RecordIOScanner::next(Sample& sample, RecordInfo& info, BadRecord& bad) {
  if (offset_ >= file_->bytes()) return Step::end;
  if (offset_ + kReadAheadBytes / 2 > prefetched_) {
    file_->prefetch(offset_, kReadAheadBytes);
    prefetched_ = offset_ + kReadAheadBytes;
  }
  const std::uint64_t begin = offset_;
  Walked walked = walk_record(window_, begin, file_->bytes());
  if (walked.damage) return report(std::move(*walked.damage), walked.resume, bad);
  if (auto damage = swallowed_record(begin, walked.end)) return report(std::move(*damage), begin + 4, bad);
  const std::span<std::byte> room = room_in(sample, walked.end - begin);
  const std::size_t got = file_->read_at(begin, room);
  Unframed record = unframe(room.first(got), begin);
  if (record.damage) return report({begin, std::move(*record.damage)}, begin + 4, bad);
  describe_record(record.data, ordinal_++, sample);
  info = {file_->path(), begin, walked.end - begin};
  offset_ = walked.end;
  return Step::record;
}

// A record whose end is no record's beginning, and inside which another begins, has a wrong length: data
// never holds the magic where a record could begin. (Without the first condition this would accuse files of
// writers that do not escape it.)
std::optional<Damage> RecordIOScanner::swallowed_record(std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t left = file_->bytes() - end;
  if (left == 0) return std::nullopt;
  const auto next = window_.at(end, std::min<std::uint64_t>(kPartHeader, left));
  if (next.size() >= 4 && load_le<std::uint32_t>(next.data()) == kMagic) return std::nullopt;
  const auto inside = find_record(window_, begin + 4, end);
  if (!inside) return std::nullopt;
  return Damage{
      begin, fmt::format("its length leads to offset {}, where no record begins, past one that begins at {}",
                         end, *inside)};
}

RecordScanner::Step RecordIOScanner::report(Damage damage, std::uint64_t resume_from, BadRecord& bad) {
  const auto resume = find_record(window_, resume_from, file_->bytes());
  offset_ = resume.value_or(file_->bytes());
  bad = {.container = file_->path(), .offset = damage.offset, .key = "", .reason = std::move(damage.reason)};
  bad.reason +=
      resume ? fmt::format("; {} bytes lost, records go on at offset {}", offset_ - damage.offset, offset_)
             : fmt::format("; {} bytes lost, no record follows", offset_ - damage.offset);
  ++ordinal_;  // so that the records behind keep the numbers they would have had
  return Step::damage;
}

}  // namespace stoker::record
