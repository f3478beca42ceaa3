// How many images a second the training takes, by the best source that there is.
#pragma once

#include <string>

#include "stoker/doctor.hpp"

#include "doctor/io.hpp"
#include "doctor/measures.hpp"

namespace stoker::doctor {

struct Speed {
  Reading<double> images_per_s;
  std::string source;
  bool about = false;  // an estimate
};

// Stoker's counters, what the training says, batches a period of the GPU's curve, or, about, bytes read by
// the mean size of a file.
Speed speed_of(const Trace& trace, const Window& window, const std::vector<const GpuCurve*>& curves,
               const IoMeasures& io, const DiagnoseOptions& options);

}  // namespace stoker::doctor
