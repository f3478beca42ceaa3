// Where, when and with what a measurement was taken: figures without it say nothing.
#pragma once

#include <string>

namespace stoker::bench {

struct Machine {
  std::string processor;     // as the system names it; empty: it does not
  int cpus = 0;              // that this process may use
  std::string instructions;  // the vector instructions that our kernels use, as Highway names them: "AVX3"
  std::string turbo;         // libjpeg-turbo's version, as built against
  std::string compiler;
  std::string date;  // UTC, "2026-11-30"
};

Machine this_machine();

}  // namespace stoker::bench
