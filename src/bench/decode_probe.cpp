#include "bench/decode_probe.hpp"

#include <algorithm>
#include <limits>

#include "bench/bench_checks.hpp"
#include "bench/cpu_clock.hpp"
#include "bench/probe_files.hpp"
#include "bench/turbo_route.hpp"
#include "image/decoder.hpp"
#include "image/transform.hpp"
#include "jpeg/encoder.hpp"

namespace stoker::bench {

namespace {

constexpr std::size_t kMostFileBytes = 8 << 20;
constexpr std::uint64_t kMostPixels = 25'000'000;  // takes a quarter of a second
constexpr int kPasses = 3;
constexpr int kShortSide = 256, kQuality = 90, kSide = 224;
constexpr const char* kRecipe = "random_resized_crop(224)";

using Bytes = std::vector<std::byte>;

// A whole file, or nothing where it is no JPEG or a large one.
bool read_jpeg(const std::string& path, Bytes& bytes) {
  ProbeFile file(path);
  if (!file.is_open() || file.size() < 4 || file.size() > kMostFileBytes) return false;
  bytes.resize(file.size());
  const auto got = file.read(bytes);
  return got == bytes.size() && bytes[0] == std::byte{0xff} && bytes[1] == std::byte{0xd8};
}

class DecodeProbe {
 public:
  // Adds an image's three times; nothing where one of the decoders refuses it. After `until_s` no pass but
  // the first is begun.
  void measure(const Bytes& bytes, std::uint64_t number, double until_s) {
    const image::SampleCoordinates sample{.index = number};
    // Our decoder goes first: it refuses files that would keep plain libjpeg busy for ever.
    if (!stokers(bytes, sample)) return;
    const auto full = turbo_.decode(bytes, kMostPixels);
    if (!full || !make_smaller(*full)) return;
    double sums[3] = {0, 0, 0};
    int passes = 0;
    for (; passes < kPasses && (passes == 0 || wall_s() < until_s); ++passes) {
      const double begin = thread_cpu_s();
      const bool whole = as_others(bytes, sample);
      const double after_whole = thread_cpu_s();
      const bool small = as_others(smaller_, sample);
      const double after_small = thread_cpu_s();
      if (!whole || !small || !stokers(bytes, sample)) return;
      sums[0] += after_whole - begin;
      sums[1] += after_small - after_whole;
      sums[2] += thread_cpu_s() - after_small;
    }
    for (int i = 0; i < 3; ++i) sums_s_[i] += sums[i] / passes;
    ++images_;
  }

  std::size_t images() const { return images_; }
  void tell(ProbeSeen& seen) const {
    if (images_ == 0) return;
    const double to_ms = 1e3 / static_cast<double>(images_);
    seen.decode_ms = sums_s_[0] * to_ms;
    seen.decode_small_ms = sums_s_[1] * to_ms;
    seen.stoker_ms = sums_s_[2] * to_ms;
  }

 private:
  // As most loaders do: the whole image, then a random crop of it resized.
  bool as_others(const Bytes& bytes, const image::SampleCoordinates& sample) {
    const auto full = turbo_.decode(bytes, kMostPixels);
    if (!full) return false;
    const Rect whole{0, 0, full->width, full->height};
    const Rect crop = transform_.geometry({full->width, full->height}, sample).spec.crop.value_or(whole);
    const std::uint8_t* first =
        full->data + static_cast<std::size_t>(crop.y) * full->stride + static_cast<std::size_t>(crop.x) * 3;
    resizer_.resize({first, crop.width, crop.height, full->stride}, {0, 0, crop.width, crop.height},
                    {crop.width, crop.height}, {kSide, kSide}, {0, 0, kSide, kSide}, Filter::bilinear,
                    {crop_.data(), kSide, kSide, std::size_t{kSide} * 3});
    return true;
  }

  bool stokers(const Bytes& bytes, const image::SampleCoordinates& sample) {
    return transform_.run(stoker_, {.bytes = bytes, .max_pixels = kMostPixels}, sample, sample_.data())
        .has_value();
  }

  // The picture at a short side of 256, as a packer would write it; one that is no larger as it is.
  bool make_smaller(const image::RgbView& full) {
    image::RgbView small = full;
    const int side = std::min(full.width, full.height);
    if (side > kShortSide) {
      const auto scaled = [side](int length) {
        return static_cast<int>(std::int64_t{length} * kShortSide / side);
      };
      const Size to{scaled(full.width), scaled(full.height)};
      const std::size_t stride = static_cast<std::size_t>(to.width) * 3;
      pixels_.resize(stride * static_cast<std::size_t>(to.height));
      resizer_.resize(full, {0, 0, full.width, full.height}, {full.width, full.height}, to,
                      {0, 0, to.width, to.height}, Filter::bilinear,
                      {pixels_.data(), to.width, to.height, stride});
      small = {pixels_.data(), to.width, to.height, stride};
    }
    const auto encoded =
        encoder_.encode(small.data, small.width, small.height, small.stride, {.quality = kQuality});
    if (!encoded) return false;
    smaller_.assign(encoded->begin(), encoded->end());
    return true;
  }

  TurboDecoder turbo_;
  image::Decoder stoker_;
  image::Resizer resizer_;
  image::Transform transform_{Recipe::parse(kRecipe)};
  jpeg::Encoder encoder_;
  std::vector<std::uint8_t> pixels_, crop_ = std::vector<std::uint8_t>(std::size_t{kSide} * kSide * 3);
  Bytes sample_ = Bytes(transform_.recipe().bytes_per_sample());
  Bytes smaller_;
  double sums_s_[3] = {0, 0, 0};
  std::size_t images_ = 0;
};

}  // namespace

void probe_decoding(const std::vector<std::string>& files, const DecodeProbeOptions& options,
                    const std::atomic<bool>* cancel, ProbeSeen& seen) {
  const double until_s = wall_s() + std::chrono::duration<double>(options.limit).count();
  DecodeProbe probe;
  Bytes bytes;
  // Storage was probed from the front.
  for (std::size_t i = files.size(); i > 0 && probe.images() < options.images && wall_s() < until_s; --i) {
    check_cancel("probe", cancel);
    if (read_jpeg(files[i - 1], bytes)) probe.measure(bytes, i, until_s);
  }
  probe.tell(seen);
}

}  // namespace stoker::bench
