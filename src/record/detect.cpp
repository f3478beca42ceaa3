#include "record/detect.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "stoker/error.hpp"

#include "base/endian.hpp"
#include "record/list_reader.hpp"
#include "record/recordio_format.hpp"
#include "record/tar_format.hpp"
#include "record/tfrecord_format.hpp"

namespace stoker::record {

namespace {

bool begins_with(std::span<const std::byte> head, std::string_view text, std::size_t at = 0) {
  return head.size() >= at + text.size() && std::memcmp(head.data() + at, text.data(), text.size()) == 0;
}

// Also one whose first checksum is wrong.
bool is_tar(std::span<const std::byte> head) {
  return head.size() >= kTarBlock &&
         (is_tar_header(head.first<kTarBlock>()) || begins_with(head, "ustar", kTarMagic.begin));
}

// Whether the first line that is not blank is one of a list.
bool is_list(std::span<const std::byte> head) {
  std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  if (text.find('\0') != std::string_view::npos) return false;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (is_blank_or_comment(line)) continue;
    ListLine parsed;
    return line.find('\t') != std::string_view::npos && parse_list_line(line, parsed).has_value();
  }
  return false;
}

}  // namespace

std::string_view foreign_format(std::string_view path, std::span<const std::byte> head) {
  if (begins_with(head, "\x1f\x8b")) return "a gzip-compressed file";
  if (begins_with(head, "\x28\xb5\x2f\xfd")) return "a zstd-compressed file";
  if (begins_with(head, "PK\x03\x04")) return "a zip archive";
  if (begins_with(head, "PAR1")) return "a Parquet file";
  if (begins_with(head, "\xff\xd8\xff") || begins_with(head, "\x89PNG") || begins_with(head, "RIFF"))
    return "a single image";
  if (path.ends_with(".mds")) return "a shard of an MDS data set";
  if (path.ends_with(".beton")) return "an FFCV file";
  return {};
}

RecordFormat detect_file(const std::string& path, std::span<const std::byte> head) {
  if (head.size() >= 4 && load_le<std::uint32_t>(head.data()) == kMagic) return RecordFormat::recordio;
  if (length_of_head(head)) return RecordFormat::tfrecord;
  if (is_tar(head)) return RecordFormat::tar;
  const std::string_view foreign = foreign_format(path, head);
  if (foreign.empty()) {
    if (const auto named = format_of_ending(path)) return *named;  // empty, or damaged in its first bytes
    if (path.ends_with(".lst") || is_list(head)) return RecordFormat::list;
  }
  throw Error(
      ErrorCode::unsupported,
      {.operation = "open records",
       .object = path,
       .found = foreign.empty() ? "a file of no known format" : std::string(foreign),
       .allowed =
           "a folder of class folders, a .lst, a RecordIO file (.rec), a tar (.tar), a TFRecord file"});
}

}  // namespace stoker::record
