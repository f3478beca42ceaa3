#include "load/bad_ledger.hpp"

#include <fmt/format.h>
#include <string>

namespace stoker::load {

namespace {

constexpr std::size_t kRecordsKept = 1000;
constexpr std::uint64_t kMetBeforeJudging = 1000;

std::string place_of(const BadRecord& record) {
  std::string place = record.container.empty() ? "a record" : record.container;
  if (record.offset != 0) place += fmt::format(" at offset {}", record.offset);
  if (!record.key.empty()) place += fmt::format(" (key {})", record.key);
  return place;
}

}  // namespace

Error bad_sample_error(const Trouble& trouble) {
  return Error(trouble.code,
               {.operation = fmt::format("load sample {}", trouble.index),
                .object = place_of(trouble.record),
                .found = trouble.record.reason,
                .next_step = "repair or remove it, or let bad samples pass (bad_sample skip or substitute)"});
}

void BadLedger::add(int samples, const std::vector<Trouble>& troubles) {
  met_ += static_cast<std::uint64_t>(samples);
  bad_ += troubles.size();
  for (const Trouble& trouble : troubles) {
    if (known_.empty()) known_.resize(size_);
    if (known_[trouble.index]) continue;
    known_[trouble.index] = true;
    ++count_;
    if (records_.size() < kRecordsKept) records_.push_back(trouble.record);
  }
}

std::optional<Error> BadLedger::too_many(bool epoch_ended) const {
  if (met_ < kMetBeforeJudging && !epoch_ended) return std::nullopt;
  if (static_cast<double>(bad_) <= max_bad_share_ * static_cast<double>(met_)) return std::nullopt;
  return Error(ErrorCode::corrupt_data,
               {.operation = "load",
                .object = fmt::format("{} of {} samples met are bad", bad_, met_),
                .found = fmt::format("first {}: {}", place_of(records_.front()), records_.front().reason),
                .allowed = fmt::format("max_bad_share {}", max_bad_share_),
                .next_step = "see the list of bad samples, repair the source, or allow a larger share"});
}

}  // namespace stoker::load
