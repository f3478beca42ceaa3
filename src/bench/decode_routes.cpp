#include "bench/decode_routes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stoker/error.hpp"

#include "bench/bench_checks.hpp"
#include "bench/turbo_route.hpp"
#include "image/decoder.hpp"
#include "image/transform.hpp"
#include "jpeg/baseline_decoder.hpp"

namespace stoker::bench {

namespace {

using Specs = std::vector<DecodeSpec>;

constexpr const char* kTurboFull = "turbo_full";
constexpr const char* kTurboTrain = "turbo_full_resize";
constexpr const char* kTurboEval = "turbo_eval_resize";

// The decoders, one of each for all routes: large pictures are then held once.
struct Decoders {
  TurboDecoder turbo;
  image::Decoder stoker;
};

class TurboFull : public DecodeRoute {
 public:
  TurboFull(std::shared_ptr<Decoders> decoders, std::uint64_t max_pixels)
      : decoders_(std::move(decoders)), max_pixels_(max_pixels) {}
  const char* name() const override { return kTurboFull; }
  const char* about() const override { return "libjpeg-turbo, the whole picture"; }
  const char* baseline() const override { return kTurboFull; }
  bool is_reference() const override { return true; }
  bool took_turbo() const override { return true; }
  void run(std::size_t i, std::span<const std::byte> bytes) override { pixels(i, bytes); }
  image::RgbView pixels(std::size_t, std::span<const std::byte> bytes) override {
    return value_or_throw(decoders_->turbo.decode(bytes, max_pixels_));
  }

 private:
  std::shared_ptr<Decoders> decoders_;
  std::uint64_t max_pixels_;
};

// Full decode by plain libjpeg-turbo, then the same Pillow-equal resize of the same crop.
class TurboResize : public DecodeRoute {
 public:
  TurboResize(const char* name, const char* about, std::shared_ptr<Decoders> decoders, const Specs& specs)
      : name_(name), about_(about), decoders_(std::move(decoders)), specs_(specs) {
    scalar_.use_scalar_reference(true);
  }
  const char* name() const override { return name_; }
  const char* about() const override { return about_; }
  const char* baseline() const override { return kTurboFull; }
  bool is_reference() const override { return true; }
  bool took_turbo() const override { return true; }
  void run(std::size_t i, std::span<const std::byte> bytes) override { pixels(i, bytes); }
  image::RgbView pixels(std::size_t i, std::span<const std::byte> bytes) override {
    return run_with(resizer_, i, bytes);
  }
  // The resize once more without SIMD.
  image::RgbView reference_pixels(std::size_t i, std::span<const std::byte> bytes) override {
    return run_with(scalar_, i, bytes);
  }

 private:
  image::RgbView run_with(image::Resizer& resizer, std::size_t i, std::span<const std::byte> bytes) {
    const DecodeSpec& spec = specs_[i];
    const image::RgbView full = value_or_throw(decoders_->turbo.decode(bytes, spec.max_pixels));
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
  const char* about_;
  std::shared_ptr<Decoders> decoders_;
  Specs specs_;
  image::Resizer resizer_, scalar_;
  std::vector<std::uint8_t> pixels_;
};

// What sets one of our routes apart from the others of the same crops.
struct StokerWay {
  PixelMode pixels = PixelMode::exact;
  bool by_seek_points = false;
  image::Learn learn = image::Learn::nothing;
};

class StokerRoute : public DecodeRoute {
 public:
  StokerRoute(const char* name, const char* about, const char* baseline, std::shared_ptr<Decoders> decoders,
              const std::vector<BenchSample>& samples, const Specs& specs, StokerWay way)
      : name_(name),
        about_(about),
        baseline_(baseline),
        decoders_(std::move(decoders)),
        specs_(specs),
        learn_(way.learn) {
    for (std::size_t i = 0; i < specs_.size(); ++i) {
      specs_[i].pixels = way.pixels;
      if (way.by_seek_points) specs_[i].seek_points = samples[i].seek_points;
    }
  }
  const char* name() const override { return name_; }
  const char* about() const override { return about_; }
  const char* baseline() const override { return baseline_; }
  bool took_turbo() const override { return took_turbo_; }
  void run(std::size_t i, std::span<const std::byte> bytes) override { pixels(i, bytes); }
  image::RgbView pixels(std::size_t i, std::span<const std::byte> bytes) override {
    const image::Decoded decoded = value_or_throw(decoders_->stoker.decode(bytes, specs_[i], learn_));
    took_turbo_ = decoded.route == image::DecodeRoute::turbo;
    return decoded.pixels;
  }

 private:
  const char* name_;
  const char* about_;
  const char* baseline_;
  std::shared_ptr<Decoders> decoders_;
  Specs specs_;
  image::Learn learn_;
  bool took_turbo_ = false;
};

// Finds a file's seek points, which makes no pixels; pixels() are those of a full decode by the points found.
class StokerIndex : public DecodeRoute {
 public:
  StokerIndex(std::shared_ptr<Decoders> decoders, std::uint64_t max_pixels)
      : decoders_(std::move(decoders)), max_pixels_(max_pixels) {}
  const char* name() const override { return "stoker_index"; }
  const char* about() const override { return "finds the seek points, makes no pixels"; }
  const char* baseline() const override { return kTurboFull; }
  bool took_turbo() const override { return took_turbo_; }
  void run(std::size_t, std::span<const std::byte> bytes) override {
    packed_.clear();
    points_.clear();
    if (finder_.open(bytes) || finder_.has_own_entrances() || finder_.find_seek_points(0, points_)) return;
    jpeg::pack_seek_points(points_, packed_);
  }
  image::RgbView pixels(std::size_t i, std::span<const std::byte> bytes) override {
    run(i, bytes);
    const image::Decoded decoded =
        value_or_throw(decoders_->stoker.decode(bytes, {.max_pixels = max_pixels_, .seek_points = packed_}));
    took_turbo_ = decoded.route == image::DecodeRoute::turbo;
    return decoded.pixels;
  }

 private:
  std::shared_ptr<Decoders> decoders_;
  std::uint64_t max_pixels_;
  jpeg::BaselineDecoder finder_;
  jpeg::SeekPoints points_;
  std::vector<std::byte> packed_;
  bool took_turbo_ = false;
};

enum class Geometry { whole, train, eval };

struct StokerRow {
  const char* name;
  const char* about;
  Geometry geometry;
  StokerWay way;
};

constexpr std::array kStokerRows{
    StokerRow{"stoker_full", "own decoder, the whole picture", Geometry::whole, {}},
    StokerRow{"stoker_rrc", "plain file, exact", Geometry::train, {}},
    StokerRow{"stoker_rrc_learn",
              "the same, keeps the seek points it meets",
              Geometry::train,
              {.learn = image::Learn::what_is_read}},
    StokerRow{"stoker_rrc_learn_full",
              "the same, walks on for all of them",
              Geometry::train,
              {.learn = image::Learn::whole_file}},
    StokerRow{"stoker_rrc_seek", "by seek points, exact", Geometry::train, {.by_seek_points = true}},
    StokerRow{"stoker_rrc_fast", "plain file, fast", Geometry::train, {.pixels = PixelMode::fast}},
    StokerRow{"stoker_rrc_seek_fast",
              "by seek points, fast",
              Geometry::train,
              {.pixels = PixelMode::fast, .by_seek_points = true}},
    StokerRow{"stoker_eval", "plain file, exact", Geometry::eval, {}},
    StokerRow{"stoker_eval_seek", "by seek points, exact", Geometry::eval, {.by_seek_points = true}},
    StokerRow{"stoker_eval_fast", "plain file, fast", Geometry::eval, {.pixels = PixelMode::fast}}};

// What a recipe asks of each sample. Drawn before anything is timed: both sides of a comparison get the same.
Specs specs_of(const std::string& recipe, const std::vector<BenchSample>& samples,
               const RouteOptions& options) {
  const image::Transform transform(Recipe::parse(recipe));
  Specs specs;
  for (const BenchSample& sample : samples) {
    DecodeSpec spec = transform.geometry(sample.size, {options.seed, 0, sample.index}).spec;
    spec.max_pixels = options.max_pixels;
    specs.push_back(spec);
  }
  return specs;
}

DecodeRoutes make_all_routes(const std::vector<BenchSample>& samples, const RouteOptions& options) {
  const auto decoders = std::make_shared<Decoders>();
  DecodeRoutes routes;
  const auto add_rows = [&](Geometry geometry, const char* baseline, const Specs& specs) {
    for (const StokerRow& row : kStokerRows) {
      if (row.geometry == geometry)
        routes.push_back(
            std::make_unique<StokerRoute>(row.name, row.about, baseline, decoders, samples, specs, row.way));
    }
  };
  const Specs whole(samples.size(), DecodeSpec{.max_pixels = options.max_pixels});
  routes.push_back(std::make_unique<TurboFull>(decoders, options.max_pixels));
  add_rows(Geometry::whole, kTurboFull, whole);
  routes.push_back(std::make_unique<StokerIndex>(decoders, options.max_pixels));

  const Specs train = specs_of(fmt::format("random_resized_crop({})", options.output_size), samples, options);
  routes.push_back(std::make_unique<TurboResize>(kTurboTrain, "libjpeg-turbo, whole picture, crop, resize",
                                                 decoders, train));
  add_rows(Geometry::train, kTurboTrain, train);

  // The evaluation's short side stands to its crop as 256 to 224.
  const auto short_side = static_cast<int>(std::lround(options.output_size * 256.0 / 224.0));
  const Specs eval =
      specs_of(fmt::format("resize({}) center_crop({})", short_side, options.output_size), samples, options);
  routes.push_back(std::make_unique<TurboResize>(kTurboEval, "libjpeg-turbo, whole picture, resize, crop",
                                                 decoders, eval));
  add_rows(Geometry::eval, kTurboEval, eval);
  return routes;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::vector<std::string> decode_route_names() {
  std::vector<std::string> names;
  for (const auto& route : make_all_routes({}, {})) names.emplace_back(route->name());
  return names;
}

DecodeRoutes make_decode_routes(const std::vector<BenchSample>& samples, const RouteOptions& options) {
  DecodeRoutes routes = make_all_routes(samples, options);
  if (options.names.empty()) return routes;
  std::vector<std::string> kept{kTurboFull}, known;
  for (const auto& route : routes) {
    known.emplace_back(route->name());
    if (!contains(options.names, route->name())) continue;
    kept.emplace_back(route->name());
    kept.emplace_back(route->baseline());
  }
  for (const std::string& name : options.names) {
    if (!contains(known, name))
      throw Error(ErrorCode::invalid_argument, {.operation = "bench decode",
                                                .object = "routes",
                                                .found = name,
                                                .allowed = fmt::format("{}", fmt::join(known, ", "))});
  }
  std::erase_if(routes, [&](const auto& route) { return !contains(kept, route->name()); });
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

std::vector<RouteCheck> check_routes(const DecodeRoutes& routes, const std::vector<BenchSample>& samples,
                                     const std::atomic<bool>* cancel) {
  std::vector<RouteCheck> checks(routes.size());
  std::vector<PixelErrorSum> errors(routes.size());
  // A baseline's pixels, kept until every route that names it was held against them.
  std::vector<std::vector<std::uint8_t>> memory(routes.size());
  std::vector<image::RgbView> kept(routes.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    check_cancel("bench decode", cancel);
    const BenchSample& sample = samples[i];
    for (std::size_t r = 0; r < routes.size(); ++r) {
      const image::RgbView own = routes[r]->pixels(i, sample.bytes);
      checks[r].turbo_images += routes[r]->took_turbo() ? 1 : 0;
      if (!routes[r]->is_reference()) {
        errors[r].add(sample.key, own, kept[baseline_of(routes, r)]);
        continue;
      }
      memory[r].assign(own.data, own.data + own.stride * static_cast<std::size_t>(own.height));
      kept[r] = {memory[r].data(), own.width, own.height, own.stride};
      errors[r].add(sample.key, kept[r], routes[r]->reference_pixels(i, sample.bytes));
    }
  }
  for (std::size_t r = 0; r < routes.size(); ++r) {
    checks[r].exact = errors[r].exact();
    checks[r].error = errors[r].error();
  }
  return checks;
}

}  // namespace stoker::bench
