#include "record/nameless_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

#include "stoker/error.hpp"

#include "base/os_error.hpp"
#include "base/transfer.hpp"
#include "store/leftovers.hpp"

namespace stoker::record {

namespace {

Descriptor open_nameless(const std::string& folder) {
  Descriptor file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file) return file;
  // File systems without nameless files: one whose name is taken away at once.
  const std::string path = (std::filesystem::path(folder) / store::temporary_name("spill")).string();
  Descriptor named(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!named) throw os_error("create a temporary file in", folder, errno);
  ::unlink(path.c_str());
  return named;
}

}  // namespace

NamelessFile::NamelessFile(const std::string& folder) : folder_(folder.empty() ? "." : folder) {
  std::error_code made;
  std::filesystem::create_directories(folder_, made);
  file_ = open_nameless(folder_);
}

void NamelessFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  const auto write_once = [this, &offset](const std::byte* from, std::size_t count) {
    const ssize_t written = ::pwrite(file_.get(), from, count, static_cast<off_t>(offset));
    if (written > 0) offset += static_cast<std::uint64_t>(written);
    return written;
  };
  const Transfer done = write_full(write_once, bytes);
  if (done.error_number) throw os_error("write a temporary file in", folder_, done.error_number);
}

void NamelessFile::read_at(std::uint64_t offset, std::span<std::byte> out) const {
  const auto read_once = [this](std::byte* to, std::size_t count, std::uint64_t at) {
    return ::pread(file_.get(), to, count, static_cast<off_t>(at));
  };
  const Transfer done = read_full(read_once, out, offset);
  if (done.error_number) throw os_error("read a temporary file in", folder_, done.error_number);
  if (done.bytes < out.size())
    throw Error(ErrorCode::internal, {.operation = "read a temporary file in",
                                      .object = folder_,
                                      .found = "fewer bytes than were written"});
}

void NamelessFile::sync() {
  while (::fdatasync(file_.get()) != 0)
    if (errno != EINTR) throw os_error("make durable a temporary file in", folder_, errno);
}

void NamelessFile::clear() { (void)::ftruncate(file_.get(), 0); }  // only room on the disk depends on it

}  // namespace stoker::record
