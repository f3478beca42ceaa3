// Samples in a container: key, labels, named byte fields. The format is found by content, never by name
// alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stoker/store.hpp"

namespace stoker {

struct ImageInfo;  // stoker/image.hpp

// What the bytes of a field are. Numbers are little-endian, one behind another.
enum class FieldType {
  bytes,  // of any kind: a file, text
  int64,
  float32,
  bytes_list,  // runs of bytes, each behind its size as a u32; tf.train.Example alone has such
};

// What a field is to its sample, where its container's rules tell.
enum class FieldRole {
  content,
  label,       // Sample::labels says the same
  key,         // Sample::key says the same
  image_fact,  // the image says the same: its format, width, height
};

// One named run of bytes of a sample.
struct Field {
  std::string name;
  std::span<const std::byte> bytes;
  FieldType type = FieldType::bytes;
  FieldRole role = FieldRole::content;
};

// One sample. Owns: `buffer` holds the bytes that the fields view; moving keeps the views valid, copying is
// refused. Reused between reads, so that a loop allocates nothing once the largest sample was met.
struct Sample {
  Sample() = default;
  Sample(Sample&&) = default;
  Sample& operator=(Sample&&) = default;
  Sample(const Sample&) = delete;
  Sample& operator=(const Sample&) = delete;

  // RecordIO: the id in decimal; folder: path relative to its root; .lst: the path column; tar: folders and
  // name up to its first dot; TFRecord: image/filename, else the ordinal; MDS: a text column that is a key,
  // else the ordinal.
  std::string key;
  std::vector<float> labels;  // empty: the container holds none for this sample (a raw record)
  // At least one. RecordIO, folder, .lst: "image", or "data" of a raw record; tar: by the members' endings
  // ("jpg", "json"), the label's included; TFRecord: by the features' names; MDS: by the columns'.
  std::vector<Field> fields;
  std::size_t main_field = 0;  // which field a decoder gets
  std::vector<std::byte> buffer;
  // Packed seek points of the main field, from the source's seek index; empty: none, or none to be trusted.
  std::vector<std::byte> seek_points;

  std::span<const std::byte> main() const { return fields[main_field].bytes; }
};

// Where a record lies.
struct RecordInfo {
  std::string container;     // path of the file that holds it
  std::uint64_t offset = 0;  // of its first framing byte; 0 for a file of its own
  std::uint64_t bytes = 0;   // framing and padding included; 0 for a file whose size was not asked yet
};

// One damaged record, or stretch of bytes that should have been one.
struct BadRecord {
  std::string container;
  std::uint64_t offset = 0;
  std::string key;  // empty where the damage hides it
  std::string reason;
};

enum class RecordFormat { folder, list, recordio, tar, tfrecord, mds };
std::string_view to_string(RecordFormat format);
// Whether each sample is a file of its own (folder, list), so that a bad one is nobody else's fault.
bool has_own_files(RecordFormat format);

// Whether a seek index that lies by a source is used.
enum class SeekIndexUse { automatic, off };
// When the CRC-32C that a seek index holds of an image is compared with the image's bytes; the sizes always
// are.
enum class CheckBytes {
  first,   // when a record is first read
  always,  // at every read
  never
};

struct OpenOptions {
  std::string root;          // of the paths in a .lst; default: the .lst file's own folder
  std::string classes_file;  // one class name a line: fixes the class map of a folder; default: sub-folders
                             // in code-point order
  std::string index_dir;     // where record and seek indexes are cached; default: beside the container where
                             // one lies, else $XDG_CACHE_HOME/stoker/records and …/seek
  SeekIndexUse seek_index = SeekIndexUse::automatic;
  CheckBytes check_bytes = CheckBytes::first;
  std::shared_ptr<Store> store;  // default: open_store(source)
};

// What tells a source from another one, or from an earlier state of itself.
struct SourceFingerprint {
  bool files = false;  // each sample is a file of its own
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;  // of the container; 0 for files
  std::uint32_t head_crc32c =
      0;  // of the container's first 64 KiB; for files: of all relative paths in order
  std::uint32_t tail_crc32c = 0;  // of its last 64 KiB; 0 for files
  friend bool operator==(const SourceFingerprint&, const SourceFingerprint&) = default;
};

// What became of the seek index of a source.
enum class SeekIndexState {
  none,  // none lies there, or it was not asked for
  used,
  unreadable,   // the system refused
  damaged,      // it is no seek index, or a broken one
  unsupported,  // of a later version
  foreign,      // of another source, or of an earlier state of this one
};
std::string_view to_string(SeekIndexState state);

struct SeekIndexInfo {
  SeekIndexState state = SeekIndexState::none;
  std::string path;                 // of the index that is used, or of the one that cannot be
  std::string reason;               // why it is not used
  std::uint64_t indexed = 0;        // records with points
  std::uint64_t not_indexable = 0;  // records known to have none
  // Records whose points were left aside so far, each counted once:
  std::uint64_t dropped_damaged = 0;  // an entry that is broken or cannot be read
  std::uint64_t dropped_stale = 0;    // an image of another size or place
  std::uint64_t dropped_changed = 0;  // an image of another CRC-32C
};

// Random access to the samples of a source. Threads: every const member may be called from many at once.
class RecordReader {
 public:
  virtual ~RecordReader() = default;

  virtual RecordFormat format() const = 0;
  virtual std::size_t size() const = 0;
  // Names of the classes by label, from the folder, dataset.json or classes_file; empty where nothing tells.
  virtual const std::vector<std::string>& classes() const = 0;
  virtual RecordInfo info(std::size_t index) const = 0;
  // Reads sample `index` into `sample`, reusing its memory.
  // Errors: corrupt_data (container, offset and reason named), io, not_found (a file that vanished),
  // unavailable.
  virtual void read(std::size_t index, Sample& sample) const = 0;
  // The label of each sample where the source knows it without reading samples (folder, .lst), else empty.
  virtual std::span<const float> known_labels() const { return {}; }
  // The id that the source gives to sample `index` where it knows it without reading the sample (.lst: the
  // first column).
  virtual std::optional<std::uint64_t> known_id(std::size_t) const { return std::nullopt; }
  // The container, folder or list as a path, which side files lie by; empty: it has no place.
  virtual std::string source_path() const { return ""; }
  // Of a source of many containers the reader of each, whose samples follow each other in this one and whose
  // side files lie by each of them; else none.
  virtual std::span<const std::shared_ptr<const RecordReader>> shards() const { return {}; }
  // None where there is no place. Cost: reads 128 KiB of a container, all paths of a folder. Errors: io.
  virtual std::optional<SourceFingerprint> fingerprint() const { return std::nullopt; }
  // The seek index that samples get their seek points from, and what it met so far.
  virtual SeekIndexInfo seek_index() const { return {}; }
  // Looks once more for a seek index: a better one may have been published. Errors: io, out_of_resources.
  virtual void renew_seek_index() const {}
  // OpenOptions::index_dir, as it was opened with.
  virtual std::string index_dir() const { return ""; }
};

// Opens what `source` names: a folder of class folders (ImageFolder rules; hidden folders are no classes), x.lst,
// a container (.rec, .tar, .tfrecord, each also gzipped), many of them (shards/{000000..000007}.tar, *.tar, their
// folder, the NAME.dataset.json of a packed set, its folder, or NAME.rec where no such file is), or the folder of
// an MDS set. Of a container the cached record index is used where it fits, then its text index, else it is
// scanned once and the index cached. A seek index that fits gives the samples their seek points; one that does
// not is left, and seek_index() says why.
// Cost: a gzipped container is unpacked into a temporary file. Many containers are opened in parallel, and take
// a bounded number of descriptors.
// Errors: not_found (missing numbers of a range are named), invalid_argument (an empty class folder, no samples,
// files of several formats), corrupt_data (a damaged container without an index: the offset is named),
// unsupported (a format that this build does not read).
std::unique_ptr<RecordReader> open_records(const std::string& source, const OpenOptions& options = {});

// A reader of some samples of another, in the order of `indices`, repeats included: for samplers, subsets, folds.
// It has no place, so that nothing learned of its images is kept. Errors: invalid_argument (an index beyond the last).
std::unique_ptr<RecordReader> select_records(std::shared_ptr<const RecordReader> records,
                                             std::vector<std::uint64_t> indices);

// Walks a source from its first byte to its last, past damage.
class RecordScanner {
 public:
  enum class Step { record, damage, end };
  virtual ~RecordScanner() = default;

  // record: `sample` and `info` are filled. damage: `bad` is filled, and the next call goes on behind it
  // where it can. Errors: io.
  virtual Step next(Sample& sample, RecordInfo& info, BadRecord& bad) = 0;
};

// Errors: as open_records, but damage is met by next().
std::unique_ptr<RecordScanner> scan_records(const std::string& source, const OpenOptions& options = {});

// What the records of a source say against its indexes (.idx, record index, seek index); empty if they agree
// or there is none. Cost: reads a container once, and each image that a seek index knows. Errors: io.
std::vector<BadRecord> check_indexes(const std::string& source, const OpenOptions& options = {});

// What a container is to hold of one sample. Views only.
struct NewSample {
  std::string_view key;
  std::span<const float> labels;  // none: a raw record
  std::span<const Field> fields;
  std::size_t main_field = 0;
  std::optional<std::uint64_t> id;   // default: its ordinal in the container
  const ImageInfo* image = nullptr;  // of the main field; null: it is no image, or not looked at
  std::string_view class_name;       // of its label; empty: it has none
};

// Names of the fields of `sample` that a container of `format` cannot hold, those of other roles than content
// left out: nothing is lost with them.
std::vector<std::string> fields_lost(const NewSample& sample, RecordFormat format);

// Writes samples in order. Threads: one at a time. Nothing appears under the final names before finish().
class RecordWriter {
 public:
  virtual ~RecordWriter() = default;

  // Appends a sample.
  // Errors: invalid_argument (more than a record of this format holds, in bytes or in fields), io,
  // out_of_resources.
  virtual RecordInfo add(const NewSample& sample) = 0;
  // The same of one field.
  RecordInfo append(const std::string& key, std::span<const float> labels, const Field& main,
                    std::optional<std::uint64_t> id = std::nullopt) {
    return add({.key = key, .labels = labels, .fields = std::span(&main, 1), .id = id});
  }
  virtual std::uint64_t records() const = 0;
  virtual std::uint64_t bytes() const = 0;
  // CRC-32C of all bytes appended so far.
  virtual std::uint32_t crc32c() const = 0;
  // Where in the container a reader will find the main field of the sample that was appended last.
  virtual std::uint64_t main_offset() const = 0;
  // Makes container and indexes durable without showing them; nothing may be appended then, and finish() only
  // renames. Errors: io, out_of_resources.
  virtual void prepare() = 0;
  // Of the container as it will stand; behind prepare().
  virtual SourceFingerprint fingerprint() const = 0;
  // Commits container and indexes, the container last. Errors: io, out_of_resources.
  virtual void finish() = 0;
};

// The container format that the ending of a path names: .rec, .tar, .tfrecord (also before -00000-of-00005).
std::optional<RecordFormat> format_of_ending(std::string_view path);

// A writer of a container with its record index (NAME.index) and, for x.rec, x.idx, for x.tfrecord,
// x.tfrecord.idx beside it. `format`: default by the ending.
// Errors: unsupported (a format or ending that is not written), io.
std::unique_ptr<RecordWriter> open_record_writer(const std::string& path,
                                                 std::shared_ptr<Store> store = nullptr,
                                                 std::optional<RecordFormat> format = std::nullopt);

}  // namespace stoker
