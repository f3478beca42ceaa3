#include "base/os_error.hpp"

#include <cerrno>
#include <system_error>

namespace stoker {

ErrorCode code_of_errno(int error_number) {
  switch (error_number) {
    case ENOENT:
    case ENOTDIR:
      return ErrorCode::not_found;
    case ENOSPC:
    case EDQUOT:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return ErrorCode::out_of_resources;
    case ETIMEDOUT:
    case ESTALE:
    case EAGAIN:
    case EHOSTDOWN:
    case EHOSTUNREACH:
      return ErrorCode::unavailable;
    case EISDIR:
    case ENAMETOOLONG:
      return ErrorCode::invalid_argument;
    default:
      return ErrorCode::io;
  }
}

namespace {

std::string next_step(int error_number) {
  switch (error_number) {
    case ENOENT:
    case ENOTDIR:
      return "check the path";
    case ENOSPC:
      return "free space on this file system, or write elsewhere";
    case EDQUOT:
      return "the user's disk quota is used up: free space, or write elsewhere";
    case EMFILE:
      return "raise the limit on open files (ulimit -n) of this process";
    case ENFILE:
      return "the whole machine is out of open files (fs.file-max)";
    case EACCES:
    case EPERM:
      return "check the permissions of the file and of every folder above it, for this user";
    case EROFS:
      return "the file system is read-only: write elsewhere";
    case ELOOP:
      return "a symbolic link leads back to itself: remove it";
    case EIO:
      return "the disk or the network failed: see the kernel's log";
    case ESTALE:
    case ETIMEDOUT:
      return "the file server did not answer as it should: try again";
    default:
      return "";
  }
}

}  // namespace

Error os_error(std::string operation, const std::string& path, int error_number) {
  return Error(code_of_errno(error_number), {.operation = std::move(operation),
                                             .object = path,
                                             .found = std::generic_category().message(error_number),
                                             .next_step = next_step(error_number)});
}

}  // namespace stoker
