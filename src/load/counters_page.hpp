// The counter file of this process, and a loader's own counters beside it.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "stoker/counters.hpp"

namespace stoker::load {

// The mapped counter file. All loaders of a process add into the same one; it is removed with the last of
// them.
class CountersPage {
 public:
  // The process's page, made if there is none yet. Null if it cannot be made (a folder that others may write,
  // no space): then there is nothing to watch, and nothing else is amiss.
  static std::shared_ptr<CountersPage> of_process();
  ~CountersPage();
  CountersPage(const CountersPage&) = delete;
  CountersPage& operator=(const CountersPage&) = delete;

  CountersFile& file() { return *file_; }
  const std::string& path() const { return path_; }

 private:
  CountersPage(std::string path, CountersFile* file, std::uint32_t pid)
      : path_(std::move(path)), file_(file), pid_(pid) {}
  static std::shared_ptr<CountersPage> make(std::uint32_t pid);

  std::string path_;
  CountersFile* file_;
  std::uint32_t pid_;
};

// What a thread did since it last told.
struct StageDelta {
  std::uint64_t items = 0;
  std::uint64_t bytes = 0;
  std::chrono::nanoseconds busy{};
  std::chrono::nanoseconds blocked_on_input{};
  std::chrono::nanoseconds blocked_on_output{};
};

// One loader's counters, added to the process's page too. Threads: any.
class Counters {
 public:
  explicit Counters(bool publish);
  ~Counters();  // takes this loader's threads and queues out of the page; what was counted stays
  Counters(const Counters&) = delete;
  Counters& operator=(const Counters&) = delete;

  void add(Stage stage, const StageDelta& delta);
  void add_delivered(std::uint64_t images, std::uint64_t bad_samples);
  void set_depth(Stage stage, std::uint64_t items);
  void set_threads(std::uint32_t threads);
  const CountersFile& own() const { return own_; }
  const CountersPage* page() const { return page_.get(); }

 private:
  CountersFile own_;
  std::shared_ptr<CountersPage> page_;
};

// What one thread has done, told to the counters now and then: its hot loop touches no shared line. Threads:
// one.
class LocalCounts {
 public:
  explicit LocalCounts(Counters& counters) : counters_(counters) {}
  ~LocalCounts() { flush(); }
  LocalCounts(const LocalCounts&) = delete;
  LocalCounts& operator=(const LocalCounts&) = delete;

  StageDelta& operator[](Stage stage) { return stages_[static_cast<std::size_t>(stage)]; }
  void flush();
  // Flushes if the last time lies long enough back.
  void flush_if_due(std::chrono::steady_clock::time_point now);

 private:
  Counters& counters_;
  std::array<StageDelta, kStageCount> stages_{};
  std::chrono::steady_clock::time_point flushed_{};
};

}  // namespace stoker::load
