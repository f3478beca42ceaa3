#include "bench/decode_routes.hpp"

#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <string_view>

#include "stoker/error.hpp"

#include "bench/bench_checks.hpp"
#include "image/transform.hpp"

namespace stoker::bench {

namespace {

class TurboFull : public DecodeRoute {
 public:
  TurboFull(const std::vector<BenchSample>& samples, std::uint64_t max_pixels)
      : samples_(samples), max_pixels_(max_pixels) {}
  const char* name() const override { return "turbo_full"; }
  const char* baseline() const override { return "turbo_full"; }
  bool is_reference() const override { return true; }
  image::RgbView run(std::size_t i) override {
    return value_or_throw(turbo_.decode(samples_[i].bytes, max_pixels_));
  }

 private:
  const std::vector<BenchSample>& samples_;
  std::uint64_t max_pixels_;
  TurboDecoder turbo_;
};

// Full decode by plain libjpeg-turbo, then the same Pillow-equal resize of the same crop.
class TurboResize : public DecodeRoute {
 public:
  TurboResize(const char* name, const std::vector<BenchSample>& samples, const std::vector<DecodeSpec>& specs)
      : name_(name), samples_(samples), specs_(specs) {
    scalar_.use_scalar_reference(true);
  }
  const char* name() const override { return name_; }
  const char* baseline() const override { return "turbo_full"; }
  bool is_reference() const override { return true; }
  image::RgbView run(std::size_t i) override { return run_with(resizer_, i); }
  // The resize once more without SIMD.
  image::RgbView run_reference(std::size_t i) override { return run_with(scalar_, i); }

 private:
  image::RgbView run_with(image::Resizer& resizer, std::size_t i) {
    const DecodeSpec& spec = specs_[i];
    const image::RgbView full = value_or_throw(turbo_.decode(samples_[i].bytes, spec.max_pixels));
    const Rect crop = spec.crop.value_or(Rect{0, 0, full.width, full.height});
    const image::RgbView source{
        full.data + static_cast<std::size_t>(crop.y) * full.stride + static_cast<std::size_t>(crop.x) * 3,
        crop.width, crop.height, full.stride};
    const Size to = spec.resize.value_or(Size{crop.width, crop.height});
    const Rect window = spec.window.value_or(Rect{0, 0, to.width, to.height});
    const std::size_t stride = static_cast<std::size_t>(window.width) * 3;
    pixels_.resize(stride * static_cast<std::size_t>(window.height));
    resizer.resize(source, {0, 0, crop.width, crop.height}, {crop.width, crop.height}, to, window,
                   spec.filter, {pixels_.data(), window.width, window.height, stride});
    return {pixels_.data(), window.width, window.height, stride};
  }

  const char* name_;
  const std::vector<BenchSample>& samples_;
  std::vector<DecodeSpec> specs_;
  TurboDecoder turbo_;
  image::Resizer resizer_, scalar_;
  std::vector<std::uint8_t> pixels_;
};

class StokerRoute : public DecodeRoute {
 public:
  StokerRoute(const char* name, const char* baseline, const std::vector<BenchSample>& samples,
              const std::vector<DecodeSpec>& specs)
      : name_(name), baseline_(baseline), samples_(samples), specs_(specs) {}
  const char* name() const override { return name_; }
  const char* baseline() const override { return baseline_; }
  image::RgbView run(std::size_t i) override {
    return value_or_throw(decoder_.decode(samples_[i].bytes, specs_[i])).pixels;
  }

 private:
  const char* name_;
  const char* baseline_;
  const std::vector<BenchSample>& samples_;
  std::vector<DecodeSpec> specs_;
  image::Decoder decoder_;
};

// What a recipe asks of each sample. Drawn before anything is timed: both sides of a comparison get the same.
std::vector<DecodeSpec> specs_of(const std::string& recipe, const std::vector<BenchSample>& samples,
                                 std::uint64_t seed, std::uint64_t max_pixels) {
  const image::Transform transform(Recipe::parse(recipe));
  std::vector<DecodeSpec> specs;
  for (const BenchSample& sample : samples) {
    DecodeSpec spec = transform.geometry(sample.size, {seed, 0, sample.index}).spec;
    spec.max_pixels = max_pixels;
    specs.push_back(spec);
  }
  return specs;
}

}  // namespace

DecodeRoutes make_decode_routes(const std::vector<BenchSample>& samples, int output_size, std::uint64_t seed,
                                std::uint64_t max_pixels) {
  DecodeSpec whole;
  whole.max_pixels = max_pixels;
  const std::vector<DecodeSpec> full(samples.size(), whole);
  const auto train = specs_of(fmt::format("random_resized_crop({})", output_size), samples, seed, max_pixels);
  // The evaluation's short side stands to its crop as 256 to 224.
  const auto short_side = static_cast<int>(std::lround(output_size * 256.0 / 224.0));
  const auto eval =
      specs_of(fmt::format("resize({}) center_crop({})", short_side, output_size), samples, seed, max_pixels);

  DecodeRoutes routes;
  routes.push_back(std::make_unique<TurboFull>(samples, max_pixels));
  routes.push_back(std::make_unique<StokerRoute>("stoker_full", "turbo_full", samples, full));
  routes.push_back(std::make_unique<TurboResize>("turbo_full_resize", samples, train));
  routes.push_back(std::make_unique<StokerRoute>("stoker_rrc", "turbo_full_resize", samples, train));
  routes.push_back(std::make_unique<TurboResize>("turbo_eval_resize", samples, eval));
  routes.push_back(std::make_unique<StokerRoute>("stoker_eval", "turbo_eval_resize", samples, eval));
  return routes;
}

std::size_t baseline_of(const DecodeRoutes& routes, std::size_t r) {
  for (std::size_t i = 0; i < routes.size(); ++i) {
    if (std::string_view(routes[i]->name()) == routes[r]->baseline()) return i;
  }
  throw Error(ErrorCode::internal, {.operation = "bench decode",
                                    .object = routes[r]->name(),
                                    .found = std::string("no baseline ") + routes[r]->baseline()});
}

std::vector<bool> measure_exactness(const DecodeRoutes& routes, std::size_t count,
                                    const std::atomic<bool>* cancel) {
  std::vector<bool> exact(routes.size(), true);
  for (std::size_t i = 0; i < count; ++i) {
    check_cancel("bench decode", cancel);
    for (std::size_t r = 0; r < routes.size(); ++r) {
      const image::RgbView own = routes[r]->run(i);
      if (routes[r]->is_reference()) {
        const std::vector<std::uint8_t> copy(own.data,
                                             own.data + own.stride * static_cast<std::size_t>(own.height));
        const image::RgbView kept{copy.data(), own.width, own.height, own.stride};
        exact[r] = exact[r] && same_pixels(kept, routes[r]->run_reference(i));
      } else {
        exact[r] = exact[r] && same_pixels(own, routes[baseline_of(routes, r)]->run(i));
      }
    }
  }
  return exact;
}

bool same_pixels(const image::RgbView& a, const image::RgbView& b) {
  if (a.width != b.width || a.height != b.height) return false;
  for (int y = 0; y < a.height; ++y) {
    const auto row = static_cast<std::size_t>(y);
    if (std::memcmp(a.data + row * a.stride, b.data + row * b.stride,
                    static_cast<std::size_t>(a.width) * 3) != 0) {
      return false;
    }
  }
  return true;
}

}  // namespace stoker::bench
