#include "record/spill_file.hpp"

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

constexpr std::size_t kFlushBytes = std::size_t{1} << 18;

Descriptor open_nameless(const std::string& folder) {
  Descriptor file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file) return file;
  // File systems without nameless files: one whose name is taken away at once.
  const std::string path = (std::filesystem::path(folder) / store::temporary_name("seek-spill")).string();
  Descriptor named(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!named) throw os_error("create a temporary file in", folder, errno);
  ::unlink(path.c_str());
  return named;
}

}  // namespace

SpillFile::SpillFile(const std::string& folder) : folder_(folder.empty() ? "." : folder) {
  std::error_code made;
  std::filesystem::create_directories(folder_, made);
  file_ = open_nameless(folder_);
}

std::uint64_t SpillFile::append(std::span<const std::byte> bytes) {
  const std::uint64_t at = this->bytes();
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  if (buffer_.size() >= kFlushBytes) flush();
  return at;
}

void SpillFile::flush() {
  std::uint64_t at = flushed_;
  const auto write_once = [this, &at](const std::byte* from, std::size_t count) {
    const ssize_t written = ::pwrite(file_.get(), from, count, static_cast<off_t>(at));
    if (written > 0) at += static_cast<std::uint64_t>(written);
    return written;
  };
  const Transfer done = write_full(write_once, buffer_);
  if (done.error_number) throw os_error("write a temporary file in", folder_, done.error_number);
  flushed_ = at;
  buffer_.clear();
}

void SpillFile::read_at(std::uint64_t offset, std::span<std::byte> out) {
  if (!buffer_.empty()) flush();
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

void SpillFile::clear() {
  buffer_.clear();
  flushed_ = 0;
  (void)::ftruncate(file_.get(), 0);  // only room on the disk depends on it
}

}  // namespace stoker::record
