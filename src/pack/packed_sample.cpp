#include "pack/packed_sample.hpp"

#include <charconv>
#include <filesystem>
#include <fmt/format.h>

#include "base/crc.hpp"
#include "pack/class_names.hpp"

namespace stoker::packing {
namespace {

constexpr std::uint64_t kMaxRecordBytes = (std::uint64_t{1} << 29) - 1;  // length field of RecordIO
constexpr std::uint64_t kHeaderBytes = 24;

// A file of a folder or list that cannot be read is that sample's fault; a container that cannot be is
// everybody's.
bool is_read_fault_of_sample(ErrorCode code, RecordFormat format) {
  if (code == ErrorCode::corrupt_data || code == ErrorCode::unsupported) return true;
  const bool file_of_its_own = has_own_files(format);
  return file_of_its_own &&
         (code == ErrorCode::not_found || code == ErrorCode::io || code == ErrorCode::invalid_argument);
}

// A key for a sample whose own is not known, since it could not be read.
std::string fallback_key(const RecordReader& source, std::size_t index, const std::string& root) {
  const RecordInfo info = source.info(index);
  if (!has_own_files(source.format())) return fmt::format("{}@{}", info.container, info.offset);
  const bool below_root =
      !root.empty() && info.container.starts_with(root) && info.container.size() > root.size();
  return below_root && info.container[root.size()] == '/' ? info.container.substr(root.size() + 1)
                                                          : info.container;
}

std::optional<std::uint64_t> id_of(const RecordReader& source, std::size_t index, const Sample& sample) {
  if (source.format() != RecordFormat::recordio) return source.known_id(index);
  if (sample.labels.empty()) return std::nullopt;  // a raw record has none
  std::uint64_t id = 0;
  const char* end = sample.key.data() + sample.key.size();
  const auto [rest, status] = std::from_chars(sample.key.data(), end, id);
  return status == std::errc() && rest == end ? std::optional(id) : std::nullopt;
}

std::optional<Error> too_large(const PackedSample& sample) {
  const std::uint64_t labels = sample.sample.labels.size() > 1 ? 4 * sample.sample.labels.size() : 0;
  const std::uint64_t bytes = kHeaderBytes + labels + sample.payload.size();
  if (bytes <= kMaxRecordBytes) return std::nullopt;
  return Error(ErrorCode::unsupported, {.operation = "pack",
                                        .object = sample.key,
                                        .found = fmt::format("a record of {} bytes", bytes),
                                        .allowed = fmt::format("{} in a .rec", kMaxRecordBytes),
                                        .next_step = "resize it"});
}

// What the source's own index says is good for bytes that pass through: its reader compared their CRC-32C.
void find_points(PointFinder& finder, bool passed_through, PackedSample& out) {
  const auto reason =
      finder.find(out.payload, passed_through ? out.sample.seek_points : std::span<const std::byte>());
  out.seek = {.bytes = static_cast<std::uint32_t>(out.payload.size()), .crc32c = crc32c(out.payload)};
  if (reason) {
    out.seek->reason = static_cast<std::uint8_t>(*reason);
    return;
  }
  out.seek->points = finder.points();
  out.seek_points.assign(finder.packed().begin(), finder.packed().end());
}

}  // namespace

void PackedSample::trim(std::size_t keep) {
  if (sample.buffer.capacity() > keep) {
    sample.fields.clear();
    sample.buffer = {};
  }
  if (rewritten.capacity() > keep) rewritten = {};
  if (seek_points.capacity() > keep) seek_points = {};
  payload = {};
}

std::unique_ptr<RecordReader> open_pack_source(const PackOptions& options) {
  OpenOptions open = options.open;
  if (!options.seek_index || touches_pixels(options) || open.check_bytes == CheckBytes::never)
    open.seek_index = SeekIndexUse::off;
  auto source = open_records(options.source, open);
  check_class_names(source->classes(), options.source);
  return source;
}

std::string root_of_keys(const PackOptions& options, RecordFormat format) {
  if (!has_own_files(format)) return {};
  std::string root = options.source;
  if (format == RecordFormat::list) {
    root = options.open.root.empty() ? std::filesystem::path(options.source).parent_path().string()
                                     : options.open.root;
  }
  while (root.size() > 1 && root.ends_with('/')) root.pop_back();
  return root;
}

void prepare_sample(const RecordReader& source, std::size_t index, const std::string& root,
                    SampleTools& tools, PackedSample& out) {
  out.key.clear();
  out.sample.key.clear();
  out.sample.labels.clear();
  out.bytes_in = 0;
  out.id.reset();
  out.rewritten.clear();
  out.payload = {};
  out.seek.reset();
  out.seek_points.clear();
  out.changes = {};
  out.warning.clear();
  out.fault.reset();
  try {
    source.read(index, out.sample);
  } catch (const Error& error) {
    if (!is_read_fault_of_sample(error.code(), source.format())) throw;
    out.key = out.sample.key.empty() ? fallback_key(source, index, root) : out.sample.key;
    out.fault = error;
    return;
  }
  out.key = out.sample.key;
  out.id = id_of(source, index, out.sample);
  const std::span<const std::byte> main = out.sample.main();
  out.bytes_in = main.size();
  // Records of a container may hold anything, and pass as they are; a file that was listed as an image has to
  // be one.
  auto result = tools.rewriter.run(main, has_own_files(source.format()));
  if (!result) {
    if (result.error().code() == ErrorCode::internal) throw std::move(result).error();
    out.fault = std::move(result).error();
    return;
  }
  out.changes = result->changes;
  out.warning = std::move(result->warning);
  if (result->passed_through) {
    out.payload = main;
  } else {
    out.rewritten.assign(result->bytes.begin(), result->bytes.end());
    out.payload = out.rewritten;
  }
  out.fault = too_large(out);
  if (!out.fault && tools.finder) find_points(*tools.finder, result->passed_through, out);
}

}  // namespace stoker::packing
