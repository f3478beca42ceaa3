// What the summary of a training tells people beyond its figures.
#pragma once

#include <optional>
#include <string>

#include "stoker/counters.hpp"

namespace stoker::training {

// Where the loader's time went while the model waited for it.
struct WaitEvidence {
  double wait_s = 0;  // inside the loader's next()
  double wall_s = 0;  // of the training
  double decode_busy_share =
      0;  // of the decode workers' time: decoding and transforming, not waiting for bytes
  int decode_threads = 0;
  int allowed_cpus = 0;
};

WaitEvidence wait_evidence(double wait_s, double wall_s, const CountersFile& counters, int decode_threads,
                           int allowed_cpus);

// A sentence with the likely cause and what would help; none where the model waited for 5 % of the time or
// less, or for less than a second in all (the first batch of a short training).
std::optional<std::string> wait_advice(const WaitEvidence& evidence);

}  // namespace stoker::training
