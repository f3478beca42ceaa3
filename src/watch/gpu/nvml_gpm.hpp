// How busy the SMs of a GPU are, on GPUs that count it themselves (Hopper and later).
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "stoker/reading.hpp"

#include "watch/gpu/nvml_library.hpp"

namespace stoker::watch::nvml {

// Means between two looks. Units: percent, bytes a second.
struct GpmMeans {
  double sm_active = 0, engine_active = 0;
  Reading<double> pcie_rx_bytes_per_s, pcie_tx_bytes_per_s;
};

// Keeps the driver's counters of the last look. Owns: two samples of the library, which must outlive it.
// Threads: one for all meters; the driver is known to crash on parallel calls (leptonai/gpud).
class GpmMeter {
 public:
  explicit GpmMeter(const Library& library);
  ~GpmMeter();
  GpmMeter(GpmMeter&& other) noexcept;
  GpmMeter& operator=(GpmMeter&&) = delete;

  // Of the whole device, or of one MIG instance of it; or why not. Needs 0.1 s since the last look.
  tl::expected<GpmMeans, std::string> look(Device device, unsigned instance, double now_s);

 private:
  tl::unexpected<std::string> give_up(std::string why);

  const Library* library_;
  GpmSample last_ = nullptr, next_ = nullptr;
  double last_s_ = -1;
  std::string never_;  // why this GPU has none
};

}  // namespace stoker::watch::nvml
