#include <fmt/format.h>
#include <utility>

#include "stoker/error.hpp"
#include "stoker/transform.hpp"

#include "image/decoder.hpp"
#include "image/transform.hpp"
#include "load/array_placer.hpp"

namespace stoker {

class Transformer::Impl {
 public:
  Impl(Recipe recipe, TransformOptions options) : transform_(std::move(recipe)), options_(options) {}

  const Recipe& recipe() const { return transform_.recipe(); }

  std::string run(const TransformSample& sample, std::span<std::byte> out) {
    if (out.size() != recipe().bytes_per_sample())
      throw Error(ErrorCode::invalid_argument,
                  {.operation = "transform",
                   .object = "the place of the tensor",
                   .found = fmt::format("{} bytes", out.size()),
                   .allowed = fmt::format("{}, those of the recipe", recipe().bytes_per_sample())});
    if (recipe().is_array()) {
      const std::vector<std::size_t> shape = recipe().shape();
      const Result<void> placed = arrays_.place(sample.bytes, shape, recipe().dtype(), out.data());
      if (!placed) throw Error(placed.error());
      return "";
    }
    const Result<image::TransformOutcome> outcome =
        transform_.run(decoder_,
                       {.bytes = sample.bytes,
                        .seek_points = sample.seek_points,
                        .max_pixels = options_.max_pixels,
                        .pixels = options_.pixels},
                       {.seed = sample.seed, .epoch = sample.epoch, .index = sample.index}, out.data());
    if (!outcome) throw Error(outcome.error());
    return std::string(outcome->warning);
  }

 private:
  const image::Transform transform_;
  const TransformOptions options_;
  image::Decoder decoder_;
  load::ArrayPlacer arrays_;
};

Transformer::Transformer(Recipe recipe, TransformOptions options)
    : impl_(std::make_unique<Impl>(std::move(recipe), options)) {}
Transformer::~Transformer() = default;
Transformer::Transformer(Transformer&&) noexcept = default;
Transformer& Transformer::operator=(Transformer&&) noexcept = default;

const Recipe& Transformer::recipe() const { return impl_->recipe(); }

std::string Transformer::run(const TransformSample& sample, std::span<std::byte> out) {
  return impl_->run(sample, out);
}

}  // namespace stoker
