#include "bench/probe_files.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <iterator>
#include <set>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/philox.hpp"
#include "base/transfer.hpp"

namespace stoker::bench {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// Folders' entries that are looked at: each may cost a network file system a message.
constexpr std::size_t kMostEntries = 20'000;

class Finder {
 public:
  Finder(std::size_t most, Clock::time_point end) : most_(most), end_(end) {}

  bool done() const { return paths_.size() >= most_ || visited_ >= kMostEntries || Clock::now() >= end_; }

  void add(const fs::path& path) {
    if (!done() && known_.insert(path.string()).second) paths_.push_back(path.string());
  }

  // The files of a folder with the ending.
  void add_folder(const fs::path& folder, const fs::path& ending) {
    each_entry(folder, [&](const fs::directory_entry& entry) {
      std::error_code failed;
      if (entry.path().extension() == ending && entry.is_regular_file(failed)) add(entry.path());
    });
  }

  void add_folders(const fs::path& parent, const fs::path& ending) {
    each_entry(parent, [&](const fs::directory_entry& entry) {
      std::error_code failed;
      if (entry.is_directory(failed)) add_folder(entry.path(), ending);
    });
  }

  std::vector<std::string> take() { return std::move(paths_); }

 private:
  template <class Visit>
  void each_entry(const fs::path& folder, Visit&& visit) {
    std::error_code failed;
    fs::directory_iterator entries(folder, fs::directory_options::skip_permission_denied, failed);
    for (; !failed && entries != fs::directory_iterator() && !done(); entries.increment(failed)) {
      ++visited_;
      visit(*entries);
    }
  }

  std::size_t most_, visited_ = 0;
  Clock::time_point end_;
  std::vector<std::string> paths_;
  std::set<std::string> known_;
};

// Whether mincore tells this user the truth. Source: mm/mincore.c, can_do_mincore.
bool may_look(int file, const struct stat& status) {
  if (::geteuid() == 0 || status.st_uid == ::geteuid()) return true;
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  return ::access(path.c_str(), W_OK) == 0;
}

std::optional<bool> is_mapped_in(int file, std::uint64_t offset) {
  const auto page_bytes = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  void* mapped =
      ::mmap(nullptr, 1, PROT_READ, MAP_SHARED, file, static_cast<off_t>(offset / page_bytes * page_bytes));
  if (mapped == MAP_FAILED) return std::nullopt;
  unsigned char resident = 0;
  const int failed = ::mincore(mapped, 1, &resident);
  ::munmap(mapped, 1);
  if (failed != 0) return std::nullopt;
  return (resident & 1) != 0;
}

// Where the page is not there the kernel may begin to fetch it: only for a page that is read next.
std::optional<bool> is_read_at_once(int file, std::uint64_t offset) {
  std::byte byte{};
  const iovec place{&byte, 1};
  const ssize_t got = ::preadv2(file, &place, 1, static_cast<off_t>(offset), RWF_NOWAIT);
  if (got == 1) return true;
  if (got < 0 && errno == EAGAIN) return false;
  return std::nullopt;
}

}  // namespace

std::vector<std::string> find_probe_files(const std::vector<std::string>& examples, std::size_t most,
                                          std::chrono::milliseconds limit) {
  Finder finder(most, Clock::now() + limit);
  std::set<std::pair<fs::path, fs::path>> places;  // folder, ending
  for (const std::string& example : examples) {
    std::error_code failed;
    if (!fs::is_regular_file(example, failed)) continue;
    finder.add(example);
    places.emplace(fs::path(example).parent_path(), fs::path(example).extension());
  }
  for (const auto& [folder, ending] : places) finder.add_folder(folder, ending);
  for (auto place = places.begin(); place != places.end(); ++place)
    if (const auto next = std::next(place);
        next != places.end() && next->first.parent_path() == place->first.parent_path())
      finder.add_folders(place->first.parent_path(), place->second);
  std::vector<std::string> paths = finder.take();
  SampleRng rng(1, 0, 0, 0);
  for (std::size_t i = paths.size(); i > 1; --i) std::swap(paths[i - 1], paths[rng.below(i)]);
  return paths;
}

ProbeFile::ProbeFile(const std::string& path, std::uint64_t offset)
    : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)), offset_(offset) {
  struct stat status{};
  if (!file_) return;
  if (::fstat(file_.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    file_ = Descriptor();
    return;
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
  if (offset >= size_) return;
  was_cached_ = may_look(file_.get(), status) ? is_mapped_in(file_.get(), offset)
                                              : is_read_at_once(file_.get(), offset);
}

ProbeFile::~ProbeFile() {
  if (was_cached_ == false && read_ > 0)
    ::posix_fadvise(file_.get(), static_cast<off_t>(offset_), static_cast<off_t>(read_), POSIX_FADV_DONTNEED);
}

std::optional<std::size_t> ProbeFile::read(std::span<std::byte> out) {
  const auto read_once = [this](std::byte* to, std::size_t bytes, std::uint64_t at) {
    return ::pread(file_.get(), to, bytes, static_cast<off_t>(at));
  };
  const Transfer done = read_full(read_once, out, offset_ + read_);
  read_ += done.bytes;
  if (done.error_number != 0) return std::nullopt;
  return done.bytes;
}

}  // namespace stoker::bench
