#include "record/container_scanner.hpp"

#include <fmt/format.h>

namespace stoker::record {

namespace {
constexpr std::uint64_t kReadAheadBytes = 8u << 20;
}

ContainerScanner::ContainerScanner(const ContainerFormat& format, std::unique_ptr<ReadableFile> file,
                                   std::uint64_t first_ordinal)
    : format_(format), file_(std::move(file)), window_(*file_), ordinal_(first_ordinal) {}

RecordScanner::Step ContainerScanner::next(Sample& sample, RecordInfo& info, BadRecord& bad) {
  while (offset_ < file_->bytes()) {
    if (offset_ + kReadAheadBytes / 2 > prefetched_) {
      file_->prefetch(offset_, kReadAheadBytes);
      prefetched_ = offset_ + kReadAheadBytes;
    }
    const std::uint64_t begin = offset_;
    Walked walked = format_.walk_record(window_, begin, file_->bytes());
    if (walked.damage) return report(std::move(*walked.damage), walked.resume, bad);
    if (auto damage = format_.distrust(window_, begin, walked.end, file_->bytes()))
      return report(std::move(*damage), format_.resume_behind(begin, walked.end), bad);
    offset_ = walked.end;
    if (!walked.is_record) continue;
    const std::span<std::byte> room = room_in(sample, walked.end - begin);
    const std::size_t got = file_->read_at(begin, room);
    if (auto damage = format_.unpack(room.first(got), begin, ordinal_, sample))
      return report({begin, std::move(*damage)}, format_.resume_behind(begin, walked.end), bad);
    ++ordinal_;
    info = {file_->path(), begin, walked.end - begin};
    return Step::record;
  }
  return Step::end;
}

RecordScanner::Step ContainerScanner::report(Damage damage, std::uint64_t resume_from, BadRecord& bad) {
  const auto resume = format_.find_record(window_, resume_from, file_->bytes());
  offset_ = resume.value_or(file_->bytes());
  bad = {.container = file_->path(), .offset = damage.offset, .key = "", .reason = std::move(damage.reason)};
  bad.reason +=
      resume ? fmt::format("; {} bytes lost, records go on at offset {}", offset_ - damage.offset, offset_)
             : fmt::format("; {} bytes lost, no record follows", offset_ - damage.offset);
  ++ordinal_;  // so that the records behind keep the numbers they would have had
  return Step::damage;
}

}  // namespace stoker::record
