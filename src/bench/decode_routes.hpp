// The routes from JPEG bytes to pixels that `bench decode` holds against each other.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "stoker/image.hpp"

#include "bench/bench_samples.hpp"
#include "bench/turbo_route.hpp"
#include "image/decoder.hpp"
#include "image/resize.hpp"

namespace stoker::bench {

// One way to get a sample's pixels. Threads: one at a time.
class DecodeRoute {
 public:
  virtual ~DecodeRoute() = default;
  virtual const char* name() const = 0;
  virtual const char* baseline()
      const = 0;  // the name of the route that its pixels and its rate are held against
  // The pixels of sample `i`, valid until the next call. Errors: as the decoders'.
  virtual image::RgbView run(std::size_t i) = 0;
  // The same by another way, where the route is its own reference. None: the baseline's pixels are the
  // reference.
  virtual bool is_reference() const { return false; }
  virtual image::RgbView run_reference(std::size_t i) { return run(i); }
};

using DecodeRoutes = std::vector<std::unique_ptr<DecodeRoute>>;

// turbo_full, stoker_full, turbo_full_resize, stoker_rrc, turbo_eval_resize, stoker_eval; a baseline comes
// before those that name it. `samples` must outlive the routes. Errors: invalid_argument (an output size that
// no recipe takes).
DecodeRoutes make_decode_routes(const std::vector<BenchSample>& samples, int output_size, std::uint64_t seed,
                                std::uint64_t max_pixels);

// The place in `routes` of the baseline of route `r`.
std::size_t baseline_of(const DecodeRoutes& routes, std::size_t r);

// Runs every route over samples 0..count-1 and compares each with its reference: true where every pixel of
// every image was equal.
// Errors: cancelled, and the routes'.
std::vector<bool> measure_exactness(const DecodeRoutes& routes, std::size_t count,
                                    const std::atomic<bool>* cancel);

bool same_pixels(const image::RgbView& a, const image::RgbView& b);

}  // namespace stoker::bench
