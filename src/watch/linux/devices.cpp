#include "watch/linux/devices.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>

#include "watch/linux/proc_file.hpp"
#include "watch/linux/proc_text.hpp"

namespace stoker::watch {

namespace {

constexpr std::uint64_t kSectorBytes = 512;  // of diskstats, whatever the device's own are

std::optional<DeviceSeen> parse_device(std::string_view line) {
  Words words(line);
  const std::string_view major = words.next(), minor = words.next();
  DeviceSeen device{.number = fmt::format("{}:{}", major, minor), .name = std::string(words.next())};
  std::uint64_t fields[11] = {};
  for (std::uint64_t& field : fields) {
    const auto value = words.next_number<std::uint64_t>();
    if (!value) return std::nullopt;
    field = *value;
  }
  device.reads = fields[0];
  device.read_bytes = fields[2] * kSectorBytes;
  device.read_time_s = static_cast<double>(fields[3]) * 1e-3;
  device.writes = fields[4];
  device.written_bytes = fields[6] * kSectorBytes;
  device.busy_s = static_cast<double>(fields[9]) * 1e-3;
  device.weighted_s = static_cast<double>(fields[10]) * 1e-3;
  return device;
}

bool is_backed_by_memory(std::string_view name) {
  return name.starts_with("loop") || name.starts_with("ram") || name.starts_with("zram");
}

// The whole device that a partition is of; empty where the number is no partition's.
std::string whole_device(const std::string& sys_root, const std::string& number) {
  const std::string folder = fmt::format("{}/dev/block/{}", sys_root, number);
  if (!read_text(folder + "/partition", 64)) return {};
  const FileText device = read_text(folder + "/../dev", 64);
  return device ? std::string(Words(*device).next()) : std::string();
}

// Limits and most counters are of whole devices: mounts are to name these.
void name_whole_devices(const std::vector<std::string_view>& diskstats, const std::string& sys_root,
                        std::vector<MountSeen>& mounts) {
  for (MountSeen& mount : mounts) {
    if (mount.device.starts_with("0:") && mount.source.starts_with("/dev/")) {  // btrfs
      for (const std::string_view line : diskstats) {
        const std::optional<DeviceSeen> device = parse_device(line);
        if (device && mount.source == "/dev/" + device->name) mount.device = device->number;
      }
    }
    const std::string whole = whole_device(sys_root, mount.device);
    if (!whole.empty()) mount.device = whole;
  }
}

}  // namespace

std::vector<DeviceSeen> read_devices(const std::string& proc_root, const std::string& sys_root,
                                     std::vector<MountSeen>& mounts) {
  std::vector<DeviceSeen> devices;
  const std::string text = read_text(proc_root + "/diskstats").value_or("");
  const std::vector<std::string_view> lines = lines_of(text);
  name_whole_devices(lines, sys_root, mounts);
  for (const std::string_view line : lines) {
    std::optional<DeviceSeen> device = parse_device(line);
    if (!device) continue;
    bool mounted = false;
    for (const MountSeen& mount : mounts) {
      mounted = mounted || mount.device == device->number;
    }
    const bool used = device->reads + device->writes > 0;
    if (is_backed_by_memory(device->name) && !used) continue;
    // A partition has no folder of its own here; '/' in a name is '!'.
    std::string name = device->name;
    std::replace(name.begin(), name.end(), '/', '!');
    const std::string folder = fmt::format("{}/block/{}", sys_root, name);
    const FileText size = read_text(folder + "/size", 64);
    if (!mounted && (!size || size->starts_with("0\n"))) continue;
    if (const FileText rotational = read_text(folder + "/queue/rotational", 64)) {
      device->rotational = rotational->starts_with('1');
    }
    devices.push_back(std::move(*device));
  }
  return devices;
}

std::vector<NetworkSeen> read_networks(const std::string& proc_root, const std::string& sys_root,
                                       std::int64_t pid) {
  std::vector<NetworkSeen> networks;
  FileText text = read_text(fmt::format("{}/{}/net/dev", proc_root, pid));
  if (pid == 0 || !text) text = read_text(proc_root + "/net/dev");
  if (!text) return networks;
  for (const std::string_view line : lines_of(*text)) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    NetworkSeen network{.name = std::string(Words(line.substr(0, colon)).next())};
    Words words(line.substr(colon + 1));
    network.received_bytes = words.next_number<std::uint64_t>().value_or(0);
    words.skip(7);
    network.sent_bytes = words.next_number<std::uint64_t>().value_or(0);
    if (network.name == "lo" || network.received_bytes + network.sent_bytes == 0) continue;
    const FileText speed = read_text(fmt::format("{}/class/net/{}/speed", sys_root, network.name), 64);
    const auto megabits = speed ? Words(*speed).next_number<std::int64_t>() : std::nullopt;
    network.speed_bytes_per_s = megabits && *megabits > 0
                                    ? Reading<double>(static_cast<double>(*megabits) * 1e6 / 8)
                                    : Reading<double>::unknown("the interface tells no speed");
    networks.push_back(std::move(network));
  }
  return networks;
}

}  // namespace stoker::watch
