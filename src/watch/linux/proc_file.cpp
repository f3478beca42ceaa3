#include "watch/linux/proc_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

namespace stoker::watch {

FileText read_text(int folder, const std::string& path, std::size_t limit) {
  const Descriptor file(openat(folder, path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return tl::unexpected(errno);
  std::string text;
  for (std::size_t size = 0;;) {
    text.resize(std::min(std::max<std::size_t>(4096, 2 * size), limit));
    const ssize_t got = ::read(file.get(), text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return tl::unexpected(errno);
    size += static_cast<std::size_t>(got);
    if (got == 0 || size == limit) {
      text.resize(size);
      return text;
    }
  }
}

FileText read_text(const std::string& path, std::size_t limit) { return read_text(AT_FDCWD, path, limit); }

std::string why_not(int error) {
  switch (error) {
    case EACCES:
    case EPERM:
      return "needs root, or the permission to trace the process";
    case ENOENT:
    case ENOTDIR:
      return "this kernel does not show it";
    case EOPNOTSUPP:
      return "switched off in this kernel";
    case ESRCH:
      return "the process ended";
    case EMFILE:
    case ENFILE:
      return "too many open files";
    default: {
      char text[128];
      return strerror_r(error, text, sizeof text);
    }
  }
}

DescriptorBudget::DescriptorBudget() {
  rlimit limit{};
  constexpr rlim_t kMost = 8192;
  const bool told = getrlimit(RLIMIT_NOFILE, &limit) == 0;
  limit_ = static_cast<int>((told ? std::min(limit.rlim_cur, kMost) : 256) / 2);
}

bool DescriptorBudget::take() {
  if (taken_ >= limit_) return false;
  ++taken_;
  return true;
}

KeptFile::KeptFile(int folder, std::string path, DescriptorBudget& budget)
    : folder_(folder), path_(std::move(path)), budget_(&budget) {}

KeptFile::~KeptFile() {
  if (counted_) budget_->give_back();
}

KeptFile::KeptFile(KeptFile&& other) noexcept
    : folder_(other.folder_),
      path_(std::move(other.path_)),
      budget_(other.budget_),
      descriptor_(std::move(other.descriptor_)),
      counted_(std::exchange(other.counted_, false)) {}

KeptFile& KeptFile::operator=(KeptFile&& other) noexcept {
  std::swap(folder_, other.folder_);
  std::swap(path_, other.path_);
  std::swap(budget_, other.budget_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(counted_, other.counted_);
  return *this;
}

tl::expected<std::string_view, int> KeptFile::read(std::span<char> memory) {
  Descriptor once;
  int file = descriptor_.get();
  if (file < 0) {
    once = Descriptor(openat(folder_, path_.c_str(), O_RDONLY | O_CLOEXEC));
    if (!once) return tl::unexpected(errno);
    file = once.get();
    counted_ = budget_->take();
    if (counted_) descriptor_ = std::move(once);
  }
  const ssize_t got = pread(file, memory.data(), memory.size(), 0);
  if (got < 0) return tl::unexpected(errno);
  return std::string_view(memory.data(), static_cast<std::size_t>(got));
}

std::string read_link(int folder, const std::string& path) {
  std::array<char, 4096> target;
  const ssize_t size = readlinkat(folder, path.c_str(), target.data(), target.size());
  return size > 0 ? std::string(target.data(), static_cast<std::size_t>(size)) : std::string();
}

std::vector<NumberedEntry> numbered_entries(int folder, const std::string& path) {
  std::vector<NumberedEntry> entries;
  const int file = openat(folder, path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return entries;
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(fdopendir(file), &closedir);
  if (!stream) {
    ::close(file);
    return entries;
  }
  while (const dirent* entry = readdir(stream.get())) {  // NOLINT(concurrency-mt-unsafe): a stream of our own
    const std::string_view name(entry->d_name);
    NumberedEntry found{.inode = entry->d_ino};
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), found.number);
    if (error == std::errc() && end == name.data() + name.size()) entries.push_back(found);
  }
  return entries;
}

}  // namespace stoker::watch
