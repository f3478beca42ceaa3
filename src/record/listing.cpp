#include "record/listing.hpp"

#include <array>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "stoker/error.hpp"

#include "base/endian.hpp"
#include "record/cbor_text.hpp"
#include "record/file_sample.hpp"
#include "record/folder_walk.hpp"
#include "record/list_reader.hpp"
#include "record/seen_ids.hpp"
#include "record/spill_file.hpp"

namespace stoker::record {

namespace {

// Layout, little-endian: the entries; a u64 offset of each and of their end; the source as JSON; a trailer of
// 40 bytes: magic, u32 version, u32 bytes of the JSON, u64 number of entries, u64 offset of the table, u64
// bytes of the whole file. An entry: u64 id, u64 bytes of the file, u32 number of labels, the labels as f32,
// the key.
constexpr std::array<char, 8> kMagic = {'S', 'T', 'O', 'K', 'L', 'I', 'S', 'T'};
constexpr std::uint32_t kVersion = 2;
constexpr std::size_t kTrailerBytes = 40, kEntryHead = 20;
constexpr std::uint64_t kUnknown = ~std::uint64_t{0};
constexpr std::size_t kPiece = std::size_t{1} << 20;

class ListingFile {
 public:
  ListingFile(Store& to, const std::string& path)
      : file_(to.create(path)), ends_(std::filesystem::path(path).parent_path().string()) {}

  void add(std::string_view key, std::span<const float> labels, std::uint64_t id, std::uint64_t bytes) {
    put_number(written_ + buffer_.size(), ends_);
    std::array<std::byte, kEntryHead> head;
    store_le(head.data(), id);
    store_le(head.data() + 8, bytes);
    store_le(head.data() + 16, static_cast<std::uint32_t>(labels.size()));
    put(head);
    put(std::as_bytes(labels));
    put(std::as_bytes(std::span(key)));
    ++count_;
  }

  void commit(const ListingSource& source) {
    flush();
    const std::uint64_t table_at = written_;
    put_number(table_at, ends_);
    std::vector<std::byte> piece(kPiece);
    for (std::uint64_t at = 0; at < ends_.bytes(); at += kPiece) {
      const auto part = std::span(piece).first(std::min<std::uint64_t>(kPiece, ends_.bytes() - at));
      ends_.read_at(at, part);
      put(part);
    }
    const nlohmann::ordered_json json = {{"format", to_string(source.format)},
                                         {"source", bytes_json(source.source)},
                                         {"root", bytes_json(source.root)},
                                         {"classes", bytes_json(source.classes)},
                                         {"other_files", bytes_json(source.other_files)},
                                         {"repeated_ids", source.repeated_ids}};
    const std::vector<std::uint8_t> packed = nlohmann::ordered_json::to_cbor(json);
    put(std::as_bytes(std::span(packed)));
    flush();
    std::array<std::byte, kTrailerBytes> trailer{};
    std::memcpy(trailer.data(), kMagic.data(), kMagic.size());
    store_le(trailer.data() + 8, kVersion);
    store_le(trailer.data() + 12, static_cast<std::uint32_t>(packed.size()));
    store_le(trailer.data() + 16, count_);
    store_le(trailer.data() + 24, table_at);
    store_le(trailer.data() + 32, written_ + kTrailerBytes);
    put(trailer);
    flush();
    file_->commit();
  }

 private:
  static void put_number(std::uint64_t number, SpillFile& to) {
    std::array<std::byte, 8> bytes;
    store_le(bytes.data(), number);
    to.append(bytes);
  }

  void put(std::span<const std::byte> bytes) {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    if (buffer_.size() >= kPiece) flush();
  }

  void flush() {
    if (!buffer_.empty()) file_->append(buffer_);
    written_ += buffer_.size();
    buffer_.clear();
  }

  std::unique_ptr<WritableFile> file_;
  SpillFile ends_;
  std::vector<std::byte> buffer_;
  std::uint64_t written_ = 0;
  std::uint64_t count_ = 0;
};

std::uint64_t size_of(Store& store, const std::string& path) {
  try {
    const auto info = store.info(path);
    return info ? info->bytes : kUnknown;
  } catch (const Error&) {
    return kUnknown;  // whoever reads the sample tells what is wrong with it
  }
}

Error broken(const ReadableFile& file, std::string found) {
  return Error(ErrorCode::corrupt_data, {.operation = "read listing",
                                         .object = file.path(),
                                         .found = std::move(found),
                                         .next_step = "remove the folder that it lies in, and begin anew"});
}

}  // namespace

void write_listing(Store& source_store, RecordFormat format, const std::string& source,
                   const ListingOptions& options, Store& to, const std::string& path) {
  ListingFile file(to, path);
  ListingSource of{.format = format, .source = source, .root = options.root, .classes = options.classes};
  if (format == RecordFormat::folder) {
    while (of.source.size() > 1 && of.source.ends_with('/')) of.source.pop_back();
    std::string key;
    OtherFiles others;
    const auto add_folder = [&](const FoundFolder& folder) {
      for (const std::string& name : folder.names) {
        key.assign(folder.path).append("/").append(name);
        file.add(key, std::span(&folder.label, 1), kUnknown,
                 options.with_sizes ? size_of(source_store, of.source + '/' + key) : kUnknown);
      }
    };
    of.classes = walk_class_folders(source_store, of.source, options.classes, add_folder, &others);
    of.other_files = others.told();
  } else {
    const ListedFiles files({std::shared_ptr<Store>(), &source_store}, source, options.root);
    SeenIds seen;
    read_list(source_store, source, [&](const ListLine& line) {
      if (seen.add(line.id)) ++of.repeated_ids;
      file.add(line.path, line.labels, line.id,
               options.with_sizes ? size_of(source_store, files.info(line.path).container) : kUnknown);
    });
  }
  file.commit(of);
}

// How the samples themselves are read.
class ListingReader::Files {
 public:
  Files(std::shared_ptr<Store> store, const ListingSource& source)
      : store_(std::move(store)), source_(source) {
    if (source.format == RecordFormat::list) listed_.emplace(store_, source.source, source.root);
  }

  RecordInfo info(std::string_view key) const {
    return listed_ ? listed_->info(key) : RecordInfo{.container = path(key)};
  }

  void read(std::string_view key, std::span<const float> labels, Sample& sample) const {
    if (listed_) return listed_->read(key, labels, sample);
    read_file_sample(*store_, path(key), key, labels, sample);
  }

 private:
  std::string path(std::string_view key) const { return fmt::format("{}/{}", source_.source, key); }

  const std::shared_ptr<Store> store_;
  const ListingSource& source_;
  std::optional<ListedFiles> listed_;
};

struct ListingReader::Entry {
  std::uint64_t id = 0;
  std::uint64_t bytes = 0;
  std::vector<float> labels;
  std::string key;
};

ListingReader::ListingReader(std::shared_ptr<Store> store, std::unique_ptr<ReadableFile> listing)
    : store_(std::move(store)), file_(std::move(listing)) {
  std::array<std::byte, kTrailerBytes> trailer{};
  const std::uint64_t bytes = file_->bytes();
  if (bytes < kTrailerBytes || file_->read_at(bytes - kTrailerBytes, trailer) < kTrailerBytes ||
      std::memcmp(trailer.data(), kMagic.data(), kMagic.size()) != 0 ||
      load_le<std::uint64_t>(trailer.data() + 32) != bytes)
    throw broken(*file_, "it is no listing, or was cut");
  if (const auto version = load_le<std::uint32_t>(trailer.data() + 8); version != kVersion)
    throw broken(*file_, fmt::format("version {} (this build reads {})", version, kVersion));
  const std::uint64_t json_bytes = load_le<std::uint32_t>(trailer.data() + 12);
  count_ = load_le<std::uint64_t>(trailer.data() + 16);
  table_at_ = load_le<std::uint64_t>(trailer.data() + 24);
  if (json_bytes > bytes - kTrailerBytes || table_at_ > bytes - kTrailerBytes - json_bytes ||
      (bytes - kTrailerBytes - json_bytes - table_at_) / 8 != count_ + 1)
    throw broken(*file_, "sizes that do not add up");
  std::vector<std::byte> packed(json_bytes);
  file_->read_at(bytes - kTrailerBytes - json_bytes, packed);
  try {
    const nlohmann::ordered_json json = nlohmann::ordered_json::from_cbor(packed);
    source_.format = json.at("format") == "list" ? RecordFormat::list : RecordFormat::folder;
    source_.source = text_of_bytes(json.at("source"));
    source_.root = text_of_bytes(json.at("root"));
    source_.classes = texts_of_bytes(json.at("classes"));
    source_.other_files = texts_of_bytes(json.at("other_files"));
    source_.repeated_ids = json.at("repeated_ids").get<std::uint64_t>();
  } catch (const nlohmann::json::exception&) {
    throw broken(*file_, "no description of its source");
  }
  files_ = std::make_unique<Files>(store_, source_);
}

ListingReader::~ListingReader() = default;

ListingReader::Entry ListingReader::entry(std::size_t index) const {
  if (index >= count_)
    throw Error(ErrorCode::invalid_argument, {.operation = "read sample",
                                              .object = source_.source,
                                              .found = fmt::format("sample {}", index),
                                              .allowed = fmt::format("less than {}", count_)});
  std::array<std::byte, 16> ends;
  file_->read_at(table_at_ + 8 * std::uint64_t{index}, ends);
  const auto begin = load_le<std::uint64_t>(ends.data()), end = load_le<std::uint64_t>(ends.data() + 8);
  if (begin > end || end > table_at_ || end - begin < kEntryHead)
    throw broken(*file_, fmt::format("entry {} out of its place", index));
  std::vector<std::byte> bytes(end - begin);
  const std::size_t got = file_->read_at(begin, bytes);
  const std::uint64_t labels = load_le<std::uint32_t>(bytes.data() + 16);
  if (got < bytes.size() || labels > (bytes.size() - kEntryHead) / sizeof(float))
    throw broken(*file_, fmt::format("entry {} cut", index));
  Entry entry{.id = load_le<std::uint64_t>(bytes.data()), .bytes = load_le<std::uint64_t>(bytes.data() + 8)};
  entry.labels.resize(labels);
  if (labels > 0) std::memcpy(entry.labels.data(), bytes.data() + kEntryHead, labels * sizeof(float));
  const std::size_t key_at = kEntryHead + labels * sizeof(float);
  entry.key.assign(reinterpret_cast<const char*>(bytes.data() + key_at), bytes.size() - key_at);
  return entry;
}

RecordInfo ListingReader::info(std::size_t index) const {
  const Entry found = entry(index);
  RecordInfo info = files_->info(found.key);
  if (found.bytes != kUnknown) info.bytes = found.bytes;
  return info;
}

std::optional<std::uint64_t> ListingReader::known_id(std::size_t index) const {
  const std::uint64_t id = entry(index).id;
  return source_.format == RecordFormat::list ? std::optional(id) : std::nullopt;
}

void ListingReader::read(std::size_t index, Sample& sample) const {
  const Entry found = entry(index);
  files_->read(found.key, found.labels, sample);
}

std::optional<SourceFingerprint> ListingReader::fingerprint() const {
  PathsCrc paths;
  for (std::size_t i = 0; i < size(); ++i) paths.add({entry(i).key});
  return SourceFingerprint{.files = true, .records = size(), .head_crc32c = paths.crc32c()};
}

}  // namespace stoker::record
