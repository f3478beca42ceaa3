#include "record/recordio_writer.hpp"

#include <fmt/format.h>

#include "stoker/error.hpp"

#include "base/endian.hpp"
#include "base/units.hpp"
#include "record/recordio_format.hpp"
#include "record/text_index.hpp"

namespace stoker::record {

namespace {

// The image header and the labels behind it; nothing without labels.
void make_head(std::span<const float> labels, std::uint64_t id, std::vector<std::byte>& head) {
  head.clear();
  if (labels.empty()) return;
  const std::size_t packed = labels.size() == 1 ? 0 : labels.size();
  head.resize(kImageHeader + 4 * packed);
  store_le(head.data(), static_cast<std::uint32_t>(packed));
  store_le(head.data() + 4, labels[0]);
  store_le(head.data() + 8, id);
  store_le(head.data() + 16, std::uint64_t{0});
  if (packed) std::memcpy(head.data() + kImageHeader, labels.data(), 4 * packed);
}

}  // namespace

RecordIOWriter::RecordIOWriter(std::shared_ptr<Store> store, const std::string& path)
    : out_(std::move(store), path, RecordFormat::recordio, text_index_path(path)) {}

RecordInfo RecordIOWriter::add(const NewSample& sample) {
  const auto refused = [&](std::string found, std::string allowed) {
    return Error(ErrorCode::invalid_argument, {.operation = "write record",
                                               .object = fmt::format("{} ('{}')", out_.path(), sample.key),
                                               .found = std::move(found),
                                               .allowed = std::move(allowed)});
  };
  if (const auto lost = fields_lost(sample, RecordFormat::recordio); !lost.empty())
    throw refused(fmt::format("the field '{}'", lost.front()), "an image, or one field of any kind");
  const std::span<const float> labels = sample.labels;
  const std::span<const std::byte> data = sample.fields[sample.main_field].bytes;
  const std::uint64_t head_bytes =
      labels.empty() ? 0 : kImageHeader + (labels.size() > 1 ? 4 * labels.size() : 0);
  if (head_bytes + data.size() >= kRecordLimit)
    throw refused(format_bytes(head_bytes + data.size()), "less than 512 MiB, the format's limit");
  const std::uint64_t begin = out_.bytes();
  const std::uint64_t number = sample.id.value_or(records());
  out_.begin_record();
  make_head(labels, number, head_);
  // The header is a multiple of 4 bytes long: words of the data stay aligned to the record's beginning.
  const std::size_t magic_in_head = find_magic(head_);
  const std::size_t magic_in_data = find_magic(data);
  if (magic_in_head == head_.size() && magic_in_data == data.size()) {
    put_part(static_cast<std::uint32_t>(PartKind::whole), head_, data);
  } else {
    whole_ = head_;
    whole_.insert(whole_.end(), data.begin(), data.end());
    put_escaped(whole_, find_magic(whole_));
  }
  // Parts are counted as they read: without the headers between them.
  main_offset_ = begin + kPartHeader + head_.size();
  out_.add_index_line(fmt::format("{}\t{}\n", number, begin));
  return {out_.path(), begin, bytes() - begin};
}

// Every magic is taken out, and the parts that it parted are written instead.
void RecordIOWriter::put_escaped(std::span<const std::byte> data, std::size_t first_magic) {
  std::size_t begin = 0;
  PartKind kind = PartKind::first;
  for (std::size_t magic = first_magic; magic < data.size(); magic = find_magic(data, begin)) {
    put_part(static_cast<std::uint32_t>(kind), {}, data.subspan(begin, magic - begin));
    begin = magic + sizeof kMagic;
    kind = PartKind::middle;
  }
  put_part(static_cast<std::uint32_t>(PartKind::last), {}, data.subspan(begin));
}

void RecordIOWriter::put_part(std::uint32_t kind, std::span<const std::byte> head,
                              std::span<const std::byte> data) {
  const std::size_t bytes = head.size() + data.size();
  std::byte header[kPartHeader];
  store_le(header, kMagic);
  store_le(header + 4, kind << 29 | static_cast<std::uint32_t>(bytes));
  out_.put(header);
  out_.put(head);
  out_.put(data);
  constexpr std::byte kZeros[4] = {};
  out_.put(std::span(kZeros).first(padded(bytes) - bytes));
}

}  // namespace stoker::record
