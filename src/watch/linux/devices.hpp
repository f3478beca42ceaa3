// Block devices and network interfaces, by their counters since boot.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stoker/watch.hpp"

namespace stoker::watch {

// Whole devices that have a size, loops and memory disks only where they were used. Gives mounts of a
// partition, and those that name a device by its path (btrfs), the number of the whole device; a partition
// whose device cannot be told is itself in the list.
std::vector<DeviceSeen> read_devices(const std::string& proc_root, const std::string& sys_root,
                                     std::vector<MountSeen>& mounts);

// Interfaces that carried anything, but lo; those of the process's network namespace, or for pid 0 the
// watcher's.
std::vector<NetworkSeen> read_networks(const std::string& proc_root, const std::string& sys_root,
                                       std::int64_t pid);

}  // namespace stoker::watch
