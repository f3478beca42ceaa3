#include "record/record_index.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>

#include "base/crc.hpp"
#include "base/endian.hpp"
#include "record/container_format.hpp"

namespace stoker::record {

namespace {

constexpr std::array<char, 8> kIndexMagic = {'S', 'T', 'O', 'K', 'R', 'E', 'C', 'I'};
constexpr std::uint32_t kIndexVersion = 1;
constexpr std::uint32_t kHasModifiedTime = 1;
constexpr std::size_t kHeaderBytes = 64;
constexpr std::size_t kTrailerBytes = 8;

// Byte positions in the header.
constexpr std::size_t kVersionAt = 8, kFlagsAt = 12, kCountAt = 16, kContainerBytesAt = 24, kModifiedAt = 32,
                      kHeadCrcAt = 40, kTailCrcAt = 44, kFormatAt = 48;

using Header = std::array<std::byte, kHeaderBytes>;

// The numbers of the container formats, as the file has them.
constexpr std::array kFormats = {RecordFormat::recordio, RecordFormat::tar, RecordFormat::tfrecord};

Header header_of(RecordFormat format, const Fingerprint& fingerprint, std::uint64_t count) {
  Header header{};
  std::memcpy(header.data(), kIndexMagic.data(), kIndexMagic.size());
  store_le(header.data() + kVersionAt, kIndexVersion);
  store_le(header.data() + kFlagsAt, fingerprint.modified_ns ? kHasModifiedTime : 0u);
  store_le(header.data() + kCountAt, count);
  store_le(header.data() + kContainerBytesAt, fingerprint.container_bytes);
  store_le(header.data() + kModifiedAt, fingerprint.modified_ns.value_or(0));
  store_le(header.data() + kHeadCrcAt, fingerprint.head_crc32c);
  store_le(header.data() + kTailCrcAt, fingerprint.tail_crc32c);
  const auto number = std::find(kFormats.begin(), kFormats.end(), format) - kFormats.begin();
  store_le(header.data() + kFormatAt, static_cast<std::uint32_t>(number));
  return header;
}

tl::unexpected<Error> broken(ErrorCode code, const ReadableFile& file, std::string found) {
  return fail(code, {.operation = "read record index",
                     .object = file.path(),
                     .found = std::move(found),
                     .next_step = "remove the file: it is made again from the container"});
}

// Records follow each other from the first byte to the last.
std::optional<std::string> wrong_offsets(const ContainerFormat& format,
                                         std::span<const std::uint64_t> offsets,
                                         std::uint64_t container_bytes) {
  if (offsets.size() > 1 && offsets.front() != 0)
    return fmt::format("the first record at {} instead of 0", offsets.front());
  if (offsets.back() != container_bytes)
    return fmt::format("records end at {} in a container of {} bytes", offsets.back(), container_bytes);
  const std::uint64_t smallest = format.smallest_record();
  bool rising = true, aligned = true;
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    rising &= offsets[i] >= smallest && offsets[i - 1] <= offsets[i] - smallest;
    aligned &= offsets[i - 1] % format.alignment() == 0;
  }
  if (!rising) return "offsets that do not rise by a record each";
  if (!aligned) return fmt::format("offsets that are no multiples of {}", format.alignment());
  return std::nullopt;
}

std::uint32_t crc_of_run(const ReadableFile& file, std::uint64_t offset, std::size_t bytes) {
  std::vector<std::byte> run(bytes);
  return crc32c(std::span(run).first(file.read_at(offset, run)));
}

// FNV-1a, 64 bit. Source: draft-eastlake-fnv.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

}  // namespace

Fingerprint fingerprint_of(const ReadableFile& container) {
  const std::uint64_t bytes = container.bytes();
  const auto run = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, kFingerprintRun));
  return {.container_bytes = bytes,
          .head_crc32c = crc_of_run(container, 0, run),
          .tail_crc32c = crc_of_run(container, bytes - run, run)};
}

Result<RecordIndex> read_record_index(const ReadableFile& file) {
  Header header{};
  if (file.read_at(0, header) < kHeaderBytes)
    return broken(ErrorCode::corrupt_data, file, "fewer than 64 bytes");
  if (std::memcmp(header.data(), kIndexMagic.data(), kIndexMagic.size()) != 0)
    return broken(ErrorCode::corrupt_data, file, "no magic STOKRECI");
  if (const auto version = load_le<std::uint32_t>(header.data() + kVersionAt); version != kIndexVersion)
    return broken(ErrorCode::unsupported, file,
                  fmt::format("version {} (this build reads {})", version, kIndexVersion));
  const auto count = load_le<std::uint64_t>(header.data() + kCountAt);
  // Checked against the size that the file really has before anything is allocated.
  constexpr std::uint64_t kAround = kHeaderBytes + kTrailerBytes + sizeof(std::uint64_t);
  if (file.bytes() < kAround || (file.bytes() - kAround) / sizeof(std::uint64_t) != count ||
      file.bytes() % 8 != 0)
    return broken(ErrorCode::corrupt_data, file, fmt::format("{} bytes for {} records", file.bytes(), count));
  const auto number = load_le<std::uint32_t>(header.data() + kFormatAt);
  if (number >= kFormats.size())
    return broken(ErrorCode::unsupported, file, fmt::format("container format {}", number));
  RecordIndex index;
  index.format = kFormats[number];
  index.offsets.resize(count + 1);
  const std::span<std::byte> body = std::as_writable_bytes(std::span(index.offsets));
  std::array<std::byte, kTrailerBytes> trailer{};
  if (file.read_at(kHeaderBytes, body) < body.size() ||
      file.read_at(kHeaderBytes + body.size(), trailer) < kTrailerBytes)
    return broken(ErrorCode::corrupt_data, file, "it ends early");
  if (crc32c(body, crc32c(header)) != load_le<std::uint32_t>(trailer.data()))
    return broken(ErrorCode::corrupt_data, file, "a wrong checksum");
  const auto flags = load_le<std::uint32_t>(header.data() + kFlagsAt);
  index.fingerprint.container_bytes = load_le<std::uint64_t>(header.data() + kContainerBytesAt);
  index.fingerprint.head_crc32c = load_le<std::uint32_t>(header.data() + kHeadCrcAt);
  index.fingerprint.tail_crc32c = load_le<std::uint32_t>(header.data() + kTailCrcAt);
  if (flags & kHasModifiedTime)
    index.fingerprint.modified_ns = load_le<std::int64_t>(header.data() + kModifiedAt);
  if (auto wrong =
          wrong_offsets(container_format(index.format), index.offsets, index.fingerprint.container_bytes))
    return broken(ErrorCode::corrupt_data, file, std::move(*wrong));
  return index;
}

std::unique_ptr<WritableFile> prepare_record_index(Store& store, const std::string& path, RecordFormat format,
                                                   const Fingerprint& fingerprint,
                                                   std::span<const std::uint64_t> offsets) {
  const Header header = header_of(format, fingerprint, offsets.size() - 1);
  const auto body = std::as_bytes(offsets);
  std::array<std::byte, kTrailerBytes> trailer{};
  store_le(trailer.data(), crc32c(body, crc32c(header)));
  auto file = store.create(path);
  file->append(header);
  file->append(body);
  file->append(trailer);
  return file;
}

void write_record_index(Store& store, const std::string& path, RecordFormat format,
                        const Fingerprint& fingerprint, std::span<const std::uint64_t> offsets) {
  prepare_record_index(store, path, format, fingerprint, offsets)->commit();
}

std::string record_index_path(const std::string& container) { return container + ".index"; }

std::string cached_index_path(const std::string& folder, const std::string& container,
                              std::string_view ending) {
  constexpr std::size_t kRoomForName = 150;
  std::error_code ignored;
  const std::filesystem::path absolute = std::filesystem::weakly_canonical(container, ignored);
  const std::string identity = absolute.empty() ? container : absolute.string();
  const std::string name = std::filesystem::path(container).filename().string().substr(0, kRoomForName);
  return (std::filesystem::path(folder) / fmt::format("{}-{:016x}{}", name, hash_of(identity), ending))
      .string();
}

std::string user_index_folder(std::string_view kind) {
  const auto absolute_variable = [](const char* name) -> std::filesystem::path {
    const char* value = std::getenv(name);
    return value && *value == '/' ? value : "";
  };
  // Source: XDG Base Directory Specification: a relative path is to be ignored.
  if (const auto cache = absolute_variable("XDG_CACHE_HOME"); !cache.empty()) return cache / "stoker" / kind;
  if (const auto home = absolute_variable("HOME"); !home.empty()) return home / ".cache" / "stoker" / kind;
  return "";
}

}  // namespace stoker::record
