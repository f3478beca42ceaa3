// From a folder, list or container to shards: `plan_pack` predicts, `pack` does, the report accounts for
// every input.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "stoker/image.hpp"
#include "stoker/record.hpp"

namespace stoker {

// keep: an image that is changed stays of its kind. Else images of another kind are converted, changed or
// not.
enum class Encode { keep, jpeg, png };
// Of the JPEGs that are written. Given without a resize or crop, those sampled otherwise are encoded again.
enum class Subsampling { keep, s420, s444 };
enum class OnError { skip, raise };

struct PackOptions {
  std::string source;
  std::string destination;  // x.rec
  OpenOptions open;
  int resize_short = 0;  // pixels; 0: no resize. Smaller images pass through untouched unless `enlarge`
  bool enlarge = false;
  bool center_crop = false;    // to a square of the short side, after the resize
  std::optional<int> quality;  // 1..100; given alone it re-encodes every JPEG; default 90 where pixels change
  Encode encode = Encode::keep;
  Subsampling subsampling = Subsampling::keep;
  // Writes where a decoder may enter each JPEG as x.rec.seek, so that loaders decode only their crops.
  bool seek_index = true;
  OnError on_error = OnError::skip;
  double max_bad_share = 0.01;  // of the inputs; more fails the pack (the report still names them)
  std::uint64_t max_pixels = kDefaultMaxPixels;
  int threads = 0;  // 0: the CPUs that may be used; the output is the same for any number
};

struct SkippedSample {
  std::string key;
  std::string reason;
};

struct PackedShard {
  std::string path;
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
  std::uint32_t crc32c = 0;
};

// inputs = packed + skipped_count, always.
struct PackReport {
  std::uint64_t inputs = 0;
  std::uint64_t packed = 0;
  std::uint64_t skipped_count = 0;
  std::vector<SkippedSample> skipped;  // all of them, in input order
  std::vector<SkippedSample>
      warned;  // packed all the same: what the decoder, or a look at the bytes, complained of
  std::map<std::string, std::uint64_t> changed;  // kind of change → images: resized, cropped, reencoded, …
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;  // of the shards
  std::uint64_t indexed = 0;    // packed images with seek points
  // Reason → packed images without; indexed + all of these = packed, where a seek index was asked for.
  std::map<std::string, std::uint64_t> not_indexable;
  std::uint64_t index_bytes = 0;  // of the seek indexes
  std::vector<PackedShard> shards;
  std::vector<std::string> classes;
  std::vector<std::string> passed_over;  // hidden sub-folders of a folder source: no classes
  double images_per_s = 0;
  double wall_s = 0;
  double cpu_s = 0;
  double sync_s = 0;       // part of wall_s spent making the files durable
  double sync_cpu_s = 0;   // part of cpu_s spent so
  bool estimated = false;  // plan_pack looked at a part of the source: counts and bytes are reckoned from it
  bool too_many_bad = false;  // over max_bad_share: nothing was committed under the final names
};

struct PackProgress {
  std::uint64_t done = 0;
  std::uint64_t total = 0;
  std::uint64_t skipped = 0;
  std::uint64_t bytes_out = 0;
};

// Called from the packing thread, at most ten times a second.
using PackProgressCallback = std::function<void(const PackProgress&)>;

// Predicts the report from a sample of the source; writes nothing.
PackReport plan_pack(const PackOptions& options);

// Packs. Order is kept; `cancel` set by another thread stops it cleanly (cancelled), leaving no file under a
// final name. Errors: invalid_argument, not_found, io, out_of_resources, cancelled; corrupt_data with
// OnError::raise.
PackReport pack(const PackOptions& options, const PackProgressCallback& progress = {},
                const std::atomic<bool>* cancel = nullptr);

}  // namespace stoker
