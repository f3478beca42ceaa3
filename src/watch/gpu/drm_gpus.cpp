#include "watch/gpu/drm_gpus.hpp"

#include <algorithm>
#include <cmath>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <system_error>

#include "watch/gpu/percent.hpp"
#include "watch/linux/proc_file.hpp"
#include "watch/linux/proc_text.hpp"

namespace stoker::watch {

namespace {

constexpr double kPollEvery = 1.0 / 6;
constexpr std::uint64_t kSmallMemory = 2ULL << 30;  // what firmware sets aside for a processor's own GPU
constexpr std::size_t kMostCards = 256;

std::vector<std::string> entries(const std::string& folder, std::string_view prefix) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (at->path().filename().native().starts_with(prefix)) names.push_back(at->path().filename());
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return std::pair(a.size(), a) < std::pair(b.size(), b);  // card2 before card10
  });
  return names;
}

std::string text_in(const std::string& path) {
  const FileText text = read_text(path, 4096);
  return text ? text->substr(0, text->find('\n')) : "";
}

std::string pci_address(const std::string& device) {
  constexpr std::string_view kKey = "PCI_SLOT_NAME=";
  const FileText facts = read_text(device + "/uevent", 4096);
  if (facts)
    for (const std::string_view line : lines_of(*facts))
      if (line.starts_with(kKey)) return std::string(line.substr(kKey.size()));
  return "";
}

template <class T = double>
Reading<T> number_in(const std::string& path, double scale = 1) {
  const FileText text = read_text(path, 256);
  if (!text) return Reading<T>::unknown(why_not(text.error()));
  const auto number = Words(*text).next_number<double>();
  if (!number) return Reading<T>::unknown("the driver told no number");
  return static_cast<T>(*number * scale);
}

Reading<double> percent_in(const std::string& path) {
  const Reading<double> value = number_in(path);
  return value ? to_percent(*value) : value;
}

// "16.0 GT/s PCIe". Source: PCI Express base specification, rates of the generations 1 to 6.
Reading<int> generation_in(const std::string& path) {
  const Reading<double> speed = number_in(path);
  if (!speed) return Reading<int>::unknown(speed.why());
  int generation = 0;
  for (const double least : {2.5, 5.0, 8.0, 16.0, 32.0, 64.0}) generation += *speed >= least - 0.01;
  return generation > 0 ? Reading<int>(generation) : Reading<int>::unknown("no known link speed");
}

// The last of pp_dpm_sclk's lines, "2: 1700Mhz *".
Reading<double> highest_level(const std::string& path) {
  const FileText text = read_text(path, 4096);
  if (!text) return Reading<double>::unknown(why_not(text.error()));
  Reading<double> highest = Reading<double>::unknown("the driver told no clock levels");
  for (const std::string_view line : lines_of(*text)) {
    Words words(line);
    words.skip(1);
    std::string_view level = words.next();
    level = level.substr(0, level.find_first_not_of("0123456789"));
    if (const auto mhz = to_double(level)) highest = std::max(highest.value_or(0), *mhz);
  }
  return highest;
}

bool computes(const std::string& engine) { return engine == "compute" || engine == "ccs"; }
bool counts(const std::string& engine) {  // engines that run kernels; not copies and not video
  return computes(engine) || engine == "gfx" || engine == "render" || engine == "rcs";
}

}  // namespace

DrmGpus::DrmGpus(const WatchOptions& options, std::size_t others)
    : sys_root_(options.sys_root), proc_root_(options.proc_root), others_(others) {
  find_cards();
  const auto integrated = [](const Card& card) { return card.integrated; };
  if (others_ > 0 || !std::all_of(cards_.begin(), cards_.end(), integrated))
    std::erase_if(cards_, integrated);
}

void DrmGpus::find_cards() {
  for (const std::string& entry : entries(sys_root_ + "/class/drm", "card")) {
    if (entry.find('-') != std::string::npos || cards_.size() >= kMostCards) continue;  // card0-DP-1
    Card card{.folder = sys_root_ + "/class/drm/" + entry};
    const std::string device = card.folder + "/device";
    const std::string vendor = text_in(device + "/vendor");
    if (vendor == "0x1002")
      card.vendor = "amd";
    else if (vendor == "0x8086")
      card.vendor = "intel";
    else
      continue;
    card.pci = pci_address(device);
    card.name = text_in(device + "/product_name");
    if (card.name.empty())
      card.name = (card.vendor == "amd" ? "AMD GPU " : "Intel GPU ") + text_in(device + "/device");
    const auto sensors = entries(device + "/hwmon", "hwmon");
    if (!sensors.empty()) card.hwmon = device + "/hwmon/" + sensors.front();
    const auto memory = number_in<std::uint64_t>(device + "/mem_info_vram_total");
    card.integrated = card.vendor == "amd" ? memory && *memory < kSmallMemory : card.pci == "0000:00:02.0";
    cards_.push_back(std::move(card));
  }
}

void DrmGpus::read_link(const Card& card, GpuSeen& seen) const {
  const std::string device = card.folder + "/device";
  seen.pcie_generation = generation_in(device + "/current_link_speed");
  seen.pcie_generation_max = generation_in(device + "/max_link_speed");
  seen.pcie_width = number_in<int>(device + "/current_link_width");
  seen.pcie_width_max = number_in<int>(device + "/max_link_width");
}

void DrmGpus::read_amd(Card& card, double now_s, GpuSeen& seen) const {
  const std::string device = card.folder + "/device";
  seen.uuid = text_in(device + "/unique_id");
  seen.util_percent = percent_in(device + "/gpu_busy_percent");
  seen.memory_util_percent = percent_in(device + "/mem_busy_percent");
  seen.memory_used_bytes = number_in<std::uint64_t>(device + "/mem_info_vram_used");
  seen.memory_total_bytes = number_in<std::uint64_t>(device + "/mem_info_vram_total");
  seen.power_w = number_in(card.hwmon + "/power1_average", 1e-6);
  if (!seen.power_w) seen.power_w = number_in(card.hwmon + "/power1_input", 1e-6);
  seen.power_limit_w = number_in(card.hwmon + "/power1_cap", 1e-6);
  seen.sm_clock_mhz = number_in(card.hwmon + "/freq1_input", 1e-6);
  seen.sm_clock_max_mhz = highest_level(device + "/pp_dpm_sclk");
  seen.temperature_c = number_in(card.hwmon + "/temp1_input", 1e-3);
  if (card.last_s >= 0 && seen.util_percent) card.polled.push_back({now_s, *seen.util_percent});
  seen.samples.swap(card.polled);
  card.polled.clear();
}

void DrmGpus::read_intel(Card& card, double now_s, GpuSeen& seen) const {
  const std::string device = card.folder + "/device";
  seen.uuid = card.pci;
  seen.sm_clock_mhz = number_in(card.folder + "/gt_act_freq_mhz");
  seen.sm_clock_max_mhz = number_in(card.folder + "/gt_RP0_freq_mhz");
  if (!seen.sm_clock_mhz) {
    seen.sm_clock_mhz = number_in(device + "/tile0/gt0/freq0/act_freq");
    seen.sm_clock_max_mhz = number_in(device + "/tile0/gt0/freq0/rp0_freq");
  }
  seen.temperature_c = number_in(card.hwmon + "/temp1_input", 1e-3);
  seen.power_limit_w = number_in(card.hwmon + "/power1_max", 1e-6);
  seen.energy_j = number_in(card.hwmon + "/energy1_input", 1e-6);
  if (!seen.energy_j)
    seen.power_w = Reading<double>::unknown(seen.energy_j.why());
  else if (card.last_s < 0 || now_s <= card.last_s || *seen.energy_j < card.last_energy_j)
    seen.power_w = Reading<double>::unknown("from the second look on");
  else
    seen.power_w = (*seen.energy_j - card.last_energy_j) / (now_s - card.last_s);
  card.last_energy_j = seen.energy_j.value_or(0);
  seen.memory_total_bytes = Reading<std::uint64_t>::unknown("not shown by this kernel");
}

void DrmGpus::read_clients(Card& card, const DrmClients& clients, double now_s, GpuSeen& seen) const {
  const double seconds = card.last_s < 0 ? 0 : now_s - card.last_s;
  std::vector<GpuProcess> processes;
  std::map<std::pair<std::int64_t, std::string>, EngineUse> engines;
  std::map<std::int64_t, std::uint64_t> memory;
  std::uint64_t memory_sum = 0;
  bool memory_told = false;
  for (const DrmClient& client : clients.clients) {
    if (client.pci != card.pci) continue;
    for (const auto& [name, use] : client.engines) {
      EngineUse& sum = engines[{client.pid, name}];
      sum.busy += use.busy;
      sum.total = std::max(sum.total, use.total);
      sum.capacity = use.capacity;
    }
    memory.try_emplace(client.pid, 0).first->second += client.memory_bytes.value_or(0);
    memory_sum += client.memory_bytes.value_or(0);
    memory_told |= client.memory_bytes.has_value();
  }
  std::map<std::string, double> by_engine;
  for (const auto& [pid, bytes] : memory) {
    GpuProcess process{.pid = pid, .kind = "graphics"};
    if (memory_told) process.memory_bytes = bytes;
    process.sm_percent = Reading<double>::unknown("from the second look on");
    for (const auto& [key, use] : engines) {
      if (key.first != pid || !counts(key.second)) continue;
      if (computes(key.second) && use.busy > 0) process.kind = "compute";
      const auto before = card.engines.find(key);
      if (seconds <= 0 || (before == card.engines.end() && use.total > 0)) continue;
      const EngineUse last = before == card.engines.end() ? EngineUse{} : before->second;
      const double window = use.total > 0 ? use.total - last.total : seconds;
      if (window <= 0 || use.busy < last.busy) continue;
      const double share = std::min((use.busy - last.busy) / (window * use.capacity), 1.0);
      by_engine[key.second] += share;
      process.sm_percent = std::max(process.sm_percent.value_or(0), 100 * share);
    }
    processes.push_back(std::move(process));
  }
  if (card.vendor == "amd") {
    read_kfd(card, processes);
  } else if (seconds > 0) {
    double busiest = 0;
    for (const auto& [name, share] : by_engine) busiest = std::max(busiest, std::min(share, 1.0));
    seen.util_percent = 100 * busiest;
    seen.samples.push_back({now_s, 100 * busiest});
  } else {
    seen.util_percent = Reading<double>::unknown("from the second look on");
  }
  if (!seen.memory_used_bytes && memory_told) seen.memory_used_bytes = memory_sum;
  seen.processes = std::move(processes);
  card.engines = std::move(engines);
}

// ROCm's processes, which the graphics side of the driver does not show.
// Source: kernel drivers/gpu/drm/amd/amdkfd (kfd_process.c: vram_GPUID; kfd_topology.c: location_id).
void DrmGpus::read_kfd(const Card& card, std::vector<GpuProcess>& processes) const {
  const std::string kfd = sys_root_ + "/class/kfd/kfd";
  std::string gpu_id;
  for (const NumberedEntry& node : numbered_entries(AT_FDCWD, kfd + "/topology/nodes")) {
    const std::string folder = kfd + "/topology/nodes/" + std::to_string(node.number);
    const FileText properties = read_text(folder + "/properties", 16384);
    if (!properties) continue;
    const auto location = number_of(*properties, "location_id");
    const auto domain = number_of(*properties, "domain");
    if (!location) continue;
    const std::string pci = fmt::format("{:04x}:{:02x}:{:02x}.{:x}", domain.value_or(0),
                                        *location >> 8 & 0xff, *location >> 3 & 0x1f, *location & 7);
    if (pci == card.pci) gpu_id = text_in(folder + "/gpu_id");
  }
  if (gpu_id.empty()) return;
  for (const NumberedEntry& entry : numbered_entries(AT_FDCWD, kfd + "/proc")) {
    const auto bytes = number_in<std::uint64_t>(fmt::format("{}/proc/{}/vram_{}", kfd, entry.number, gpu_id));
    if (!bytes || *bytes == 0) continue;
    const auto same = std::find_if(processes.begin(), processes.end(),
                                   [&](const GpuProcess& known) { return known.pid == entry.number; });
    GpuProcess& process = same == processes.end() ? processes.emplace_back() : *same;
    process.pid = entry.number;
    process.kind = "compute";
    process.memory_bytes = std::max(process.memory_bytes.value_or(0), *bytes);
    process.sm_percent = Reading<double>::unknown("not told of ROCm's processes");
  }
}

void DrmGpus::read(Snapshot& snapshot, double now_s) {
  if (cards_.empty()) return;
  const DrmClients clients = read_drm_clients(proc_root_);
  if (clients.unreadable > 0)
    snapshot.not_seen.push_back({"other users' processes on the GPUs", "needs root"});
  for (std::size_t i = 0; i < cards_.size(); ++i) {
    Card& card = cards_[i];
    GpuSeen seen{.index = static_cast<int>(others_ + i), .vendor = card.vendor, .name = card.name};
    seen.sm_active_percent = seen.engine_active_percent = seen.jpeg_percent =
        Reading<double>::unknown("not told by this driver");
    card.vendor == "amd" ? read_amd(card, now_s, seen) : read_intel(card, now_s, seen);
    read_link(card, seen);
    read_clients(card, clients, now_s, seen);
    if (card.last_s >= 0 && now_s > card.last_s && !seen.samples.empty())
      seen.sample_interval_s = (now_s - card.last_s) / static_cast<double>(seen.samples.size());
    else
      seen.sample_interval_s = Reading<double>::unknown("from the second look on");
    card.last_s = now_s;
    snapshot.gpus.push_back(std::move(seen));
  }
}

void DrmGpus::poll(double now_s) {
  for (Card& card : cards_) {
    if (card.vendor != "amd" || card.last_s < 0) continue;
    if (now_s - (card.polled.empty() ? card.last_s : card.polled.back().time_s) < kPollEvery) continue;
    const Reading<double> busy = percent_in(card.folder + "/device/gpu_busy_percent");
    if (busy && card.polled.size() < 4096) card.polled.push_back({now_s, *busy});
  }
}

}  // namespace stoker::watch
