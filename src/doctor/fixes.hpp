// What to do about a verdict, best first, and what each would bring.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "stoker/doctor.hpp"

#include "doctor/io.hpp"
#include "doctor/measures.hpp"
#include "doctor/rules.hpp"

namespace stoker::doctor {

struct FixInput {
  std::int64_t pid = 0;
  const Measures& m;
  const IoMeasures& io;
  Reading<double> images_per_s;
  const std::optional<ProbeSeen>& probe;
};

// Of the verdicts that a watched training can have; gpu_bound and gpu_unused have their own (gpu_causes.hpp).
std::vector<Fix> fixes_for(const Finding& finding, const FixInput& input);

// A fix whose gain cannot be told, with the reason.
Fix without_gain(std::string what, std::vector<Fix::How> how, std::string why);

}  // namespace stoker::doctor
