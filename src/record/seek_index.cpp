#include "record/seek_index.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <functional>
#include <limits>

#include "base/crc.hpp"
#include "base/endian.hpp"

namespace stoker::record {

namespace {

// Source of all layout here: docs/formats/seek-index.md.
constexpr std::array<char, 8> kMagicWord = {'S', 'T', 'O', 'K', 'S', 'E', 'E', 'K'};
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kHasModifiedTime = 1, kSamplesAreFiles = 2;
constexpr std::size_t kHeaderBytes = 64, kTrailerBytes = 8;
constexpr std::size_t kTrailerReservedAt = 4;
constexpr std::size_t kVersionAt = 8, kFlagsAt = 12, kRecordsAt = 16, kSourceBytesAt = 24, kModifiedAt = 32,
                      kHeadCrcAt = 40, kTailCrcAt = 44;

constexpr std::size_t kEntryHeader = 24, kEntryTrailer = 4, kEmptyEntry = kEntryHeader + kEntryTrailer;
constexpr std::size_t kImageBytesAt = 8, kImageCrcAt = 12, kPointsAt = 16, kReasonAt = 20,
                      kEntryReservedAt = 21;

constexpr std::size_t kFlushBytes = std::size_t{1} << 20;

using HeaderBytes = std::array<std::byte, kHeaderBytes>;

HeaderBytes bytes_of(const SeekIndex::Header& header) {
  HeaderBytes bytes{};
  std::memcpy(bytes.data(), kMagicWord.data(), kMagicWord.size());
  store_le(bytes.data() + kVersionAt, kVersion);
  store_le(bytes.data() + kFlagsAt,
           (header.modified_ns ? kHasModifiedTime : 0u) | (header.source.files ? kSamplesAreFiles : 0u));
  store_le(bytes.data() + kRecordsAt, header.source.records);
  store_le(bytes.data() + kSourceBytesAt, header.source.bytes);
  store_le(bytes.data() + kModifiedAt, header.modified_ns.value_or(0));
  store_le(bytes.data() + kHeadCrcAt, header.source.head_crc32c);
  store_le(bytes.data() + kTailCrcAt, header.source.tail_crc32c);
  return bytes;
}

SeekIndex::Header header_of(const HeaderBytes& bytes) {
  const auto flags = load_le<std::uint32_t>(bytes.data() + kFlagsAt);
  SeekIndex::Header header{.source = {.files = (flags & kSamplesAreFiles) != 0,
                                      .records = load_le<std::uint64_t>(bytes.data() + kRecordsAt),
                                      .bytes = load_le<std::uint64_t>(bytes.data() + kSourceBytesAt),
                                      .head_crc32c = load_le<std::uint32_t>(bytes.data() + kHeadCrcAt),
                                      .tail_crc32c = load_le<std::uint32_t>(bytes.data() + kTailCrcAt)}};
  if (flags & kHasModifiedTime) header.modified_ns = load_le<std::int64_t>(bytes.data() + kModifiedAt);
  return header;
}

// Of an entry's bytes and the record that it is of, so that an entry in another's place is seen.
std::uint32_t entry_crc(std::uint64_t record, std::span<const std::byte> bytes) {
  std::array<std::byte, 8> number;
  store_le(number.data(), record);
  return crc32c(bytes, crc32c(number));
}

tl::unexpected<Error> broken(ErrorCode code, const ReadableFile& file, std::string found) {
  return fail(code, {.operation = "read seek index",
                     .object = file.path(),
                     .found = std::move(found),
                     .next_step = "remove the file; `stoker index` or an epoch makes it again"});
}

std::optional<std::string> wrong_directory(std::span<const std::uint64_t> offsets, std::uint64_t end) {
  if (offsets.front() != kHeaderBytes || offsets.back() != end) return "entries that leave bytes out";
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] < offsets[i - 1]) return "offsets that fall";
    const std::uint64_t bytes = offsets[i] - offsets[i - 1];
    if (bytes != 0 && (bytes < kEmptyEntry || bytes > kEmptyEntry + kMostPackedBytes))
      return fmt::format("an entry of {} bytes", bytes);
  }
  return std::nullopt;
}

}  // namespace

bool is_same_image(const SeekEntry& a, const SeekEntry& b) {
  return a.offset == b.offset && a.bytes == b.bytes && a.crc32c == b.crc32c;
}

std::uint64_t image_offset(const RecordReader& reader, std::size_t record, const Sample& sample) {
  const std::byte *buffer = sample.buffer.data(), *image = sample.main().data();
  const std::less_equal<const std::byte*> not_behind;
  const bool inside = not_behind(buffer, image) && not_behind(image, buffer + sample.buffer.size());
  return reader.info(record).offset + (inside ? static_cast<std::uint64_t>(image - buffer) : 0);
}

SeekEntry describe_image(const RecordReader& reader, std::size_t record, const Sample& sample) {
  const std::span<const std::byte> image = sample.main();
  if (image.size() > std::numeric_limits<std::uint32_t>::max())
    throw Error(ErrorCode::invalid_argument, {.operation = "index image",
                                              .object = sample.key,
                                              .found = fmt::format("{} bytes", image.size()),
                                              .allowed = "less than 4 GiB"});
  return {.offset = image_offset(reader, record, sample),
          .bytes = static_cast<std::uint32_t>(image.size()),
          .crc32c = crc32c(image)};
}

void append_entry(std::uint64_t record, const SeekEntry& entry, std::span<const std::byte> packed,
                  std::vector<std::byte>& out) {
  std::array<std::byte, kEntryHeader> header{};
  store_le(header.data(), entry.offset);
  store_le(header.data() + kImageBytesAt, entry.bytes);
  store_le(header.data() + kImageCrcAt, entry.crc32c);
  store_le(header.data() + kPointsAt, entry.points);
  store_le(header.data() + kReasonAt, entry.reason);
  const std::size_t begin = out.size();
  out.insert(out.end(), header.begin(), header.end());
  out.insert(out.end(), packed.begin(), packed.end());
  std::array<std::byte, kEntryTrailer> trailer;
  store_le(trailer.data(), entry_crc(record, std::span(out).subspan(begin)));
  out.insert(out.end(), trailer.begin(), trailer.end());
}

tl::expected<ParsedEntry, std::string> parse_entry(std::uint64_t record, std::span<const std::byte> bytes) {
  if (bytes.size() < kEmptyEntry) return tl::unexpected(fmt::format("an entry of {} bytes", bytes.size()));
  const auto body = bytes.first(bytes.size() - kEntryTrailer);
  if (entry_crc(record, body) != load_le<std::uint32_t>(bytes.data() + body.size()))
    return tl::unexpected(std::string("a wrong checksum"));
  const ParsedEntry parsed{.entry = {.offset = load_le<std::uint64_t>(body.data()),
                                     .bytes = load_le<std::uint32_t>(body.data() + kImageBytesAt),
                                     .crc32c = load_le<std::uint32_t>(body.data() + kImageCrcAt),
                                     .points = load_le<std::uint32_t>(body.data() + kPointsAt),
                                     .reason = load_le<std::uint8_t>(body.data() + kReasonAt)},
                           .packed = body.subspan(kEntryHeader)};
  if (std::any_of(body.begin() + kEntryReservedAt, body.begin() + kEntryHeader,
                  [](std::byte b) { return b != std::byte{}; }))
    return tl::unexpected(std::string("reserved bytes that are not 0"));
  if ((parsed.entry.points > 0) == parsed.packed.empty())
    return tl::unexpected(fmt::format("{} points in {} bytes", parsed.entry.points, parsed.packed.size()));
  if (parsed.packed.size() > parsed.entry.bytes)
    return tl::unexpected(
        fmt::format("{} bytes of points for an image of {}", parsed.packed.size(), parsed.entry.bytes));
  return parsed;
}

Result<SeekIndex> SeekIndex::open(std::unique_ptr<ReadableFile> file) {
  HeaderBytes header{};
  if (file->read_at(0, header) < kHeaderBytes)
    return broken(ErrorCode::corrupt_data, *file, "fewer than 64 bytes");
  if (std::memcmp(header.data(), kMagicWord.data(), kMagicWord.size()) != 0)
    return broken(ErrorCode::corrupt_data, *file, "no magic STOKSEEK");
  if (const auto version = load_le<std::uint32_t>(header.data() + kVersionAt); version != kVersion)
    return broken(ErrorCode::unsupported, *file,
                  fmt::format("version {} (this build reads {})", version, kVersion));
  const auto records = load_le<std::uint64_t>(header.data() + kRecordsAt);
  // Checked against the size that the file really has before anything is allocated.
  constexpr std::uint64_t kAround = kHeaderBytes + sizeof(std::uint64_t) + kTrailerBytes;
  if (file->bytes() < kAround || records > (file->bytes() - kAround) / sizeof(std::uint64_t))
    return broken(ErrorCode::corrupt_data, *file,
                  fmt::format("{} bytes for {} records", file->bytes(), records));
  std::vector<std::uint64_t> offsets(records + 1);
  const std::span<std::byte> directory = std::as_writable_bytes(std::span(offsets));
  const std::uint64_t directory_at = file->bytes() - kTrailerBytes - directory.size();
  std::array<std::byte, kTrailerBytes> trailer{};
  if (file->read_at(directory_at, directory) < directory.size() ||
      file->read_at(directory_at + directory.size(), trailer) < kTrailerBytes)
    return broken(ErrorCode::corrupt_data, *file, "it ends early");
  if (crc32c(directory, crc32c(header)) != load_le<std::uint32_t>(trailer.data()))
    return broken(ErrorCode::corrupt_data, *file, "a wrong checksum of header and directory");
  if (load_le<std::uint32_t>(trailer.data() + kTrailerReservedAt) != 0)
    return broken(ErrorCode::corrupt_data, *file, "reserved bytes that are not 0");
  if (auto wrong = wrong_directory(offsets, directory_at))
    return broken(ErrorCode::corrupt_data, *file, std::move(*wrong));
  return SeekIndex(std::move(file), header_of(header), std::move(offsets));
}

bool SeekIndex::has_points(std::size_t record) const { return entry_bytes(record) > kEmptyEntry; }

tl::expected<ParsedEntry, std::string> SeekIndex::read(std::size_t record, std::uint64_t most_bytes,
                                                       std::vector<std::byte>& memory) const {
  const std::uint64_t bytes = entry_bytes(record);
  if (bytes == 0) return tl::unexpected(std::string("no entry"));
  if (bytes > kEmptyEntry + most_bytes) return tl::unexpected(fmt::format("an entry of {} bytes", bytes));
  memory.resize(bytes);
  if (file_->read_at(offsets_[record], memory) < bytes) return tl::unexpected(std::string("it ends early"));
  return parse_entry(record, memory);
}

SeekIndexFile::SeekIndexFile(Store& store, const std::string& path, const SeekIndex::Header& header)
    : file_(store.create(path)), records_(header.source.records) {
  const HeaderBytes bytes = bytes_of(header);
  header_crc_ = crc32c(bytes);
  buffer_.assign(bytes.begin(), bytes.end());
  offsets_.reserve(records_ + 1);
  offsets_.push_back(kHeaderBytes);
}

void SeekIndexFile::add(std::span<const std::byte> entry) {
  buffer_.insert(buffer_.end(), entry.begin(), entry.end());
  offsets_.push_back(offsets_.back() + entry.size());
  if (buffer_.size() >= kFlushBytes) flush();
}

void SeekIndexFile::flush() {
  file_->append(buffer_);
  written_ += buffer_.size();
  buffer_.clear();
}

std::uint64_t SeekIndexFile::sync() {
  end();
  file_->sync();
  return written_;
}

std::uint64_t SeekIndexFile::commit() {
  end();
  file_->commit();
  return written_;
}

void SeekIndexFile::end() {
  if (ended_) return;
  if (offsets_.size() != records_ + 1)
    throw Error(ErrorCode::internal,
                {.operation = "write seek index",
                 .found = fmt::format("{} entries for {} records", offsets_.size() - 1, records_)});
  const auto directory = std::as_bytes(std::span(offsets_));
  std::array<std::byte, kTrailerBytes> trailer{};
  store_le(trailer.data(), crc32c(directory, header_crc_));
  buffer_.insert(buffer_.end(), directory.begin(), directory.end());
  buffer_.insert(buffer_.end(), trailer.begin(), trailer.end());
  flush();
  ended_ = true;
}

}  // namespace stoker::record
