#include "watch/linux/process_tree.hpp"

#include <algorithm>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <unistd.h>
#include <utility>

#include "watch/linux/proc_file.hpp"
#include "watch/linux/proc_text.hpp"

namespace stoker::watch {

ProcessId identify(const std::string& proc_root, std::int64_t pid) {
  const FileText text = read_text(fmt::format("{}/{}/stat", proc_root, pid), 4096);
  if (!text) return {};
  const auto stat = parse_stat(*text);
  if (!stat || stat->state == 'Z' || stat->state == 'X') return {};
  return {pid, stat->parent, stat->start_ticks};
}

ProcessTree::ProcessTree(std::string proc_root, std::int64_t pid)
    : proc_root_(std::move(proc_root)), pid_(pid) {
  lists_ = access(fmt::format("{}/{}/task/{}/children", proc_root_, pid, pid).c_str(), R_OK) == 0;
}

std::vector<std::int64_t> ProcessTree::children_listed(std::int64_t pid) const {
  std::vector<std::int64_t> children;
  const std::string tasks = fmt::format("{}/{}/task", proc_root_, pid);
  for (const NumberedEntry& task : numbered_entries(AT_FDCWD, tasks)) {
    const FileText text = read_text(fmt::format("{}/{}/children", tasks, task.number));
    if (!text) continue;
    Words words(*text);
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
      if (const auto child = to_integer(word)) children.push_back(*child);
    }
  }
  return children;
}

// Every process's parent. One that is known by number and inode is the same process: it is not read again.
void ProcessTree::scan() {
  for (auto& [pid, known] : known_) known.seen = false;
  for (const NumberedEntry& entry : numbered_entries(AT_FDCWD, proc_root_)) {
    Known& known = known_[entry.number];
    if (known.inode != entry.inode) known = {identify(proc_root_, entry.number), entry.inode, true};
    known.seen = true;
  }
  std::erase_if(known_, [](const auto& entry) { return !entry.second.seen; });
}

std::vector<ProcessId> ProcessTree::look() {
  std::unordered_multimap<std::int64_t, ProcessId> children;
  if (!lists_) {
    scan();
    for (const auto& [pid, known] : known_) {
      if (known.id.start_ticks != 0) children.emplace(known.id.parent, known.id);
    }
  }
  std::vector<ProcessId> found;
  const auto add = [&](std::int64_t pid, std::optional<std::int64_t> parent) {
    if (std::any_of(found.begin(), found.end(), [&](const ProcessId& id) { return id.pid == pid; })) return;
    const ProcessId id = identify(proc_root_, pid);
    // Another parent: the number was given anew since it was scanned.
    if (id.start_ticks != 0 && id.parent == parent.value_or(id.parent)) found.push_back(id);
  };
  const std::vector<ProcessId> before = std::exchange(members_, {});
  if (before.empty()) add(pid_, std::nullopt);
  for (const ProcessId& member : before) {
    const ProcessId now = identify(proc_root_, member.pid);
    if (now.start_ticks == member.start_ticks) found.push_back(now);
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::int64_t parent = found[i].pid;
    if (lists_) {
      for (const std::int64_t child : children_listed(parent)) add(child, parent);
    } else {
      const auto [first, last] = children.equal_range(parent);
      for (auto child = first; child != last; ++child) add(child->second.pid, parent);
    }
  }
  members_ = found;
  return found;
}

}  // namespace stoker::watch
