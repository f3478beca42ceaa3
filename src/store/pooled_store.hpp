// A store whose open files share a bounded number of descriptors.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "stoker/store.hpp"

#include "base/mutex.hpp"

namespace stoker::store {

class PooledFile;

// Which of many files are open: those that were read last. Threads: safe from many.
class FilePool {
 public:
  // At most `limit` files stay open; those that are read just now come on top, one a thread.
  explicit FilePool(std::size_t limit);

  // The one pool of the process: a quarter of the descriptors that it may open, at most 512.
  static const std::shared_ptr<FilePool>& of_process();

  std::size_t limit() const { return limit_; }
  std::size_t open_files() const STOKER_EXCLUDES(mutex_);

 private:
  friend class PooledFile;
  struct Open {
    const PooledFile* owner;
    std::shared_ptr<const ReadableFile> file;
  };

  std::shared_ptr<const ReadableFile> take(const PooledFile& owner) STOKER_EXCLUDES(mutex_);
  std::shared_ptr<const ReadableFile> keep(const PooledFile& owner, std::shared_ptr<const ReadableFile> file)
      STOKER_EXCLUDES(mutex_);
  void forget(const PooledFile& owner) STOKER_EXCLUDES(mutex_);

  const std::size_t limit_;
  mutable Mutex mutex_;
  std::list<Open> open_ STOKER_GUARDED_BY(mutex_);  // the one read last is in front
};

// Opens what it reads by another store, again and again as the pool has room for it. A file that was replaced
// or written since it was opened first is an io error, not other bytes. The rest goes to the other store.
// Threads: safe from many. Cost: a lock a read; an open and a look at the object where it was closed.
class PooledStore final : public Store {
 public:
  explicit PooledStore(std::shared_ptr<Store> below, std::shared_ptr<FilePool> pool = FilePool::of_process())
      : below_(std::move(below)), pool_(std::move(pool)) {}

  std::unique_ptr<ReadableFile> open_read(const std::string& path) override;
  std::optional<ObjectInfo> info(const std::string& path) override { return below_->info(path); }
  std::vector<ObjectInfo> list(const std::string& folder) override { return below_->list(folder); }
  std::vector<ObjectInfo> list_names(const std::string& folder) override {
    return below_->list_names(folder);
  }
  std::unique_ptr<WritableFile> create(const std::string& path) override { return below_->create(path); }
  void remove(const std::string& path) override { below_->remove(path); }
  void rename(const std::string& from, const std::string& to) override { below_->rename(from, to); }

 private:
  const std::shared_ptr<Store> below_;
  const std::shared_ptr<FilePool> pool_;
};

}  // namespace stoker::store
