// The routes from JPEG bytes to pixels that `bench decode` holds against each other.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stoker/image.hpp"

#include "bench/bench_samples.hpp"
#include "bench/pixel_error.hpp"
#include "image/resize.hpp"

namespace stoker::bench {

// One way to get a sample's pixels. Threads: one at a time.
class DecodeRoute {
 public:
  virtual ~DecodeRoute() = default;
  virtual const char* name() const = 0;
  virtual const char* about() const = 0;  // what it does, in a few words
  virtual const char* baseline()
      const = 0;  // the name of the route that its pixels and its rate are held against
  // What is timed: the work on sample `i`, whose bytes are `bytes`. Errors: as the decoders'.
  virtual void run(std::size_t i, std::span<const std::byte> bytes) = 0;
  // The same, and the pixels that came of it, valid until any route's next call.
  virtual image::RgbView pixels(std::size_t i, std::span<const std::byte> bytes) = 0;
  // Whether libjpeg-turbo decoded the last picture.
  virtual bool took_turbo() const = 0;
  // The pixels by another way, where the route is its own reference. None: the baseline's are the reference.
  virtual bool is_reference() const { return false; }
  virtual image::RgbView reference_pixels(std::size_t i, std::span<const std::byte> bytes) {
    return pixels(i, bytes);
  }
};

using DecodeRoutes = std::vector<std::unique_ptr<DecodeRoute>>;

struct RouteOptions {
  int output_size = 224;
  std::uint64_t seed = 0;
  std::uint64_t max_pixels = kDefaultMaxPixels;
  std::vector<std::string> names;  // those to make, and the baselines they need; empty: all
};

// The routes' names in their order; a baseline comes before those that name it, turbo_full first.
std::vector<std::string> decode_route_names();

// `samples` must outlive the routes; the seek routes use the points that they hold.
// Errors: invalid_argument (an output size that no recipe takes; a name that is no route's).
DecodeRoutes make_decode_routes(const std::vector<BenchSample>& samples, const RouteOptions& options);

// The place in `routes` of the baseline of route `r`.
std::size_t baseline_of(const DecodeRoutes& routes, std::size_t r);

// What the warm-up found out about a route.
struct RouteCheck {
  bool exact = false;               // every pixel of every image equalled its reference's
  std::optional<PixelError> error;  // against the reference
  std::uint64_t turbo_images = 0;   // decoded by libjpeg-turbo
};

// Runs every route over all samples and holds each against its reference. Errors: cancelled, and the
// routes'.
std::vector<RouteCheck> check_routes(const DecodeRoutes& routes, const std::vector<BenchSample>& samples,
                                     const std::atomic<bool>* cancel);

}  // namespace stoker::bench
