#include "record/unpacked_cache.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <new>
#include <vector>

namespace stoker::record {

namespace {

constexpr std::size_t kMostRemembered = 64;  // also of files that take no memory: broken or empty ones

class MemoryFile final : public ReadableFile {
 public:
  MemoryFile(std::string path, std::vector<std::byte> bytes)
      : path_(std::move(path)), bytes_(std::move(bytes)) {}

  std::size_t read_at(std::uint64_t offset, std::span<std::byte> out) const override {
    if (offset >= bytes_.size()) return 0;
    const std::size_t count = std::min<std::size_t>(out.size(), bytes_.size() - offset);
    std::memcpy(out.data(), bytes_.data() + offset, count);
    return count;
  }
  std::uint64_t bytes() const override { return bytes_.size(); }
  const std::string& path() const override { return path_; }

 private:
  const std::string path_;
  const std::vector<std::byte> bytes_;
};

Error damaged(const std::string& path, const Damage& damage) {
  return Error(ErrorCode::corrupt_data, {.operation = "unpack",
                                         .object = fmt::format("{} at offset {}", path, damage.offset),
                                         .found = damage.reason,
                                         .next_step = "copy or fetch the file again"});
}

std::shared_ptr<const ReadableFile> unpack(Store& store, const PackedFile& file) {
  const auto packed = store.open_read(file.path);
  std::vector<std::byte> bytes;
  bool too_many = false;
  try {
    const auto damage = decompress(file.compression, *packed, [&](std::span<const std::byte> run) {
      too_many = run.size() > file.unpacked_bytes - bytes.size();
      if (!too_many) bytes.insert(bytes.end(), run.begin(), run.end());
      return !too_many;
    });
    if (damage) throw damaged(file.path, *damage);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::out_of_resources,
                {.operation = "unpack",
                 .object = file.path,
                 .found = fmt::format("no memory for more than {} bytes", bytes.size())});
  }
  if (too_many || bytes.size() < file.unpacked_bytes)
    throw damaged(file.path, {packed->bytes(), fmt::format("it unpacks to {} bytes, and {} are described",
                                                           too_many ? "more" : std::to_string(bytes.size()),
                                                           file.unpacked_bytes)});
  bytes.shrink_to_fit();
  return std::make_shared<MemoryFile>(file.path, std::move(bytes));
}

}  // namespace

std::shared_ptr<UnpackedCache::Entry> UnpackedCache::entry_of(const std::string& path) {
  const MutexLock lock(mutex_);
  if (const auto found = places_.find(path); found != places_.end()) {
    entries_.splice(entries_.begin(), entries_, found->second);
    return entries_.front();
  }
  entries_.push_front(std::make_shared<Entry>());
  entries_.front()->path = path;
  places_[path] = entries_.begin();
  return entries_.front();
}

std::shared_ptr<const ReadableFile> UnpackedCache::get(const PackedFile& file) {
  const std::shared_ptr<Entry> entry = entry_of(file.path);
  const MutexLock lock(entry->unpacking);
  if (entry->failure) throw Error(*entry->failure);
  if (entry->file) return entry->file;
  try {
    entry->file = unpack(*store_, file);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::corrupt_data) entry->failure = error;
    throw;
  }
  count(*entry, entry->file->bytes());
  return entry->file;
}

// An entry that was dropped while it was unpacked goes with its reader. Dropped entries' memory is given back
// behind the lock.
void UnpackedCache::count(const Entry& entry, std::uint64_t bytes) {
  Entries dropped;
  const MutexLock lock(mutex_);
  const auto place = places_.find(entry.path);
  if (place != places_.end() && place->second->get() == &entry) {
    (*place->second)->bytes = bytes;
    bytes_ += bytes;
  }
  while (entries_.size() > 1 && (bytes_ > most_bytes_ || entries_.size() > kMostRemembered)) {
    bytes_ -= entries_.back()->bytes;
    places_.erase(entries_.back()->path);
    dropped.splice(dropped.begin(), entries_, std::prev(entries_.end()));
  }
}

std::uint64_t UnpackedCache::bytes() const {
  const MutexLock lock(mutex_);
  return bytes_;
}

}  // namespace stoker::record
