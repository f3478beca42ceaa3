// A report as a screenful of text.
#pragma once

#include <string>
#include <vector>

#include "stoker/doctor.hpp"

namespace stoker::show {

struct TextStyle {
  std::size_t columns = 80;
  std::size_t rows =
      24;  // a longer report is cut where it loses least: evidence, what is unknown, later fixes
  bool colours = false;  // escape sequences: on a terminal only
};

// Lines, without newlines. `subject` says what was watched: "train.py (pid 4711)", "log.csv (nvidia-smi
// csv)".
std::vector<std::string> report_text(const Report& report, const std::string& subject,
                                     const TextStyle& style = {});

}  // namespace stoker::show
