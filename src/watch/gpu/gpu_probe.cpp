#include "watch/gpu/gpu_probe.hpp"

namespace stoker::watch {

struct GpuProbe::Parts {
  WatchOptions options;
};

GpuProbe::GpuProbe(const WatchOptions& options) : parts_(std::make_unique<Parts>(options)) {}
GpuProbe::~GpuProbe() = default;
GpuProbe::GpuProbe(GpuProbe&&) noexcept = default;
GpuProbe& GpuProbe::operator=(GpuProbe&&) noexcept = default;

void GpuProbe::read(Snapshot& snapshot) { snapshot.not_seen.push_back({"GPUs", "not read yet"}); }
void GpuProbe::poll() {}

}  // namespace stoker::watch
