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

// Which of `count` processes this one is, each of which makes its share of the shards.
struct PackPart {
  std::uint64_t index = 0;
  std::uint64_t count = 1;
};

struct PackOptions {
  std::string source;
  std::string destination;             // x.rec, x.tar, x.tfrecord; without an ending `format` adds it
  std::optional<RecordFormat> format;  // default: by the destination's ending, else recordio
  // Shards x-000000.rec, x-000001.rec, … of about so many bytes each, or so many shards; both 0: one, x.rec.
  // Where they are cut depends on source and options alone.
  std::uint64_t shard_bytes = 0;
  std::uint64_t shards = 0;
  PackPart part;        // finished parts wait in x.packing until merge_pack
  bool resume = false;  // take over what an interrupted pack to this destination finished
  // Leave out what the format cannot hold (json beside the image in RecordIO), which else stops the pack.
  bool drop_fields = false;
  std::int64_t label_offset = 0;  // added to the label of every sample
  OpenOptions open;
  int resize_short = 0;  // pixels; 0: no resize. Smaller images pass through untouched unless `enlarge`
  bool enlarge = false;
  int max_side = 0;            // pixels: the long side becomes at most so long; 0: no bound. Never enlarges
  bool center_crop = false;    // to a square of the short side, after the resize
  std::optional<int> quality;  // 1..100; given alone it re-encodes every JPEG; default 90 where pixels change
  Encode encode = Encode::keep;
  Subsampling subsampling = Subsampling::keep;
  // JPEGs of another process become baseline, coefficient by coefficient the same, where all of them are
  // there.
  bool baseline = false;
  // Turns pixels by their EXIF orientation, without loss where a JPEG's blocks allow it.
  bool upright = false;
  // What is done once with each sample in place of all options of pixels: steps on .npy arrays, as in
  // "spectrogram(window=256, hop=64)", or a command of the shell's, fed samples as docs/precompute.md says.
  std::string precompute;
  std::string precompute_command;
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

// Two images of the same bytes, by their places in the source's order.
struct DuplicateSample {
  std::uint64_t sample = 0;
  std::uint64_t same_as = 0;
};

inline constexpr std::size_t kNamedSamples = 1000;

// inputs = packed + skipped_count, always.
struct PackReport {
  std::uint64_t inputs = 0;
  std::uint64_t packed = 0;
  std::uint64_t skipped_count = 0;
  std::uint64_t warned_count = 0;
  // The first kNamedSamples of each, in input order; x.skipped.tsv has all that were skipped.
  std::vector<SkippedSample> skipped;
  std::vector<SkippedSample>
      warned;  // packed all the same: what the decoder, or a look at the bytes, complained of
  std::map<std::string, std::uint64_t> changed;  // kind of change → images: resized, cropped, reencoded, …
  // Process and reason → images that `baseline` left as they are: "progressive, damaged", …
  std::map<std::string, std::uint64_t> kept;
  std::map<std::string, std::uint64_t> dropped_fields;  // name → samples that had it, with drop_fields
  std::uint64_t duplicates = 0;  // images equal to one before, by CRC-32C and size; x.duplicates.tsv has all
  std::vector<DuplicateSample> first_duplicates;  // a few of them
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;  // of the shards
  std::uint64_t indexed = 0;    // packed images with seek points
  // Reason → packed images without; indexed + all of these = packed, where a seek index was asked for.
  std::map<std::string, std::uint64_t> not_indexable;
  std::uint64_t index_bytes = 0;  // of the seek indexes
  std::vector<PackedShard> shards;
  std::vector<std::string> classes;
  std::vector<std::string> passed_over;  // hidden sub-folders of a folder source: no classes
  std::vector<std::string> other_files;  // of a folder source: the first of each ending that is no sample's,
                                         // and how many more there are; a dry run does not know
  // Lines of a list with the id of an earlier line: whoever looks a record up by its id (MXNet, by the .idx)
  // finds one of them. A dry run does not know.
  std::uint64_t repeated_ids = 0;
  double images_per_s = 0;
  double wall_s = 0;
  double cpu_s = 0;
  double sync_s = 0;       // part of wall_s spent making the files durable
  double sync_cpu_s = 0;   // part of cpu_s spent so
  bool estimated = false;  // plan_pack looked at a part of the source: counts and bytes are reckoned from it
  bool too_many_bad = false;         // over max_bad_share: nothing was committed under the final names
  std::uint64_t shards_planned = 1;  // of the whole pack
  std::uint64_t shards_kept = 0;     // finished by an earlier, interrupted pack
  bool waits_for_merge = false;      // a part: its shards lie in x.packing
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
// final name. Of a pack of several shards that was stopped, by whatever cause, the finished ones wait in
// x.packing for a pack with `resume`. Errors: invalid_argument, not_found, io, out_of_resources, cancelled;
// corrupt_data with OnError::raise.
PackReport pack(const PackOptions& options, const PackProgressCallback& progress = {},
                const std::atomic<bool>* cancel = nullptr);

// Puts the shards that all parts made under their final names, with what belongs to all of them. Of `options`
// the destination, the format and max_bad_share count. Where nothing is left to merge, since it was done
// before, the report is that of x.dataset.json.
// Errors: not_found (no pack), invalid_argument (parts that are not finished: they are named), io,
// out_of_resources.
PackReport merge_pack(const PackOptions& options);

}  // namespace stoker
