// What the summary of a training tells people beyond its figures.
#pragma once

#include <optional>
#include <string>

#include "stoker/counters.hpp"

namespace stoker::training {

// Where the loader's time went while the model waited for it.
struct WaitEvidence {
  double wait_share = 0;  // of the training's wall time
  double decode_busy_share =
      0;  // of the decode workers' time: decoding and transforming, not waiting for bytes
  int decode_threads = 0;
  int allowed_cpus = 0;
};

WaitEvidence wait_evidence(double wait_share, const CountersFile& counters, int decode_threads,
                           int allowed_cpus);

// A sentence with the likely cause and what would help; none where the model waited for 5 % of the time or
// less.
std::optional<std::string> wait_advice(const WaitEvidence& evidence);

}  // namespace stoker::training
