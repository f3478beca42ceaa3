// Convolutions and linear layers of a kind of device in bfloat16, while the guard lives.
#pragma once

#include <ATen/autocast_mode.h>

namespace stoker::training {

// Threads: acts on its own alone. Weights are cast once for a guard's life: the cache is cleared at its end,
// because the next update changes them.
class AutocastGuard {
 public:
  AutocastGuard(bool enabled, at::DeviceType device)
      : device_(device),
        was_enabled_(at::autocast::is_autocast_enabled(device)),
        dtype_(at::autocast::get_autocast_dtype(device)) {
    at::autocast::set_autocast_enabled(device, enabled);
    at::autocast::set_autocast_dtype(device, at::kBFloat16);
    at::autocast::increment_nesting();
  }
  ~AutocastGuard() {
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(device_, was_enabled_);
    at::autocast::set_autocast_dtype(device_, dtype_);
  }
  AutocastGuard(const AutocastGuard&) = delete;
  AutocastGuard& operator=(const AutocastGuard&) = delete;

 private:
  at::DeviceType device_;
  bool was_enabled_;
  at::ScalarType dtype_;
};

}  // namespace stoker::training
