// Reading and listing of the local store.
#include <algorithm>
#include <dirent.h>
#include <fcntl.h>
#include <limits>
#include <sys/stat.h>

#include "stoker/error.hpp"

#include "base/descriptor.hpp"
#include "base/os_error.hpp"
#include "base/transfer.hpp"
#include "store/local_store.hpp"

namespace stoker::store {

namespace {

class LocalFile final : public ReadableFile {
 public:
  LocalFile(Descriptor fd, std::string path, std::uint64_t bytes)
      : fd_(std::move(fd)), path_(std::move(path)), bytes_(bytes) {}

  std::size_t read_at(std::uint64_t offset, std::span<std::byte> out) const override {
    if (offset > kLargestOffset) return 0;
    const auto pread_once = [fd = fd_.get()](std::byte* to, std::size_t count, std::uint64_t at) {
      return ::pread(fd, to, count, static_cast<off_t>(at));
    };
    const Transfer done = read_full(pread_once, out, offset);
    if (done.error_number) throw os_error("read", path_, done.error_number);
    return done.bytes;
  }
  std::uint64_t bytes() const override { return bytes_; }
  const std::string& path() const override { return path_; }
  void prefetch(std::uint64_t offset, std::uint64_t bytes) const override {
    if (offset > kLargestOffset || bytes > kLargestOffset) return;
    // A failure means no more than that the read will wait.
    (void)::posix_fadvise(fd_.get(), static_cast<off_t>(offset), static_cast<off_t>(bytes),
                          POSIX_FADV_WILLNEED);
  }

 private:
  static constexpr std::uint64_t kLargestOffset = std::numeric_limits<off_t>::max() / 2;

  const Descriptor fd_;
  const std::string path_;
  const std::uint64_t bytes_;
};

ObjectInfo info_of(std::string path, const struct stat& status) {
  ObjectInfo info{.path = std::move(path)};
  info.is_folder = S_ISDIR(status.st_mode);
  if (info.is_folder) {
    // Two folders of one file system differ in inode; the device is mixed in for those of two. 0 would say
    // "not known".
    info.folder_identity = static_cast<std::uint64_t>(status.st_dev) * 0x9E3779B97F4A7C15u ^ status.st_ino;
    if (info.folder_identity == 0) info.folder_identity = 1;
  } else {
    info.bytes = static_cast<std::uint64_t>(status.st_size);
  }
  info.modified_ns =
      static_cast<std::int64_t>(status.st_mtim.tv_sec) * 1'000'000'000 + status.st_mtim.tv_nsec;
  return info;
}

std::string child_path(const std::string& folder, const char* name) {
  return folder.ends_with('/') ? folder + name : folder + '/' + name;
}

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

// `with_status`: look at every child; else only at folders and at what the listing does not tell the type of.
std::vector<ObjectInfo> list_folder(const std::string& url, bool with_status) {
  const std::string folder = local_path(url);
  const std::unique_ptr<DIR, CloseFolder> handle(::opendir(folder.c_str()));
  if (!handle) throw os_error("list folder", folder, errno);
  std::vector<ObjectInfo> children;
  while (true) {
    errno = 0;
    const dirent* entry = ::readdir(handle.get());
    if (!entry) {
      if (errno) throw os_error("list folder", folder, errno);
      break;
    }
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    std::string path = child_path(folder, entry->d_name);
    struct stat status{};
    const bool plain = entry->d_type == DT_REG && !with_status;
    // A link that leads nowhere is listed as a file, so that reading it says what is wrong.
    if (plain || ::fstatat(::dirfd(handle.get()), entry->d_name, &status, 0) != 0)
      children.push_back({.path = std::move(path)});
    else
      children.push_back(info_of(std::move(path), status));
  }
  // All paths begin with the same folder: their order is that of the names.
  std::sort(children.begin(), children.end(),
            [](const ObjectInfo& a, const ObjectInfo& b) { return a.path < b.path; });
  return children;
}

}  // namespace

std::unique_ptr<ReadableFile> LocalStore::open_read(const std::string& url) {
  std::string path = local_path(url);
  // O_NONBLOCK: opening a named pipe must not wait for its writer; regular files do not mind.
  Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) throw os_error("open", path, errno);
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) throw os_error("open", path, errno);
  if (!S_ISREG(status.st_mode))
    throw Error(ErrorCode::invalid_argument,
                {.operation = "open",
                 .object = path,
                 .found = S_ISDIR(status.st_mode) ? "a folder" : "a device, pipe or socket",
                 .allowed = "a regular file"});
  const auto bytes = static_cast<std::uint64_t>(status.st_size);
  return std::make_unique<LocalFile>(std::move(fd), std::move(path), bytes);
}

std::optional<ObjectInfo> LocalStore::info(const std::string& url) {
  std::string path = local_path(url);
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    throw os_error("look at", path, errno);
  }
  return info_of(std::move(path), status);
}

std::vector<ObjectInfo> LocalStore::list(const std::string& folder) { return list_folder(folder, true); }
std::vector<ObjectInfo> LocalStore::list_names(const std::string& folder) {
  return list_folder(folder, false);
}

}  // namespace stoker::store
