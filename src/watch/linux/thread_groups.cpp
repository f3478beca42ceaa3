#include "watch/linux/thread_groups.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fmt/format.h>
#include <unistd.h>
#include <unordered_set>
#include <utility>

#include "watch/linux/proc_text.hpp"

namespace stoker::watch {

namespace {

constexpr std::size_t kMostFiles = 8;
constexpr std::ptrdiff_t kMostPastGroups = 16;

std::string task_file(std::int64_t id, std::string_view name) { return fmt::format("task/{}/{}", id, name); }

}  // namespace

ThreadGroups::Thread::Thread(int process, std::int64_t thread, DescriptorBudget& budget)
    : id(thread),
      stat(process, task_file(id, "stat"), budget),
      syscall(process, task_file(id, "syscall"), budget),
      wchan(process, task_file(id, "wchan"), budget),
      schedstat(process, task_file(id, "schedstat"), budget) {}

ThreadGroups::ThreadGroups(int process, std::int64_t pid, bool live, DescriptorBudget& budget)
    : process_(process),
      pid_(pid),
      memory_(pid, live),
      budget_(&budget),
      ticks_per_s_(static_cast<double>(sysconf(_SC_CLK_TCK))) {}

void ThreadGroups::look_for_threads() {
  std::unordered_set<std::int64_t> listed;
  for (const NumberedEntry& entry : numbered_entries(process_, "task")) listed.insert(entry.number);
  for (Thread& thread : threads_) {
    // A number that came again belongs to another thread: what was opened for the first cannot be read.
    std::array<char, 1024> memory;
    const auto text = listed.contains(thread.id) ? thread.stat.read(memory) : tl::unexpected(ESRCH);
    const auto stat = text ? parse_stat_head(*text) : std::nullopt;
    if (stat) {
      listed.erase(thread.id);
      rename(thread, stat->name);
    } else {
      leave(thread);
    }
  }
  std::erase_if(threads_, [](const Thread& thread) { return thread.ended; });
  merge_ended();
  std::vector<std::int64_t> fresh(listed.begin(), listed.end());
  std::sort(fresh.begin(), fresh.end());
  for (const std::int64_t id : fresh) {
    Thread thread(process_, id, *budget_);
    std::array<char, 1024> memory;
    const auto text = thread.stat.read(memory);
    const auto stat = text ? parse_stat_head(*text) : std::nullopt;
    if (!stat) continue;
    thread.name = stat->name;
    threads_.push_back(std::move(thread));
    if (id == pid_) std::swap(threads_.front(), threads_.back());
    ++groups_[key_of(id == pid_ ? threads_.front() : threads_.back())].count;
  }
}

// A program that gives every thread a name of its own would make groups without end.
void ThreadGroups::merge_ended() {
  const auto is_past = [](const auto& entry) { return entry.second.count == 0 && !entry.first.first; };
  if (std::count_if(groups_.begin(), groups_.end(), is_past) <= kMostPastGroups) return;
  Group merged;
  for (const auto& entry : groups_) {
    if (!is_past(entry)) continue;
    merged.ended.cpu_s += entry.second.ended.cpu_s;
    merged.ended.run_delay_s += entry.second.ended.run_delay_s;
  }
  std::erase_if(groups_, is_past);
  groups_[{false, "(ended)"}] = std::move(merged);
}

void ThreadGroups::sample_main() {
  if (!threads_.empty() && threads_.front().id == pid_) sample(threads_.front());
}

void ThreadGroups::sample(Thread& thread) {
  std::array<char, 1024> memory;
  const auto text = thread.stat.read(memory);
  const auto stat = text ? parse_stat_head(*text) : std::nullopt;
  if (!stat) return;  // ended: the next look forgets it
  ThreadSight sight;
  sight.state = stat->state;
  rename(thread, stat->name);
  std::array<char, 256> call_memory, wait_memory;
  if (sight.state == 'S' || sight.state == 'D') {
    const auto call_text = thread.syscall.read(call_memory);
    const auto call = call_text ? parse_syscall(*call_text) : std::nullopt;
    if (call) {
      describe_call(*call, process_, memory_, sight);
      if (!call->running) {
        sight.wait = thread.wchan.read(wait_memory).value_or("");
        sight.wait = sight.wait.substr(0, sight.wait.find('.'));  // ".constprop.0" and its kind
        if (sight.wait == "0") sight.wait = {};
      }
    } else if (!call_text) {
      blindness_.calls = why_not(call_text.error());
    }
  }
  count_sight(sight, groups_[key_of(thread)].tallies);
  count_file(sight.target, kMostFiles, files_);
}

// What it spent so far stays with its old name.
void ThreadGroups::rename(Thread& thread, std::string_view name) {
  if (thread.name == name) return;
  if (thread.id == pid_) {
    thread.name = name;
    return;
  }
  read_times(thread);
  Group& group = groups_[key_of(thread)];
  --group.count;
  group.ended.cpu_s += thread.times.cpu_s - thread.spent_before.cpu_s;
  group.ended.run_delay_s += thread.times.run_delay_s - thread.spent_before.run_delay_s;
  thread.spent_before = thread.times;
  thread.name = name;
  ++groups_[key_of(thread)].count;
}

void ThreadGroups::read_times(Thread& thread) {
  std::array<char, 1024> memory;
  if (const auto text = thread.schedstat.read(memory)) {
    if (const auto times = parse_schedstat(*text)) {
      thread.times = {times->cpu_s, times->run_delay_s};
      return;
    }
  } else if (text.error() != ESRCH) {
    blindness_.run_delays = why_not(text.error());
  }
  const auto text = thread.stat.read(memory);
  const auto stat = text ? parse_stat(*text) : std::nullopt;
  if (!stat) return;
  const std::uint64_t ticks = stat->user_ticks + stat->system_ticks;
  if (ticks > 0) {
    schedstats_ = false;
    if (blindness_.run_delays.empty()) blindness_.run_delays = "this kernel keeps no schedstats";
  }
  thread.times.cpu_s = std::max(thread.times.cpu_s, static_cast<double>(ticks) / ticks_per_s_);
}

void ThreadGroups::leave(Thread& thread) {
  Group& group = groups_[key_of(thread)];
  --group.count;
  group.ended.cpu_s += thread.times.cpu_s - thread.spent_before.cpu_s;
  group.ended.run_delay_s += thread.times.run_delay_s - thread.spent_before.run_delay_s;
  thread.ended = true;
}

std::vector<ThreadsSeen> ThreadGroups::take() {
  std::map<Key, Times> running;
  for (Thread& thread : threads_) {
    read_times(thread);
    Times& times = running[key_of(thread)];
    times.cpu_s += thread.times.cpu_s - thread.spent_before.cpu_s;
    times.run_delay_s += thread.times.run_delay_s - thread.spent_before.run_delay_s;
  }
  std::vector<ThreadsSeen> seen;
  for (auto& [key, group] : groups_) {
    const Times& times = running[key];
    ThreadsSeen threads{.name = key.second, .main = key.first, .count = group.count};
    if (threads.main && !threads_.empty()) threads.name = threads_.front().name;
    threads.cpu_s = group.ended.cpu_s + times.cpu_s;
    threads.run_delay_s = schedstats_ ? Reading<double>(group.ended.run_delay_s + times.run_delay_s)
                                      : Reading<double>::unknown(blindness_.run_delays);
    threads.tallies = std::exchange(group.tallies, {});
    // The main thread first, as it is in the list of threads.
    seen.insert(threads.main ? seen.begin() : seen.end(), std::move(threads));
  }
  return seen;
}

std::vector<FileSeen> ThreadGroups::take_files() { return std::exchange(files_, {}); }

}  // namespace stoker::watch
