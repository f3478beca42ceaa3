// AMD's and Intel's GPUs, as the kernel shows them.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "stoker/watch.hpp"

#include "watch/gpu/drm_clients.hpp"

namespace stoker::watch {

// Cards below /sys/class/drm. A processor's own small GPU counts only where there is no other.
class DrmGpus {
 public:
  // `others`: GPUs of other vendors, whose indices come first.
  DrmGpus(const WatchOptions& options, std::size_t others);

  bool empty() const { return cards_.empty(); }
  // Adds a GpuSeen for each card. The processes' `here` and `name` are left to the caller.
  void read(Snapshot& snapshot, double now_s);
  // See GpuProbe.
  void poll(double now_s);

 private:
  struct Card {
    std::string folder;  // /sys/class/drm/card0
    std::string hwmon;   // empty: none
    std::string vendor;  // amd, intel
    std::string name;
    std::string pci;
    bool integrated = false;
    std::vector<GpuSample> polled;
    double last_s = -1;
    double last_energy_j = 0;
    std::map<std::pair<std::int64_t, std::string>, EngineUse> engines;  // of the last look, by pid and name
  };

  void find_cards();
  void read_amd(Card& card, double now_s, GpuSeen& seen) const;
  void read_intel(Card& card, double now_s, GpuSeen& seen) const;
  void read_link(const Card& card, GpuSeen& seen) const;
  // Shares of this look's window, by pid; the busiest class of engines into util_percent where it is unknown.
  void read_clients(Card& card, const DrmClients& clients, double now_s, GpuSeen& seen) const;
  void read_kfd(const Card& card, std::vector<GpuProcess>& processes) const;

  std::string sys_root_, proc_root_;
  std::size_t others_;
  std::vector<Card> cards_;
};

}  // namespace stoker::watch
