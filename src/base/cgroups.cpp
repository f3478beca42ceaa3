#include "base/cgroups.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/words.hpp"

namespace stoker {

namespace {

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

// The group that is mounted at `folder`: "/" but in a container without a cgroup namespace, where it is the
// container's own. Source: man 5 proc, /proc/PID/mountinfo, fields 4 and 5.
std::string mounted_group(const std::string& proc_root, const std::string& folder) {
  std::ifstream file(proc_root + "/self/mountinfo");
  std::string group = "/";
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string id, parent, device, root, point;
    if (fields >> id >> parent >> device >> root >> point && point == folder) group = root;
  }
  return group;
}

std::vector<std::string> levels(const std::string& mount, std::string group, const std::string& mounted) {
  if (mounted != "/" && group.starts_with(mounted) &&
      (group.size() == mounted.size() || group[mounted.size()] == '/')) {
    group.erase(0, mounted.size());
  }
  if (group == "/" || group.starts_with("/..")) group.clear();  // "..": outside this namespace
  std::vector<std::string> folders;
  for (;;) {
    if (is_folder(mount + group)) folders.push_back(mount + group);
    if (group.empty()) return folders;
    group.resize(group.rfind('/') == std::string::npos ? 0 : group.rfind('/'));
  }
}

// Where the hierarchy is mounted; empty where it is not.
std::string mount_of(const std::string& names, const std::vector<std::string>& controllers,
                     const std::string& cgroup_root) {
  if (controllers.empty()) {
    const std::string hybrid = cgroup_root + "/unified";
    return is_folder(hybrid) ? hybrid : cgroup_root;
  }
  if (is_folder(cgroup_root + "/" + names)) return cgroup_root + "/" + names;
  for (const std::string& controller : controllers) {
    if (is_folder(cgroup_root + "/" + controller)) return cgroup_root + "/" + controller;
  }
  return {};
}

}  // namespace

bool CgroupHierarchy::controls(std::string_view controller) const {
  return v2() || std::find(controllers.begin(), controllers.end(), controller) != controllers.end();
}

std::vector<CgroupHierarchy> read_cgroups(const std::string& proc_root, const std::string& process,
                                          const std::string& cgroup_root) {
  std::vector<CgroupHierarchy> found;
  std::ifstream file(proc_root + "/" + process + "/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string names = line.substr(first + 1, second - first - 1);
    if (names.starts_with("name=")) continue;  // holds processes, limits nothing
    CgroupHierarchy hierarchy;
    for (const std::string_view name : split(names, ','))
      if (!name.empty()) hierarchy.controllers.emplace_back(name);
    const std::string mount = mount_of(names, hierarchy.controllers, cgroup_root);
    if (mount.empty()) continue;
    hierarchy.folders = levels(mount, line.substr(second + 1), mounted_group(proc_root, mount));
    if (!hierarchy.folders.empty()) found.push_back(std::move(hierarchy));
  }
  return found;
}

std::optional<double> parse_cpu_quota(const std::string& text) {
  std::istringstream words(text);
  double quota = 0, period = 0;
  if (!(words >> quota >> period) || quota <= 0 || period <= 0) return std::nullopt;
  return quota / period;
}

}  // namespace stoker
