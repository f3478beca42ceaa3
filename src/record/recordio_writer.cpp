#include "record/recordio_writer.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "stoker/error.hpp"

#include "base/crc.hpp"
#include "base/endian.hpp"
#include "base/units.hpp"
#include "record/recordio_format.hpp"
#include "record/text_index.hpp"

namespace stoker::record {

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
// From here on a copy into the buffer costs more than a write of its own.
constexpr std::size_t kDirectBytes = 32 * 1024;

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

void append_to(std::vector<std::byte>& bytes, std::span<const std::byte> more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

}  // namespace

RecordIOWriter::RecordIOWriter(std::shared_ptr<Store> store, std::string path)
    : store_(std::move(store)), path_(std::move(path)), file_(store_->create(path_)) {
  buffer_.reserve(kBufferBytes);
}

RecordInfo RecordIOWriter::append(const std::string& key, std::span<const float> labels, const Field& main,
                                  std::optional<std::uint64_t> id) {
  const std::uint64_t head_bytes =
      labels.empty() ? 0 : kImageHeader + (labels.size() > 1 ? 4 * labels.size() : 0);
  const std::uint64_t record_bytes = head_bytes + main.bytes.size();
  if (record_bytes >= kRecordLimit)
    throw Error(ErrorCode::invalid_argument, {.operation = "write record",
                                              .object = fmt::format("{} ('{}')", path_, key),
                                              .found = format_bytes(record_bytes),
                                              .allowed = "less than 512 MiB, the format's limit"});
  if (index_file_)
    throw Error(ErrorCode::internal,
                {.operation = "write record", .object = path_, .found = "an append after prepare"});
  const std::uint64_t begin = bytes_;
  const std::uint64_t number = id.value_or(records());
  make_head(labels, number, head_);
  // The header is a multiple of 4 bytes long: words of the data stay aligned to the record's beginning.
  const std::size_t magic_in_head = find_magic(head_);
  const std::size_t magic_in_data = find_magic(main.bytes);
  if (magic_in_head == head_.size() && magic_in_data == main.bytes.size()) {
    put_part(static_cast<std::uint32_t>(PartKind::whole), head_, main.bytes);
  } else {
    whole_ = head_;
    append_to(whole_, main.bytes);
    put_escaped(whole_, find_magic(whole_));
  }
  // Parts are counted as they read: without the headers between them.
  main_offset_ = begin + kPartHeader + head_.size();
  offsets_.push_back(begin);
  fmt::format_to(std::back_inserter(text_index_), "{}\t{}\n", number, begin);
  return {path_, begin, bytes_ - begin};
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
  put(header);
  put(head);
  put(data);
  constexpr std::byte kZeros[4] = {};
  put(std::span(kZeros).first(padded(bytes) - bytes));
}

void RecordIOWriter::put(std::span<const std::byte> bytes) {
  bytes_ += bytes.size();
  crc32c_ = stoker::crc32c(bytes, crc32c_);
  if (buffer_.size() + bytes.size() > kBufferBytes || bytes.size() >= kDirectBytes) flush();
  if (bytes.size() >= kDirectBytes)
    write(bytes);
  else
    append_to(buffer_, bytes);
}

void RecordIOWriter::flush() {
  write(buffer_);
  buffer_.clear();
}

void RecordIOWriter::write(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  if (first_run_.size() < kFingerprintRun)
    append_to(first_run_, bytes.first(std::min(bytes.size(), kFingerprintRun - first_run_.size())));
  // Kept between one and two runs long, so that most writes copy only what they add.
  append_to(last_run_, bytes.last(std::min(bytes.size(), kFingerprintRun)));
  if (last_run_.size() > 2 * kFingerprintRun)
    last_run_.erase(last_run_.begin(), last_run_.end() - static_cast<std::ptrdiff_t>(kFingerprintRun));
  file_->append(bytes);
}

void RecordIOWriter::prepare() {
  if (index_file_) return;
  flush();
  const std::span<const std::byte> last_run(last_run_);
  fingerprint_ = {.container_bytes = bytes_,
                  .head_crc32c = stoker::crc32c(first_run_),
                  .tail_crc32c = stoker::crc32c(last_run.last(std::min(last_run.size(), kFingerprintRun)))};
  text_file_ = store_->create(text_index_path(path_));
  text_file_->append(std::as_bytes(std::span(text_index_)));
  offsets_.push_back(bytes_);
  auto index_file = prepare_record_index(*store_, record_index_path(path_), fingerprint_, offsets_);
  offsets_.pop_back();
  for (WritableFile* file : {text_file_.get(), index_file.get(), file_.get()}) file->sync();
  index_file_ = std::move(index_file);
}

SourceFingerprint RecordIOWriter::fingerprint() const {
  return {.records = records(),
          .bytes = fingerprint_.container_bytes,
          .head_crc32c = fingerprint_.head_crc32c,
          .tail_crc32c = fingerprint_.tail_crc32c};
}

void RecordIOWriter::finish() {
  if (finished_)
    throw Error(ErrorCode::internal,
                {.operation = "write records", .object = path_, .found = "a second finish"});
  finished_ = true;
  prepare();
  // Indexes without their container would be taken for those of another one that stands or comes under its
  // name.
  std::vector<std::string> shown;
  try {
    text_file_->commit();
    shown.push_back(text_index_path(path_));
    index_file_->commit();
    shown.push_back(record_index_path(path_));
    file_->commit();
  } catch (...) {
    for (const std::string& path : shown) store_->remove(path);
    throw;
  }
}

}  // namespace stoker::record
