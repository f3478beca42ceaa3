#include <array>
#include <cstddef>

#include "stoker/doctor.hpp"

namespace stoker {

std::string_view to_string(Verdict verdict) {
  constexpr std::array<std::string_view, 16> kNames = {
      "healthy",         "gpu_bound",       "gpu_unused",     "data_bound",      "cpu_bound",
      "quota_throttled", "noisy_neighbour", "oversubscribed", "narrow_affinity", "too_few_workers",
      "io_bandwidth",    "io_latency",      "io_wait",        "main_thread",     "hang",
      "unknown"};
  return kNames[static_cast<std::size_t>(verdict)];
}

std::string_view to_string(GainLabel label) {
  constexpr std::array<std::string_view, 4> kNames = {"estimate", "up_to", "at_least", "unknown"};
  return kNames[static_cast<std::size_t>(label)];
}

}  // namespace stoker
