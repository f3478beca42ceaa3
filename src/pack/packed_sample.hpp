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
#include "pack/sample_rewriter.hpp"
#include "record/seek_index.hpp"

namespace stoker::packing {

// Reused from sample to sample. Owns: the source's bytes and, where they were rewritten, the new ones.
struct PackedSample {
  Sample sample;
  std::string key;                  // known also where the sample could not be read
  std::uint64_t bytes_in = 0;       // of the main field; 0 where it could not be read
  std::optional<std::uint64_t> id;  // that the source gave it
  std::vector<std::byte> rewritten;
  std::span<const std::byte> payload;     // what is packed, in `sample` or `rewritten`
  std::optional<record::SeekEntry> seek;  // without its offset; none: not asked for, or skipped
  std::vector<std::byte> seek_points;     // packed, of the payload
  Changes changes;
  std::string warning;
  std::optional<Error> fault;  // why it is skipped

  std::size_t bytes() const { return sample.buffer.size() + rewritten.size() + seek_points.size(); }
  // Gives back memory beyond `keep` bytes that a large sample left behind.
  void trim(std::size_t keep);
};

// The source of a pack. Its own seek index is looked at only where its points would be of use and their
// images are compared. Errors: as open_records, and of class names.
std::unique_ptr<RecordReader> open_pack_source(const PackOptions& options);

// The folder below which the keys of a folder or list are paths, as open_records takes it; empty for a
// container.
std::string root_of_keys(const PackOptions& options, RecordFormat format);

// What a thread works with.
struct SampleTools {
  SampleRewriter rewriter;
  std::optional<PointFinder> finder;  // none: no seek points are wanted

  explicit SampleTools(const PackOptions& options) : rewriter(options) {
    if (options.seek_index) finder.emplace();
  }
};

// Reads sample `index`, rewrites it and finds its seek points. What is wrong with this sample alone ends in
// `fault`. Errors: whatever concerns more than this sample (out_of_resources and io of a container,
// internal): thrown.
void prepare_sample(const RecordReader& source, std::size_t index, const std::string& root,
                    SampleTools& tools, PackedSample& out);

}  // namespace stoker::packing
