// Which of the causes it is: the first rule that holds.
#pragma once

#include <string>
#include <vector>

#include "stoker/doctor.hpp"

#include "doctor/io.hpp"
#include "doctor/measures.hpp"

namespace stoker::doctor {

struct Finding {
  Verdict verdict = Verdict::unknown;
  double margin = 0;  // 0..1: how far the evidence is from another verdict
  std::string why;    // a clause for the summary: "both workers are throttled by …"
  bool too_many_workers = false;
};

// The verdict of a training that was watched. `tail`: its last third, which shows a hang.
// Source: 55 runs of 14 scenarios on real cores, a PyTorch DataLoader over real JPEGs.
Finding decide(const Measures& m, const Measures& tail, const IoMeasures& io,
               const std::optional<ProbeSeen>& probe);

}  // namespace stoker::doctor
