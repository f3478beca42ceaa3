#include "watch/linux/open_file.hpp"

#include <array>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utility>

#include "watch/linux/proc_file.hpp"

namespace stoker::watch {

namespace {

// Source: the kernel's net/socket.c, sockfs_xattr_get.
bool is_unix_socket(int process, const std::string& link) {
  const std::string path = fmt::format("/proc/self/fd/{}/{}", process, link);
  std::array<char, 64> name{};
  const ssize_t size = getxattr(path.c_str(), "system.sockprotoname", name.data(), name.size());
  return size > 0 && std::string_view(name.data(), static_cast<std::size_t>(size)).starts_with("UNIX");
}

// A path's kind: most are files, but named pipes and devices have paths too.
OpenFile at_path(int process, const std::string& link, std::string path) {
  struct statx found{};
  constexpr unsigned kWanted = STATX_TYPE | STATX_SIZE;
  OpenFile file{"file", std::move(path), 0};
  if (statx(process, link.c_str(), AT_STATX_DONT_SYNC, kWanted, &found) != 0) return file;
  if (S_ISREG(found.stx_mode)) file.size_bytes = found.stx_size;
  if (S_ISFIFO(found.stx_mode)) return {"pipe", {}, 0};
  if (S_ISCHR(found.stx_mode) || S_ISBLK(found.stx_mode)) return {"device", {}, 0};
  return file;
}

}  // namespace

OpenFile open_file(int process, std::int64_t descriptor) {
  const std::string link = fmt::format("fd/{}", descriptor);
  std::string target = read_link(process, link);
  if (target.empty()) return {};
  if (target.starts_with("pipe:")) return {"pipe", {}, 0};
  if (target.starts_with("socket:")) return {is_unix_socket(process, link) ? "unix_socket" : "socket", {}, 0};
  if (target == "anon_inode:[eventfd]") return {"eventfd", {}, 0};
  if (target == "anon_inode:[eventpoll]") return {"epoll", {}, 0};
  if (!target.starts_with('/')) return {"anon", {}, 0};
  if (target.starts_with("/dev/") && !target.starts_with("/dev/shm/")) return {"device", {}, 0};
  return at_path(process, link, std::move(target));
}

bool ProcessMemory::read(std::uint64_t address, void* memory, std::size_t size) const {
  if (pid_ == 0) return false;
  const iovec here{memory, size};
  const iovec there{reinterpret_cast<void*>(address), size};  // NOLINT(performance-no-int-to-ptr)
  return process_vm_readv(static_cast<pid_t>(pid_), &here, 1, &there, 1, 0) == static_cast<ssize_t>(size);
}

std::optional<std::string> ProcessMemory::read_text(std::uint64_t address) const {
  constexpr std::size_t kPiece = 64, kMost = 512;
  std::string text;
  while (text.size() < kMost) {
    // A piece never crosses into the next page, which may not be there.
    std::array<char, kPiece> piece;
    const std::size_t size = kPiece - address % kPiece;
    if (!read(address, piece.data(), size)) return std::nullopt;
    const std::string_view read_now(piece.data(), size);
    const std::size_t end = read_now.find('\0');
    text += read_now.substr(0, end);
    if (end != std::string_view::npos) return text;
    address += size;
  }
  return text;
}

}  // namespace stoker::watch
