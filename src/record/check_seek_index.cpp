#include "record/check_seek_index.hpp"

#include <fmt/format.h>

#include "stoker/error.hpp"

#include "record/seek_index_place.hpp"

namespace stoker::record {

namespace {

constexpr std::size_t kMostReports = 1000;  // of one index: more tells no more

// A damaged record, or a file that went away, is told by those who walk the source.
std::unique_ptr<RecordReader> open_if_whole(const std::string& source, OpenOptions options) {
  options.seek_index = SeekIndexUse::off;
  try {
    return open_records(source, options);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::out_of_resources || error.code() == ErrorCode::unavailable) throw;
    return nullptr;
  }
}

class Checker {
 public:
  Checker(const RecordReader& reader, std::vector<BadRecord>& bad) : reader_(reader), bad_(bad) {}

  void check(const SeekIndex& index) {
    std::size_t reports = 0;
    for (std::size_t record = 0; record < index.records(); ++record) {
      if (!index.has_entry(record)) continue;
      std::string reason = wrong_with(index, record);
      if (!reason.empty() && ++reports <= kMostReports)
        bad_.push_back(
            {.container = index.path(), .key = std::to_string(record), .reason = std::move(reason)});
    }
    if (reports > kMostReports)
      bad_.push_back({.container = index.path(),
                      .reason = fmt::format("{} more wrong entries", reports - kMostReports)});
  }

 private:
  std::string wrong_with(const SeekIndex& index, std::size_t record) {
    const auto parsed = index.read(record, kMostPackedBytes, memory_);
    if (!parsed) return fmt::format("the entry of record {}: {}", record, parsed.error());
    try {
      reader_.read(record, sample_);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::out_of_resources || error.code() == ErrorCode::unavailable) throw;
      return "";
    }
    if (is_same_image(parsed->entry, describe_image(reader_, record, sample_))) return "";
    return fmt::format("the entry of record {} is of another image", record);
  }

  const RecordReader& reader_;
  std::vector<BadRecord>& bad_;
  Sample sample_;
  std::vector<std::byte> memory_;
};

void check_reader(const RecordReader& reader, const OpenOptions& options, const std::shared_ptr<Store>& store,
                  std::vector<BadRecord>& bad) {
  for (const SeekIndexPlace& place : seek_index_places(reader, options.index_dir, store)) {
    // What the user's cache holds of an earlier state is no fault of the data.
    if (place.dated && options.index_dir.empty()) continue;
    const FoundSeekIndex found = find_seek_index(reader, *store, {place});
    if (found.index)
      Checker(reader, bad).check(*found.index);
    else if (found.state != SeekIndexState::none)
      bad.push_back({.container = found.path, .reason = found.reason});
  }
}

}  // namespace

std::vector<BadRecord> check_seek_index(const std::string& source, const OpenOptions& options,
                                        const std::shared_ptr<Store>& store) {
  std::vector<BadRecord> bad;
  const std::unique_ptr<RecordReader> reader = open_if_whole(source, options);
  if (!reader) return bad;
  check_reader(*reader, options, store, bad);
  for (const auto& shard : reader->shards()) check_reader(*shard, options, store, bad);
  return bad;
}

}  // namespace stoker::record
