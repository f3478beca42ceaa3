#include "watch/gpu/nvml_gpm.hpp"

#include <memory>
#include <utility>

namespace stoker::watch::nvml {

namespace {

constexpr double kShortest = 0.1;  // NVML API Reference, nvmlGpmMetricsGet: samples 100 ms apart or more
constexpr double kMib = 1024.0 * 1024.0;

}  // namespace

GpmMeter::GpmMeter(const Library& library) : library_(&library) {}

GpmMeter::GpmMeter(GpmMeter&& other) noexcept
    : library_(other.library_),
      last_(std::exchange(other.last_, nullptr)),
      next_(std::exchange(other.next_, nullptr)),
      last_s_(other.last_s_),
      never_(std::move(other.never_)) {}

GpmMeter::~GpmMeter() {
  for (const GpmSample sample : {last_, next_})
    if (sample != nullptr) library_->gpm_free(sample);
}

tl::unexpected<std::string> GpmMeter::give_up(std::string why) {
  never_ = std::move(why);
  return tl::unexpected(never_);
}

tl::expected<GpmMeans, std::string> GpmMeter::look(Device device, unsigned instance, double now_s) {
  if (!never_.empty()) return tl::unexpected(never_);
  if (next_ == nullptr) {
    GpmSupport support{.version = kGpmVersion, .supported = 0};
    if (instance == kNoInstance) {
      const Status status = library_->gpm_support(device, &support);
      if (status != kSuccess) return give_up(library_->why(status));
      if (support.supported == 0) return give_up("not counted by this GPU (Hopper and later do)");
    }
    for (GpmSample* sample : {&last_, &next_})
      if (const Status status = library_->gpm_alloc(sample); status != kSuccess)
        return give_up(library_->why(status));
  }
  if (last_s_ >= 0 && now_s - last_s_ < kShortest)
    return tl::unexpected(std::string("looked again too soon"));
  const Status status = instance == kNoInstance ? library_->gpm_sample(device, next_)
                                                : library_->gpm_mig_sample(device, instance, next_);
  if (status == kNoPermission)
    return give_up("needs root, or the driver's option NVreg_RestrictProfilingToAdminUsers=0");
  if (status != kSuccess) return tl::unexpected(library_->why(status));

  std::swap(last_, next_);  // what is older now is overwritten at the next look
  if (std::exchange(last_s_, now_s) < 0) return tl::unexpected(std::string("from the second look on"));
  const auto get = std::make_unique<GpmMetricsGet>();
  *get = {.version = kGpmVersion, .count = 4, .first = next_, .second = last_, .metrics = {}};
  get->metrics[0].id = kGpmSmUtil;
  get->metrics[1].id = kGpmGraphicsUtil;
  get->metrics[2].id = kGpmPcieReceivedMib;
  get->metrics[3].id = kGpmPcieSentMib;
  if (const Status read = library_->gpm_metrics(get.get()); read != kSuccess)
    return tl::unexpected(library_->why(read));
  for (const int needed : {0, 1})
    if (const Status each = get->metrics[needed].status; each != kSuccess)
      return tl::unexpected(library_->why(each));
  const auto rate = [&](const GpmMetric& metric) {
    return metric.status == kSuccess ? Reading<double>(metric.value * kMib)
                                     : Reading<double>::unknown(library_->why(metric.status));
  };
  return GpmMeans{.sm_active = get->metrics[0].value,
                  .engine_active = get->metrics[1].value,
                  .pcie_rx_bytes_per_s = rate(get->metrics[2]),
                  .pcie_tx_bytes_per_s = rate(get->metrics[3])};
}

}  // namespace stoker::watch::nvml
