#include "store/pooled_store.hpp"

#include <algorithm>
#include <optional>
#include <sys/resource.h>
#include <utility>

#include "stoker/error.hpp"

namespace stoker::store {

namespace {

constexpr std::size_t kSmallestPool = 4, kLargestPool = 512;

std::size_t limit_of_process() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY) return kLargestPool;
  return std::clamp<std::size_t>(files.rlim_cur / 4, kSmallestPool, kLargestPool);
}

std::optional<std::int64_t> modified_ns(Store& store, const std::string& path) {
  const auto info = store.info(path);
  return info ? info->modified_ns : std::nullopt;
}

}  // namespace

// Owned by its reader; the pool holds no more than the open file behind it.
class PooledFile final : public ReadableFile {
 public:
  PooledFile(std::shared_ptr<Store> store, std::shared_ptr<FilePool> pool, std::string url,
             std::shared_ptr<const ReadableFile> opened)
      : store_(std::move(store)),
        pool_(std::move(pool)),
        url_(std::move(url)),
        path_(opened->path()),
        bytes_(opened->bytes()),
        modified_ns_(store::modified_ns(*store_, url_)) {
    pool_->keep(*this, std::move(opened));
  }
  ~PooledFile() override { pool_->forget(*this); }
  PooledFile(const PooledFile&) = delete;
  PooledFile& operator=(const PooledFile&) = delete;

  std::size_t read_at(std::uint64_t offset, std::span<std::byte> out) const override {
    return pool_->take(*this)->read_at(offset, out);
  }
  std::uint64_t bytes() const override { return bytes_; }
  const std::string& path() const override { return path_; }
  void prefetch(std::uint64_t offset, std::uint64_t bytes) const override {
    try {
      pool_->take(*this)->prefetch(offset, bytes);
    } catch (const Error&) {  // the read that follows says it
    }
  }

  std::shared_ptr<const ReadableFile> open() const {
    std::shared_ptr<const ReadableFile> file = store_->open_read(url_);
    if (file->bytes() == bytes_ && store::modified_ns(*store_, url_) == modified_ns_) return file;
    throw Error(ErrorCode::io, {.operation = "read",
                                .object = path_,
                                .found = "it was written or replaced since it was opened",
                                .next_step = "start again, and let nothing write a source that is in use"});
  }

  // Where the pool holds it; guarded by the pool's mutex.
  mutable std::optional<std::list<FilePool::Open>::iterator> place;

 private:
  const std::shared_ptr<Store> store_;
  const std::shared_ptr<FilePool> pool_;
  const std::string url_, path_;
  const std::uint64_t bytes_;
  const std::optional<std::int64_t> modified_ns_;
};

FilePool::FilePool(std::size_t limit) : limit_(std::max<std::size_t>(limit, 1)) {}

const std::shared_ptr<FilePool>& FilePool::of_process() {
  static const auto pool = std::make_shared<FilePool>(limit_of_process());
  return pool;
}

std::size_t FilePool::open_files() const {
  const MutexLock lock(mutex_);
  return open_.size();
}

std::shared_ptr<const ReadableFile> FilePool::take(const PooledFile& owner) {
  {
    const MutexLock lock(mutex_);
    if (owner.place) {
      open_.splice(open_.begin(), open_, *owner.place);
      return open_.front().file;
    }
  }
  return keep(owner, owner.open());
}

// The file that others open meanwhile stays the one in use; what has to go is closed outside of the lock.
std::shared_ptr<const ReadableFile> FilePool::keep(const PooledFile& owner,
                                                   std::shared_ptr<const ReadableFile> file) {
  std::shared_ptr<const ReadableFile> closed;
  const MutexLock lock(mutex_);
  if (owner.place) {
    closed = std::move(file);
    return (*owner.place)->file;
  }
  if (open_.size() >= limit_) {
    open_.back().owner->place.reset();
    closed = std::move(open_.back().file);
    open_.pop_back();
  }
  open_.push_front({&owner, file});
  owner.place = open_.begin();
  return file;
}

void FilePool::forget(const PooledFile& owner) {
  std::shared_ptr<const ReadableFile> closed;
  const MutexLock lock(mutex_);
  if (!owner.place) return;
  closed = std::move((*owner.place)->file);
  open_.erase(*owner.place);
  owner.place.reset();
}

std::unique_ptr<ReadableFile> PooledStore::open_read(const std::string& path) {
  return std::make_unique<PooledFile>(below_, pool_, path, below_->open_read(path));
}

}  // namespace stoker::store
