#include "record/container_file.hpp"

#include <algorithm>

#include "stoker/error.hpp"

#include "base/crc.hpp"

namespace stoker::record {

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
// From here on a copy into the buffer costs more than a write of its own.
constexpr std::size_t kDirectBytes = 32 * 1024;

void append_to(std::vector<std::byte>& bytes, std::span<const std::byte> more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

}  // namespace

ContainerFile::ContainerFile(std::shared_ptr<Store> store, std::string path, RecordFormat format,
                             std::string text_index)
    : store_(std::move(store)),
      path_(std::move(path)),
      format_(format),
      text_index_path_(std::move(text_index)),
      file_(store_->create(path_)) {
  buffer_.reserve(kBufferBytes);
}

void ContainerFile::begin_record() {
  if (is_prepared())
    throw Error(ErrorCode::internal,
                {.operation = "write record", .object = path_, .found = "an append after prepare"});
  offsets_.push_back(bytes_);
}

void ContainerFile::put(std::span<const std::byte> bytes) {
  bytes_ += bytes.size();
  crc32c_ = stoker::crc32c(bytes, crc32c_);
  if (buffer_.size() + bytes.size() > kBufferBytes || bytes.size() >= kDirectBytes) flush();
  if (bytes.size() >= kDirectBytes)
    write(bytes);
  else
    append_to(buffer_, bytes);
}

void ContainerFile::flush() {
  write(buffer_);
  buffer_.clear();
}

void ContainerFile::write(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  if (first_run_.size() < kFingerprintRun)
    append_to(first_run_, bytes.first(std::min(bytes.size(), kFingerprintRun - first_run_.size())));
  // Kept between one and two runs long, so that most writes copy only what they add.
  append_to(last_run_, bytes.last(std::min(bytes.size(), kFingerprintRun)));
  if (last_run_.size() > 2 * kFingerprintRun)
    last_run_.erase(last_run_.begin(), last_run_.end() - static_cast<std::ptrdiff_t>(kFingerprintRun));
  file_->append(bytes);
}

void ContainerFile::prepare() {
  if (is_prepared()) return;
  flush();
  const std::span<const std::byte> last_run(last_run_);
  fingerprint_ = {.container_bytes = bytes_,
                  .head_crc32c = stoker::crc32c(first_run_),
                  .tail_crc32c = stoker::crc32c(last_run.last(std::min(last_run.size(), kFingerprintRun)))};
  if (!text_index_path_.empty()) {
    text_file_ = store_->create(text_index_path_);
    text_file_->append(std::as_bytes(std::span(text_index_)));
    text_file_->sync();
  }
  offsets_.push_back(bytes_);
  auto index_file = prepare_record_index(*store_, record_index_path(path_), format_, fingerprint_, offsets_);
  offsets_.pop_back();
  index_file->sync();
  file_->sync();
  index_file_ = std::move(index_file);
}

SourceFingerprint ContainerFile::fingerprint() const {
  return {.records = records(),
          .bytes = fingerprint_.container_bytes,
          .head_crc32c = fingerprint_.head_crc32c,
          .tail_crc32c = fingerprint_.tail_crc32c};
}

void ContainerFile::finish() {
  if (finished_)
    throw Error(ErrorCode::internal,
                {.operation = "write records", .object = path_, .found = "a second finish"});
  finished_ = true;
  prepare();
  // Indexes without their container would be taken for those of another one that stands or comes under its
  // name.
  std::vector<std::string> shown;
  try {
    if (text_file_) {
      text_file_->commit();
      shown.push_back(text_index_path_);
    }
    index_file_->commit();
    shown.push_back(record_index_path(path_));
    file_->commit();
  } catch (...) {
    for (const std::string& path : shown) store_->remove(path);
    throw;
  }
}

}  // namespace stoker::record
