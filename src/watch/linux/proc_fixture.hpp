// Trees of /proc, /sys and control groups that a test writes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "stoker/watch.hpp"

#include "support/temp_dir.hpp"

namespace stoker::watch {

struct FixtureThread {
  std::int64_t pid = 0, parent = 1, id = 0;  // id 0: the main thread
  std::string name = "python";
  char state = 'S';
  std::uint64_t user_ticks = 0, system_ticks = 0, start_ticks = 500, block_io_ticks = 0;
  int threads = 1;
};

class ProcFixture {
 public:
  std::string root(std::string_view name = "proc") const { return dir_.path(name); }
  std::string write(const std::string& path, std::string_view text) const { return dir_.write(path, text); }
  void remove(const std::string& path) const { std::filesystem::remove_all(dir_.path(path)); }
  // A symbolic link, as /proc/PID/fd is full of.
  void link(const std::string& path, const std::string& target) const {
    const std::filesystem::path file = dir_.path(path);
    std::filesystem::create_directories(file.parent_path());
    std::filesystem::remove(file);
    std::filesystem::create_symlink(target, file);
  }

  static std::string stat_line(const FixtureThread& x) {
    return fmt::format(
        "{} ({}) {} {} 1 1 0 -1 4194304 9 8 7 6 {} {} 0 0 20 0 {} 0 {} 900000 25 1844 1 1 0 0 0 0 0 0 0 0 0 "
        "0 17 0 0 0 {} "
        "0 0\n",
        x.id == 0 ? x.pid : x.id, x.name, x.state, x.parent, x.user_ticks, x.system_ticks, x.threads,
        x.start_ticks, x.block_io_ticks);
  }
  // The stat files of a thread, and for a main thread its process's.
  void thread(const FixtureThread& x) const {
    const std::string folder = fmt::format("proc/{}", x.pid);
    write(fmt::format("{}/task/{}/stat", folder, x.id == 0 ? x.pid : x.id), stat_line(x));
    if (x.id == 0) write(folder + "/stat", stat_line(x));
  }
  // Beside its stat files: schedstat and syscall.
  void blocked(const FixtureThread& x, std::string_view syscall, std::string_view wchan,
               std::string_view schedstat = "1000000000 500000000 7\n") const {
    thread(x);
    const std::string folder = fmt::format("proc/{}/task/{}", x.pid, x.id == 0 ? x.pid : x.id);
    write(folder + "/syscall", syscall);
    write(folder + "/wchan", wchan);
    write(folder + "/schedstat", schedstat);
  }

  WatchOptions options(std::int64_t pid) const {
    WatchOptions options;
    options.pid = pid;
    options.proc_root = root();
    options.sys_root = root("sys");
    options.cgroup_root = root("cgroup");
    options.nvml_library = root("no-such-library.so");
    options.interval = std::chrono::milliseconds(60);
    options.main_thread_every = options.workers_every = std::chrono::milliseconds(5);
    return options;
  }

 private:
  test::TempDir dir_;
};

}  // namespace stoker::watch
