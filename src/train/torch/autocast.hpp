// Convolutions and linear layers in bfloat16, while the guard lives.
#pragma once

#include <ATen/autocast_mode.h>

namespace stoker::training {

// Threads: acts on its own alone. Weights are cast once for a guard's life: the cache is cleared at its end,
// because the next update changes them.
class AutocastGuard {
 public:
  explicit AutocastGuard(bool enabled)
      : was_enabled_(at::autocast::is_autocast_enabled(at::kCPU)),
        dtype_(at::autocast::get_autocast_dtype(at::kCPU)) {
    at::autocast::set_autocast_enabled(at::kCPU, enabled);
    at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
    at::autocast::increment_nesting();
  }
  ~AutocastGuard() {
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(at::kCPU, was_enabled_);
    at::autocast::set_autocast_dtype(at::kCPU, dtype_);
  }
  AutocastGuard(const AutocastGuard&) = delete;
  AutocastGuard& operator=(const AutocastGuard&) = delete;

 private:
  bool was_enabled_;
  at::ScalarType dtype_;
};

}  // namespace stoker::training
