// Traces as they are recorded: each line in one write, so that a reader never meets half of one in between.
#include <cerrno>
#include <fcntl.h>
#include <span>
#include <sys/stat.h>

#include "stoker/watch.hpp"

#include "base/descriptor.hpp"
#include "base/os_error.hpp"
#include "base/transfer.hpp"
#include "watch/trace_json.hpp"

namespace stoker {

namespace {

// Writes a line; what came to the disk of one that failed is taken back.
void write_line(int descriptor, const std::string& path, std::string line) {
  line.push_back('\n');
  const auto write_once = [descriptor](const std::byte* from, std::size_t count) {
    return ::write(descriptor, from, count);
  };
  const Transfer done = write_full(write_once, std::as_bytes(std::span(line)));
  if (done.error_number == 0) return;
  struct stat status{};
  if (done.bytes > 0 && ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
    const int cut = ::ftruncate(descriptor, status.st_size - static_cast<off_t>(done.bytes));
    static_cast<void>(cut);  // a reader leaves a cut last line out
  }
  throw os_error("record trace", path, done.error_number);
}

}  // namespace

TraceWriter::TraceWriter(const std::string& path, std::int64_t pid) : path_(path) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!file) throw os_error("record trace", path, errno);
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) throw os_error("record trace", path, errno);
  if (S_ISREG(status.st_mode) && status.st_size > 0)
    throw Error(ErrorCode::invalid_argument, {.operation = "record trace",
                                              .object = path,
                                              .found = "the file exists and is not empty",
                                              .next_step = "choose another name, or remove it"});
  write_line(file.get(), path, watch::head_line(pid));
  descriptor_ = file.release();
}

TraceWriter::~TraceWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void TraceWriter::append(const Snapshot& snapshot) {
  write_line(descriptor_, path_, watch::to_line(snapshot));
}

void TraceWriter::append(const ProbeSeen& probe) { write_line(descriptor_, path_, watch::to_line(probe)); }

}  // namespace stoker
