#include "bench/decode_feed.hpp"

#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <set>
#include <string>
#include <unistd.h>

#include "base/descriptor.hpp"
#include "base/os_error.hpp"
#include "bench/cpu_clock.hpp"
#include "store/local_store.hpp"

namespace stoker::bench {

std::string_view to_string(SampleSource source) {
  switch (source) {
    case SampleSource::memory:
      return "memory";
    case SampleSource::cache:
      return "cache";
    case SampleSource::cold:
      return "cold";
  }
  return "";
}

void DecodeFeed::begin_turn(std::size_t begin, std::size_t end) const {
  if (source_ != SampleSource::cold) return;
  std::set<std::string> files;
  for (std::size_t i = begin; i < end; ++i) files.insert(records_.info(samples_[i].index).container);
  for (const std::string& file : files) drop_pages(file);
}

std::span<const std::byte> DecodeFeed::bytes(std::size_t i) {
  if (source_ == SampleSource::memory) return samples_[i].bytes;
  records_.read(samples_[i].index, sample_);
  return sample_.main();
}

double DecodeFeed::now_s() const { return source_ == SampleSource::memory ? thread_cpu_s() : wall_s(); }

void drop_pages(const std::string& path) {
  const std::string local = store::local_path(path);
  const Descriptor file(::open(local.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) throw os_error("drop cached pages", path, errno);
  // Pages that were not written yet stay.
  ::fdatasync(file.get());
  if (const int failed = ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED); failed != 0)
    throw os_error("drop cached pages", path, failed);
}

// Source: proc(5): read_bytes of /proc/PID/io.
std::optional<double> storage_bytes() {
  std::ifstream counters("/proc/self/io");
  for (std::string name; counters >> name;) {
    double bytes = 0;
    if (!(counters >> bytes)) break;
    if (name == "read_bytes:") return bytes;
  }
  return std::nullopt;
}

}  // namespace stoker::bench
