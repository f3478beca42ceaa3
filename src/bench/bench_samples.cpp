#include "bench/bench_samples.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "stoker/error.hpp"

#include "bench/turbo_route.hpp"
#include "image/decoder.hpp"

namespace stoker::bench {

namespace {

// "" if both routes take the sample, else why not.
std::string refusal(TurboDecoder& turbo, image::Decoder& decoder, std::span<const std::byte> bytes,
                    std::uint64_t max_pixels) {
  if (const auto pixels = turbo.decode(bytes, max_pixels); !pixels) return pixels.error().what();
  DecodeSpec spec;
  spec.max_pixels = max_pixels;
  if (const auto pixels = decoder.decode(bytes, spec); !pixels) return pixels.error().what();
  return "";
}

}  // namespace

BenchSamples read_bench_samples(const RecordReader& records, std::size_t limit,
                                std::size_t memory_limit_bytes, std::uint64_t max_pixels, SampleForm form) {
  BenchSamples out;
  Transcoder transcoder;
  TurboDecoder turbo;
  image::Decoder decoder;
  Sample sample;
  const std::size_t wanted = std::min(limit, records.size());
  for (std::size_t i = 0; i < wanted; ++i) {
    // In 128 bits: a source's size times a limit may pass 64.
    __extension__ using Wide = unsigned __int128;
    const auto index = static_cast<std::size_t>(Wide{i} * records.size() / wanted);
    std::string reason;
    try {
      records.read(index, sample);
      if (out.bytes + sample.main().size() > memory_limit_bytes && !out.samples.empty()) break;
      reason = refusal(turbo, decoder, sample.main(), max_pixels);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::cancelled || error.code() == ErrorCode::out_of_resources) throw;
      sample.key.clear();  // the one before's; an error names its object itself
      reason = error.what();
    }
    if (!reason.empty()) {
      if (out.skipped++ == 0)
        out.first_skipped = sample.key.empty() ? reason : fmt::format("{}: {}", sample.key, reason);
      continue;
    }
    const ImageInfo info = value_or_throw(decoder.info(sample.main()));
    const auto bytes = value_or_throw(transcoder.transcode(sample.main(), form, max_pixels));
    out.samples.push_back({.index = index,
                           .size = {info.width, info.height},
                           .bytes = {bytes.begin(), bytes.end()},
                           .key = sample.key,
                           .seek_points = {}});
    out.bytes += bytes.size();
    out.pixels += std::uint64_t(info.width) * std::uint64_t(info.height);
  }
  if (out.samples.empty()) {
    throw Error(ErrorCode::invalid_argument,
                {.operation = "bench",
                 .object = records.size() > 0 ? records.info(0).container : "",
                 .found = out.skipped > 0
                              ? "no sample that plain libjpeg-turbo decodes; the first: " + out.first_skipped
                              : "no samples",
                 .allowed = "at least one gray or colour JPEG"});
  }
  return out;
}

std::uint64_t add_seek_points(std::vector<BenchSample>& samples) {
  std::uint64_t bytes = 0;
  for (BenchSample& sample : samples) {
    sample.seek_points = make_seek_points(sample.bytes);
    bytes += sample.seek_points.size();
  }
  return bytes;
}

}  // namespace stoker::bench
