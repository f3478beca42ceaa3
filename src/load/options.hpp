// What loader options must satisfy.
#pragma once

#include <cstdint>

#include "stoker/error.hpp"
#include "stoker/loader.hpp"

namespace stoker::load {

inline constexpr int kDefaultReadThreads = 2;

// Errors: invalid_argument (thrown), naming the option, its value and what is allowed.
void check_options(const LoaderOptions& options, std::uint64_t dataset_size);

}  // namespace stoker::load
