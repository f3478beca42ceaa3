// One sample on its way through a pack: read, rewritten, and what became of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stoker/error.hpp"
#include "stoker/record.hpp"

#include "pack/point_finder.hpp"
#include "pack/precompute.hpp"
#include "pack/sample_rewriter.hpp"
#include "record/seek_index.hpp"

namespace stoker::packing {

// Reused from sample to sample. Owns: the source's bytes and, where they were rewritten, the new ones.
struct PackedSample {
  Sample sample;
  std::string key;             // known also where the sample could not be read
  std::uint64_t index = 0;     // its place in the source
  std::uint64_t bytes_in = 0;  // of the main field; 0 where it could not be read
  std::uint64_t id = 0;        // that the source gave it, else `index`
  std::vector<std::byte> rewritten;
  std::span<const std::byte> payload;  // the main field that is packed, in `sample` or `rewritten`
  std::uint32_t crc32c = 0;            // of the payload
  std::vector<Field> fields;           // that are packed; views
  std::size_t main_field = 0;          // of these
  std::vector<float> labels;           // that are packed
  std::vector<std::string> dropped_fields;
  std::optional<ImageInfo> image;         // of the payload, where the format tells it
  std::optional<record::SeekEntry> seek;  // without its offset; none: not asked for, or skipped
  std::vector<std::byte> seek_points;     // packed, of the payload
  Changes changes;
  std::string warning;
  std::string kept;            // as Rewritten has it
  std::optional<Error> fault;  // why it is skipped

  std::size_t bytes() const { return sample.buffer.size() + rewritten.size() + seek_points.size(); }
  // Gives back memory beyond `keep` bytes that a large sample left behind.
  void trim(std::size_t keep);
};

// Of one label that is a class's; empty where it is none that is known.
std::string_view class_name(std::span<const float> labels, const std::vector<std::string>& classes);

PrecomputeOptions precompute_options(const PackOptions& options, const std::atomic<bool>* cancel = nullptr);

// What a thread works with.
struct SampleTools {
  const PackOptions& options;
  const RecordFormat format;  // of what is written
  SampleRewriter rewriter;
  std::unique_ptr<Precompute> precompute;  // null: none is asked for
  std::optional<PointFinder> finder;       // none: no seek points are wanted

  SampleTools(const PackOptions& pack_options, RecordFormat written, const std::atomic<bool>* cancel)
      : options(pack_options),
        format(written),
        rewriter(pack_options),
        precompute(make_precompute(precompute_options(pack_options, cancel))) {
    if (options.seek_index) finder.emplace();
  }
};

// Reads sample `index`, rewrites it and finds its seek points. What is wrong with this sample alone ends in
// `fault`. Errors: whatever concerns more than this sample (out_of_resources and io of a container,
// internal): thrown.
void prepare_sample(const RecordReader& source, std::size_t index, const std::string& root,
                    SampleTools& tools, PackedSample& out);

}  // namespace stoker::packing
