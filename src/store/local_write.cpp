// Writing of the local store: a temporary file beside the final one, made durable, then renamed.
#include <cstdio>
#include <fcntl.h>
#include <filesystem>

#include "stoker/error.hpp"

#include "base/descriptor.hpp"
#include "base/os_error.hpp"
#include "base/transfer.hpp"
#include "store/leftovers.hpp"
#include "store/local_store.hpp"

namespace stoker::store {

namespace {

namespace fs = std::filesystem;

int sync_fd(int fd) {
  while (::fsync(fd) != 0)
    if (errno != EINTR) return errno;
  return 0;
}

// Makes a rename in `folder` durable. File systems that cannot sync folders, and folders that may be written
// but not read, are left to the system's own flushing.
void sync_folder(const std::string& folder) {
  const Descriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return;
  const int error_number = sync_fd(fd.get());
  if (error_number && error_number != EINVAL && error_number != ENOTSUP)
    throw os_error("make durable", folder, error_number);
}

class LocalWriter final : public WritableFile {
 public:
  LocalWriter(Descriptor fd, std::string temporary, std::string path, std::string folder)
      : fd_(std::move(fd)),
        temporary_(std::move(temporary)),
        path_(std::move(path)),
        folder_(std::move(folder)) {}
  ~LocalWriter() override {
    if (!committed_) ::unlink(temporary_.c_str());
  }

  void append(std::span<const std::byte> bytes) override {
    if (!fd_) throw misuse("append after commit");
    const auto write_once = [this](const std::byte* from, std::size_t count) {
      return ::write(fd_.get(), from, count);
    };
    synced_ = false;
    const Transfer done = write_full(write_once, bytes);
    written_ += done.bytes;
    if (done.error_number) {
      failed_ = true;
      throw os_error("write", path_, done.error_number);
    }
  }

  std::uint64_t bytes_written() const override { return written_; }

  void sync() override {
    if (!fd_) throw misuse("sync after commit");
    if (failed_) throw misuse("sync after a write that failed");
    if (synced_) return;
    if (const int error_number = sync_fd(fd_.get())) {
      failed_ =
          true;  // the system may have dropped what it could not write: a second try would prove nothing
      throw os_error("make durable", path_, error_number);
    }
    synced_ = true;
  }

  void commit() override {
    if (!fd_) throw misuse("a second commit");
    if (failed_) throw misuse("commit after a write that failed");
    sync();
    if (const int error_number = fd_.close()) throw os_error("make durable", path_, error_number);
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) throw os_error("move into place", path_, errno);
    committed_ = true;
    sync_folder(folder_);
  }

 private:
  Error misuse(const char* what) const {
    return Error(ErrorCode::internal, {.operation = "write", .object = path_, .found = what});
  }

  Descriptor fd_;
  const std::string temporary_;
  const std::string path_;
  const std::string folder_;
  std::uint64_t written_ = 0;
  bool failed_ = false;
  bool synced_ = false;
  bool committed_ = false;
};

// The folder that holds `path`, made where it is absent.
fs::path parent_of(const fs::path& path) {
  const fs::path parent = path.parent_path().empty() ? fs::path(".") : path.parent_path();
  std::error_code made, status_error;
  fs::create_directories(parent, made);
  if (made && !fs::is_directory(parent, status_error))
    throw os_error("create folder", parent.string(), made.value());
  return parent;
}

// Creates a temporary file that no other writer has. A name left by a killed process of the same number, or a
// file that was taken for a leftover before it could be claimed, only costs another try.
Descriptor create_temporary(const fs::path& parent, const std::string& name, std::string& temporary) {
  constexpr mode_t kMode = 0666;  // less the user's umask
  while (true) {
    temporary = (parent / temporary_name(name)).string();
    Descriptor fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode));
    if (!fd && errno != EEXIST) throw os_error("create", (parent / name).string(), errno);
    if (!fd) continue;
    if (claim_temporary(fd.get())) return fd;
    ::unlink(temporary.c_str());
  }
}

}  // namespace

std::unique_ptr<WritableFile> LocalStore::create(const std::string& url) {
  const std::string path = local_path(url);
  const fs::path final_path(path);
  const std::string name = final_path.filename().string();
  std::error_code status_error;
  if (name.empty() || fs::is_directory(final_path, status_error))
    throw Error(ErrorCode::invalid_argument,
                {.operation = "create", .object = path, .found = "a folder", .allowed = "a file's path"});
  const fs::path parent = parent_of(final_path);
  leftovers_.remove(parent.string(), name);
  std::string temporary;
  Descriptor fd = create_temporary(parent, name, temporary);
  return std::make_unique<LocalWriter>(std::move(fd), temporary, path, parent.string());
}

void LocalStore::remove(const std::string& url) {
  const std::string path = local_path(url);
  if (::unlink(path.c_str()) != 0 && errno != ENOENT && errno != ENOTDIR)
    throw os_error("remove", path, errno);
}

void LocalStore::rename(const std::string& from_url, const std::string& to_url) {
  const std::string from = local_path(from_url), to = local_path(to_url);
  const std::string folder = parent_of(to).string();
  if (::rename(from.c_str(), to.c_str()) != 0) throw os_error("move into place", from, errno);
  sync_folder(folder);
}

}  // namespace stoker::store
