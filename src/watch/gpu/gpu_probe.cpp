#include "watch/gpu/gpu_probe.hpp"

#include <optional>

#include "watch/gpu/drm_gpus.hpp"
#include "watch/gpu/gpu_processes.hpp"
#include "watch/gpu/nvml_gpus.hpp"

namespace stoker::watch {

struct GpuProbe::Parts {
  explicit Parts(const WatchOptions& options) : processes(options.proc_root) {
    auto opened = nvml::NvmlGpus::open(options.nvml_library);
    if (opened)
      nvidia.emplace(std::move(*opened));
    else
      no_nvidia = opened.error();
    drm.emplace(options, nvidia ? nvidia->count() : 0);
  }

  GpuProcesses processes;
  std::optional<nvml::NvmlGpus> nvidia;
  nvml::NotLoaded no_nvidia;
  std::optional<DrmGpus> drm;
};

GpuProbe::GpuProbe(const WatchOptions& options) : parts_(std::make_unique<Parts>(options)) {}
GpuProbe::~GpuProbe() = default;
GpuProbe::GpuProbe(GpuProbe&&) noexcept = default;
GpuProbe& GpuProbe::operator=(GpuProbe&&) noexcept = default;

void GpuProbe::read(Snapshot& snapshot) {
  const double now_s = nvml::Clocks::now().monotonic;
  if (parts_->nvidia)
    parts_->nvidia->read(snapshot);
  else if (parts_->drm->empty() || !parts_->no_nvidia.absent)
    snapshot.not_seen.push_back({parts_->drm->empty() ? "GPUs" : "NVIDIA GPUs", parts_->no_nvidia.why});
  parts_->drm->read(snapshot, now_s);
  for (GpuSeen& gpu : snapshot.gpus) {
    if (!gpu.processes) continue;
    std::vector<GpuProcess> processes = *gpu.processes;
    for (GpuProcess& process : processes) parts_->processes.find(process, now_s);
    gpu.processes = std::move(processes);
    if (gpu.vendor == "nvidia" && gpu.mig_parent.empty())
      parts_->processes.find_holders(gpu, parts_->nvidia->device_file(gpu.index), now_s);
  }
}

void GpuProbe::poll() {
  if (parts_->nvidia) parts_->nvidia->poll();
  parts_->drm->poll(nvml::Clocks::now().monotonic);
}

}  // namespace stoker::watch
