// The file systems that a process sees, and what NFS counts of its own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stoker/watch.hpp"

namespace stoker::watch {

// The mounts of a mountinfo file, in its order.
std::vector<MountSeen> parse_mountinfo(std::string_view text);

// The mount that a path lies on; null where none fits.
const MountSeen* mount_of(const std::vector<MountSeen>& mounts, std::string_view path);

// Fills what the text of a mountstats file says of an NFS mount.
void read_nfs_counters(std::string_view mountstats, MountSeen& mount);

}  // namespace stoker::watch
