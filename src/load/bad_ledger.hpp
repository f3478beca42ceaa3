// The account of bad samples: what was met, what was bad, and when it is too much.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "stoker/error.hpp"
#include "stoker/loader.hpp"

#include "load/slot.hpp"

namespace stoker::load {

// The error of one bad sample, as BadSamplePolicy::raise throws it.
Error bad_sample_error(const Trouble& trouble);

// Kept in the order of delivery, so it is the same for any number of threads. Threads: the consumer's.
class BadLedger {
 public:
  BadLedger(std::uint64_t dataset_size, double max_bad_share)
      : size_(dataset_size), max_bad_share_(max_bad_share) {}

  // Accounts for a delivered batch of `samples` samples (padding apart).
  void add(int samples, const std::vector<Trouble>& troubles);
  // The error that ends the run, if there were too many; before 1,000 samples were met only at the end of an
  // epoch.
  std::optional<Error> too_many(bool epoch_ended) const;

  // Each sample once, however many epochs met it. The first 1,000.
  const std::vector<BadRecord>& records() const { return records_; }
  std::uint64_t count() const { return count_; }

 private:
  std::uint64_t size_;
  double max_bad_share_;
  std::uint64_t met_ = 0;
  std::uint64_t bad_ = 0;
  std::uint64_t count_ = 0;
  std::vector<bool> known_;  // by sample; empty until one was bad
  std::vector<BadRecord> records_;
};

}  // namespace stoker::load
