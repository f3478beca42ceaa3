#include "load/counters_page.hpp"

#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <new>
#include <sstream>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/mutex.hpp"

namespace stoker::load {

namespace {

// Field 22 of /proc/self/stat; the name in field 2 may hold blanks and brackets. Source: man 5 proc.
std::uint64_t process_start_ticks() {
  std::ifstream file("/proc/self/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(line.substr(name_end + 1));
  std::string skipped;
  for (int field = 3; field < 22; ++field) fields >> skipped;
  std::uint64_t ticks = 0;
  fields >> ticks;
  return ticks;
}

// A folder of ours that nobody else may write: in a shared place another user could have made it first.
bool make_private_folder(const std::string& folder) {
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return false;
  struct stat found{};
  if (lstat(folder.c_str(), &found) != 0) return false;
  return S_ISDIR(found.st_mode) && found.st_uid == geteuid() && (found.st_mode & 022) == 0;
}

// Maps a new file of the counters' size; null if anything fails.
CountersFile* map_new_file(const std::string& path) {
  unlink(path.c_str());
  const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (descriptor < 0) return nullptr;
  // Real blocks: a mapped hole in a full file system would kill the process at its first write.
  void* memory = MAP_FAILED;
  if (posix_fallocate(descriptor, 0, sizeof(CountersFile)) == 0) {
    memory = mmap(nullptr, sizeof(CountersFile), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  }
  close(descriptor);
  if (memory == MAP_FAILED) {
    unlink(path.c_str());
    return nullptr;
  }
  return new (memory) CountersFile();
}

void add_delta(StageCounters& to, const StageDelta& delta) {
  constexpr auto kOrder = std::memory_order_relaxed;
  to.items.fetch_add(delta.items, kOrder);
  to.bytes.fetch_add(delta.bytes, kOrder);
  to.busy_ns.fetch_add(static_cast<std::uint64_t>(delta.busy.count()), kOrder);
  to.blocked_on_input_ns.fetch_add(static_cast<std::uint64_t>(delta.blocked_on_input.count()), kOrder);
  to.blocked_on_output_ns.fetch_add(static_cast<std::uint64_t>(delta.blocked_on_output.count()), kOrder);
}

}  // namespace

std::shared_ptr<CountersPage> CountersPage::of_process() {
  static Mutex mutex;
  static std::weak_ptr<CountersPage> known;
  const MutexLock lock(mutex);
  const auto pid = static_cast<std::uint32_t>(getpid());
  std::shared_ptr<CountersPage> page = known.lock();
  if (page && page->pid_ == pid) return page;  // else a child of fork holds its parent's
  page = make(pid);
  known = page;
  return page;
}

std::shared_ptr<CountersPage> CountersPage::make(std::uint32_t pid) {
  std::string path = counters_path(pid);
  if (!make_private_folder(path.substr(0, path.rfind('/')))) return nullptr;
  const std::string unfinished = path + ".new";
  CountersFile* file = map_new_file(unfinished);
  if (file == nullptr) return nullptr;
  file->pid = pid;
  file->process_start_ticks = process_start_ticks();
  if (rename(unfinished.c_str(), path.c_str()) != 0) {
    munmap(file, sizeof(CountersFile));
    unlink(unfinished.c_str());
    return nullptr;
  }
  return std::shared_ptr<CountersPage>(new CountersPage(std::move(path), file, pid));
}

CountersPage::~CountersPage() {
  if (pid_ == static_cast<std::uint32_t>(getpid())) unlink(path_.c_str());
  munmap(file_, sizeof(CountersFile));
}

Counters::Counters(bool publish) : page_(publish ? CountersPage::of_process() : nullptr) {
  own_.pid = static_cast<std::uint32_t>(getpid());
  own_.process_start_ticks = process_start_ticks();
}

Counters::~Counters() {
  set_threads(0);
  for (std::size_t stage = 0; stage < kStageCount; ++stage) set_depth(static_cast<Stage>(stage), 0);
}

void Counters::add(Stage stage, const StageDelta& delta) {
  const auto at = static_cast<std::size_t>(stage);
  add_delta(own_.stages[at], delta);
  if (page_) add_delta(page_->file().stages[at], delta);
}

void Counters::add_delivered(std::uint64_t images, std::uint64_t bad_samples) {
  constexpr auto kOrder = std::memory_order_relaxed;
  for (CountersFile* file : {&own_, page_ ? &page_->file() : nullptr}) {
    if (file == nullptr) continue;
    file->images.fetch_add(images, kOrder);
    file->batches.fetch_add(1, kOrder);
    file->bad_samples.fetch_add(bad_samples, kOrder);
  }
}

// The page holds the sum over loaders, so each adds what changed (unsigned sums wrap to the right value).
void Counters::set_depth(Stage stage, std::uint64_t items) {
  const auto at = static_cast<std::size_t>(stage);
  const std::uint64_t before = own_.stages[at].queue_depth.exchange(items, std::memory_order_relaxed);
  if (page_) page_->file().stages[at].queue_depth.fetch_add(items - before, std::memory_order_relaxed);
}

void Counters::set_threads(std::uint32_t threads) {
  const std::uint32_t before = own_.threads.exchange(threads, std::memory_order_relaxed);
  if (page_) page_->file().threads.fetch_add(threads - before, std::memory_order_relaxed);
}

void LocalCounts::flush() {
  for (std::size_t stage = 0; stage < kStageCount; ++stage) {
    StageDelta& delta = stages_[stage];
    if (delta.items == 0 && delta.busy.count() == 0 && delta.blocked_on_input.count() == 0 &&
        delta.blocked_on_output.count() == 0) {
      continue;
    }
    counters_.add(static_cast<Stage>(stage), delta);
    delta = {};
  }
}

void LocalCounts::flush_if_due(std::chrono::steady_clock::time_point now) {
  constexpr std::chrono::milliseconds kInterval{2};
  if (now - flushed_ < kInterval) return;
  flushed_ = now;
  flush();
}

}  // namespace stoker::load
