#include "pack/packed_sample.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>

#include "array/npy.hpp"
#include "base/crc.hpp"
#include "image/info.hpp"
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

std::uint64_t id_of(const RecordReader& source, std::size_t index, const Sample& sample) {
  std::optional<std::uint64_t> known = source.known_id(index);
  // The key of a record is its id, unless a list beside it knew both.
  if (!known && source.format() == RecordFormat::recordio &&
      !sample.labels.empty()) {  // a raw record has none
    std::uint64_t id = 0;
    const char* end = sample.key.data() + sample.key.size();
    const auto [rest, status] = std::from_chars(sample.key.data(), end, id);
    if (status == std::errc() && rest == end) known = id;
  }
  return known.value_or(index);
}

std::optional<Error> too_large(const PackedSample& sample, RecordFormat format) {
  if (format != RecordFormat::recordio) return std::nullopt;
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
  out.seek = {.bytes = static_cast<std::uint32_t>(out.payload.size()), .crc32c = out.crc32c};
  if (reason) {
    out.seek->reason = static_cast<std::uint8_t>(*reason);
    return;
  }
  out.seek->points = finder.points();
  out.seek_points.assign(finder.packed().begin(), finder.packed().end());
}

[[noreturn]] void refuse(const PackedSample& sample, std::string found, std::string allowed,
                         std::string next_step) {
  throw Error(ErrorCode::invalid_argument, {.operation = "pack",
                                            .object = sample.key,
                                            .found = std::move(found),
                                            .allowed = std::move(allowed),
                                            .next_step = std::move(next_step)});
}

std::optional<ImageInfo> look_at(std::span<const std::byte> bytes) {
  Result<ImageInfo> info = image::read_info(bytes);
  return info ? std::optional(std::move(*info)) : std::nullopt;
}

// Offsets change the one label of a sample; of several it is not known which are classes.
void set_labels(std::int64_t offset, PackedSample& out) {
  out.labels = out.sample.labels;
  if (offset == 0 || out.labels.empty()) return;
  if (out.labels.size() > 1)
    refuse(out, fmt::format("{} labels", out.labels.size()), "one label a sample with label-offset",
           "leave label-offset out");
  out.labels[0] += static_cast<float>(offset);
  if (out.labels[0] < 0)
    refuse(out, fmt::format("the label {} with label-offset {}", out.sample.labels[0], offset),
           "labels from 0", "check the offset");
}

// What is packed in the place of the main field.
Result<Rewritten> rewrite(RecordFormat from, SampleTools& tools, const PackedSample& sample) {
  const Field& main = sample.sample.fields[sample.sample.main_field];
  if (tools.precompute) {
    const auto bytes = tools.precompute->run(sample.key, main.bytes);
    if (!bytes) return tl::unexpected(bytes.error());
    return Rewritten{.bytes = *bytes, .passed_through = false};
  }
  if (has_own_files(from) && main.name == "npy")
    if (const auto array = array::read_npy(main.bytes);
        !array && array.error().code() == ErrorCode::corrupt_data)
      return tl::unexpected(array.error());
  // Records of a container may hold anything, and pass as they are; a file that was listed as an image has to
  // be one.
  return tools.rewriter.run(main.bytes, has_own_files(from) && main.name != "npy");
}

// The fields of the source, with the payload in the place of the main one.
void set_fields(const SampleTools& tools, const std::vector<std::string>& classes, bool passed_through,
                PackedSample& out) {
  const Sample& from = out.sample;
  out.fields.assign(from.fields.begin(), from.fields.end());
  out.main_field = from.main_field;
  Field& main = out.fields[out.main_field];
  main.bytes = out.payload;
  // Of another kind, maybe, than the name says; the one of an Example says none.
  if (!passed_through && (tools.precompute || main.name != "image/encoded"))
    main.name = tools.precompute ? "data" : "image";
  // The name of its class is not lost with the field that says it, where the set's class map has it.
  const std::string_view name = class_name(out.sample.labels, classes);
  if (tools.format == RecordFormat::recordio && !name.empty())
    for (Field& field : out.fields)
      if (field.type == FieldType::bytes && std::ranges::equal(field.bytes, std::as_bytes(std::span(name))))
        field.role = FieldRole::label;
  out.dropped_fields = fields_lost({.fields = out.fields, .main_field = out.main_field}, tools.format);
  if (out.dropped_fields.empty()) return;
  if (!tools.options.drop_fields)
    refuse(out,
           fmt::format("the field '{}', which {} cannot hold", out.dropped_fields.front(),
                       to_string(tools.format)),
           "an image and its labels",
           "leave such fields out with --drop-fields, or pack to .tar or .tfrecord");
  out.fields = {main};
  out.main_field = 0;
}

}  // namespace

std::string_view class_name(std::span<const float> labels, const std::vector<std::string>& classes) {
  if (labels.size() != 1 || labels[0] < 0 || labels[0] != std::floor(labels[0])) return {};
  const auto label = static_cast<std::size_t>(labels[0]);
  return label < classes.size() ? std::string_view(classes[label]) : std::string_view();
}

PrecomputeOptions precompute_options(const PackOptions& options, const std::atomic<bool>* cancel) {
  return {.steps = options.precompute, .command = options.precompute_command, .cancel = cancel};
}

void PackedSample::trim(std::size_t keep) {
  if (sample.buffer.capacity() > keep) {
    sample.fields.clear();
    sample.buffer = {};
  }
  if (rewritten.capacity() > keep) rewritten = {};
  if (seek_points.capacity() > keep) seek_points = {};
  payload = {};
}

void prepare_sample(const RecordReader& source, std::size_t index, const std::string& root,
                    SampleTools& tools, PackedSample& out) {
  out.index = index;
  out.key.clear();
  out.sample.key.clear();
  out.sample.labels.clear();
  out.bytes_in = 0;
  out.id = index;
  out.rewritten.clear();
  out.payload = {};
  out.dropped_fields.clear();
  out.image.reset();
  out.seek.reset();
  out.seek_points.clear();
  out.changes = {};
  out.warning.clear();
  out.kept.clear();
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
  auto result = rewrite(source.format(), tools, out);
  if (!result) {
    if (result.error().code() == ErrorCode::internal) throw std::move(result).error();
    out.fault = std::move(result).error();
    return;
  }
  out.changes = result->changes;
  out.warning = std::move(result->warning);
  out.kept = std::move(result->kept);
  if (result->passed_through) {
    out.payload = main;
  } else {
    out.rewritten.assign(result->bytes.begin(), result->bytes.end());
    out.payload = out.rewritten;
  }
  out.crc32c = crc32c(out.payload);
  set_labels(tools.options.label_offset, out);
  set_fields(tools, source.classes(), result->passed_through, out);
  if (tools.format == RecordFormat::tfrecord) out.image = look_at(out.payload);
  out.fault = too_large(out, tools.format);
  if (!out.fault && tools.finder) find_points(*tools.finder, result->passed_through, out);
}

}  // namespace stoker::packing
