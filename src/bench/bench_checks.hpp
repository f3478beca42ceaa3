// Checks of options that the measurements share.
#pragma once

#include <atomic>
#include <cstdint>

namespace stoker::bench {

// Errors: invalid_argument, naming the option.
void check_option(const char* operation, const char* option, double value, double low, double high);
// Errors: cancelled, where `cancel` was set.
void check_cancel(const char* operation, const std::atomic<bool>* cancel);

}  // namespace stoker::bench
