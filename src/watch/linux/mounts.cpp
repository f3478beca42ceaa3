#include "watch/linux/mounts.hpp"

#include <algorithm>
#include <array>

#include "watch/linux/proc_text.hpp"

namespace stoker::watch {

namespace {

// Blanks, tabs, newlines and backslashes are written as three octal digits.
std::string unescape(std::string_view text) {
  std::string plain;
  const auto is_octal = [](char c) { return c >= '0' && c <= '7'; };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && is_octal(text[i + 1]) && is_octal(text[i + 2]) &&
        is_octal(text[i + 3])) {
      plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

// Whose reads no block device of this machine shows. "fuseblk" stands on a block device, the other kinds of
// FUSE on a program.
bool is_network(std::string_view type) {
  constexpr std::array<std::string_view, 20> kTypes = {
      "nfs", "nfs4",     "cifs", "smb3",     "smbfs", "ceph",   "lustre", "beegfs", "gpfs", "glusterfs",
      "9p",  "virtiofs", "afs",  "orangefs", "pvfs2", "wekafs", "fuse",   "ncpfs",  "coda", "panfs"};
  return type.starts_with("fuse.") || std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end();
}

bool lies_on(std::string_view path, std::string_view mount) {
  if (mount == "/") return path.starts_with('/');
  return path.starts_with(mount) && (path.size() == mount.size() || path[mount.size()] == '/');
}

}  // namespace

std::vector<MountSeen> parse_mountinfo(std::string_view text) {
  std::vector<MountSeen> mounts;
  for (const std::string_view line : lines_of(text)) {
    Words words(line);
    words.skip(2);
    const std::string_view device = words.next();
    words.skip(1);
    const std::string_view point = words.next();
    words.skip(1);
    std::string_view word = words.next();  // any number of tags, then a dash
    while (!word.empty() && word != "-") word = words.next();
    const std::string_view type = words.next();
    if (point.empty() || type.empty()) continue;
    MountSeen mount{.path = unescape(point), .source = unescape(words.next()), .type = std::string(type)};
    mount.device = device;
    mount.network = is_network(type);
    mounts.push_back(std::move(mount));
  }
  return mounts;
}

const MountSeen* mount_of(const std::vector<MountSeen>& mounts, std::string_view path) {
  const MountSeen* best = nullptr;
  for (const MountSeen& mount : mounts) {
    // Of two at one place the later hides the former.
    if (lies_on(path, mount.path) && (best == nullptr || mount.path.size() >= best->path.size()))
      best = &mount;
  }
  return best;
}

// Source: nfs-utils, tools/mountstats: the eight byte counters, and of each operation its count, then
// transmissions, timeouts, bytes sent and received, and ms queued, on the way and in all.
void read_nfs_counters(std::string_view mountstats, MountSeen& mount) {
  bool here = false;
  for (const std::string_view line : lines_of(mountstats)) {
    Words words(line);
    const std::string_view head = words.next();
    if (head == "device") {
      words.skip(3);  // SOURCE mounted on
      here = unescape(words.next()) == mount.path;
      continue;
    }
    if (!here) continue;
    if (head == "bytes:") {
      words.skip(4);  // read and written through the cache, and past it
      if (const auto bytes = words.next_number<std::uint64_t>()) mount.read_bytes = *bytes;
    } else if (head == "READ:") {
      const auto reads = words.next_number<std::uint64_t>();
      words.skip(6);
      const auto milliseconds = words.next_number<double>();
      if (reads) mount.reads = *reads;
      if (milliseconds) mount.read_time_s = *milliseconds * 1e-3;
    }
  }
}

}  // namespace stoker::watch
