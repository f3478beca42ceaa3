#include "watch/linux/loader_counters.hpp"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <vector>

#include "stoker/counters.hpp"

#include "watch/linux/proc_file.hpp"

namespace stoker::watch {

namespace {

// Where the process may have put it, as it names files itself: the folders of counters_path().
std::vector<std::string> places(const ProcessWatch& process) {
  std::vector<std::string> found;
  const auto add = [&](const std::string& folder) {
    found.push_back(fmt::format("{}/{}.counters", folder, process.inner_pid()));
  };
  if (process.runtime_folder().starts_with('/')) add(process.runtime_folder() + "/stoker");
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing of ours sets variables
  const char* own = std::getenv("XDG_RUNTIME_DIR");
  if (own && own[0] == '/' && own != process.runtime_folder()) add(std::string(own) + "/stoker");
  add(fmt::format("/dev/shm/stoker-{}", process.user_id()));
  if (process.user_id() != 0) add("/dev/shm/stoker-0");  // root of a user namespace
  return found;
}

std::uint64_t number_at(const std::string& bytes, std::size_t offset) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::uint32_t word_at(const std::string& bytes, std::size_t offset) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

LoaderSeen parse(const std::string& bytes, std::int64_t pid) {
  LoaderSeen loader{.pid = pid};
  loader.threads = static_cast<int>(word_at(bytes, offsetof(CountersFile, threads)));
  loader.images = number_at(bytes, offsetof(CountersFile, images));
  loader.batches = number_at(bytes, offsetof(CountersFile, batches));
  loader.bad_samples = number_at(bytes, offsetof(CountersFile, bad_samples));
  for (std::size_t i = 0; i < kStageCount; ++i) {
    const std::size_t at = offsetof(CountersFile, stages) + i * sizeof(StageCounters);
    const auto seconds = [&](std::size_t member) {
      return static_cast<double>(number_at(bytes, at + member)) * 1e-9;
    };
    LoaderStage stage{.name = std::string(to_string(static_cast<Stage>(i)))};
    stage.items = number_at(bytes, at + offsetof(StageCounters, items));
    stage.bytes = number_at(bytes, at + offsetof(StageCounters, bytes));
    stage.queue_depth = number_at(bytes, at + offsetof(StageCounters, queue_depth));
    stage.busy_s = seconds(offsetof(StageCounters, busy_ns));
    stage.blocked_on_input_s = seconds(offsetof(StageCounters, blocked_on_input_ns));
    stage.blocked_on_output_s = seconds(offsetof(StageCounters, blocked_on_output_ns));
    loader.stages.push_back(std::move(stage));
  }
  return loader;
}

}  // namespace

std::optional<LoaderSeen> read_loader(const ProcessWatch& process, const std::string& proc_root,
                                      std::string& fault) {
  // Through the process's own root, so that a container's files are found from outside; a process that does
  // not let us look there has the same root, or files that are not ours to read.
  const bool through = faccessat(process.folder(), "root/", X_OK, 0) == 0;
  if (!through && proc_root != "/proc") return std::nullopt;
  for (const std::string& place : places(process)) {
    const FileText bytes = through ? read_text(process.folder(), "root" + place, sizeof(CountersFile))
                                   : read_text(place, sizeof(CountersFile));
    if (!bytes) {
      if (bytes.error() != ENOENT && bytes.error() != ENOTDIR) fault = why_not(bytes.error());
      continue;
    }
    // Read, not mapped: a file that shrinks under a mapping would end this program.
    if (bytes->size() < sizeof(CountersFile) || number_at(*bytes, 0) != kCountersMagic) {
      fault = place + " is no file of counters";
      continue;
    }
    const std::uint32_t version = word_at(*bytes, offsetof(CountersFile, version));
    if (version != kCountersVersion) {
      fault = fmt::format("{} has version {}; allowed: {}", place, version, kCountersVersion);
      continue;
    }
    const bool own =
        word_at(*bytes, offsetof(CountersFile, pid)) == process.inner_pid() &&
        number_at(*bytes, offsetof(CountersFile, process_start_ticks)) == process.id().start_ticks;
    if (own) return parse(*bytes, process.id().pid);  // else an earlier process's of the same number
  }
  return std::nullopt;
}

}  // namespace stoker::watch
