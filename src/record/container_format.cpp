#include "record/container_format.hpp"

#include <fmt/format.h>
#include <new>
#include <stdexcept>

#include "stoker/error.hpp"

#include "base/units.hpp"
#include "record/recordio_container.hpp"
#include "record/tar_container.hpp"
#include "record/tfrecord_container.hpp"

namespace stoker::record {

const ContainerFormat& container_format(RecordFormat format) {
  static const RecordIOContainer recordio;
  static const TarContainer tar;
  static const TFRecordContainer tfrecord;
  switch (format) {
    case RecordFormat::recordio:
      return recordio;
    case RecordFormat::tar:
      return tar;
    case RecordFormat::tfrecord:
      return tfrecord;
    case RecordFormat::folder:
    case RecordFormat::list:
    case RecordFormat::mds:
      break;
  }
  throw Error(ErrorCode::internal, {.operation = "open records",
                                    .object = std::string(to_string(format)),
                                    .found = "a format without containers"});
}

RecordOffsets walk_container(const ContainerFormat& format, const ReadableFile& file) {
  WindowReader window(file);
  RecordOffsets walked;
  std::uint64_t offset = 0;
  while (offset < file.bytes()) {
    Walked record = format.walk_record(window, offset, file.bytes());
    if (record.damage) {
      walked.damage = std::move(record.damage);
      return walked;
    }
    if (record.is_record) walked.offsets.push_back(offset);
    offset = record.end;
  }
  walked.offsets.push_back(offset);
  return walked;
}

std::span<std::byte> room_in(Sample& sample, std::uint64_t bytes) {
  sample.seek_points.clear();
  const auto no_memory = [bytes] {
    return Error(ErrorCode::out_of_resources,
                 {.operation = "read sample", .found = fmt::format("no memory for {}", format_bytes(bytes))});
  };
  try {
    if (sample.buffer.size() < bytes) sample.buffer.resize(bytes);
  } catch (const std::bad_alloc&) {
    throw no_memory();
  } catch (const std::length_error&) {
    throw no_memory();
  }
  return std::span(sample.buffer).first(bytes);
}

}  // namespace stoker::record
