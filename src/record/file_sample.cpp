#include "record/file_sample.hpp"

#include <fmt/format.h>

#include "stoker/error.hpp"

#include "base/crc.hpp"
#include "base/units.hpp"
#include "record/container_format.hpp"
#include "record/folder_walk.hpp"

namespace stoker::record {

namespace {
constexpr std::uint64_t kLargestFile = std::uint64_t{2} << 30;
}

void read_file_sample(Store& store, const std::string& path, std::string_view key,
                      std::span<const float> labels, Sample& sample) {
  const auto file = store.open_read(path);
  const std::uint64_t bytes = file->bytes();
  if (bytes > kLargestFile)
    throw Error(ErrorCode::out_of_resources, {.operation = "read sample",
                                              .object = path,
                                              .found = format_bytes(bytes),
                                              .allowed = "2 GiB at most"});
  const std::span<std::byte> room = room_in(sample, bytes);
  const std::size_t got = file->read_at(0, room);
  if (got < bytes)
    throw Error(ErrorCode::corrupt_data,
                {.operation = "read sample",
                 .object = path,
                 .found = fmt::format("the file ended after {} of its {} bytes", got, bytes),
                 .next_step = "something changes it while it is read"});
  sample.key.assign(key);
  sample.labels.assign(labels.begin(), labels.end());
  sample.fields.resize(1);
  sample.fields[0].type = FieldType::bytes;
  sample.fields[0].role = FieldRole::content;
  sample.fields[0].name = has_array_ending(path) ? "npy" : "image";
  sample.fields[0].bytes = room;
  sample.main_field = 0;
}

void PathsCrc::add(std::initializer_list<std::string_view> pieces) {
  for (const std::string_view piece : pieces) crc_ = stoker::crc32c(std::as_bytes(std::span(piece)), crc_);
  constexpr std::byte kEnd{};
  crc_ = stoker::crc32c(std::span(&kEnd, 1), crc_);
}

}  // namespace stoker::record
