// Who uses GPUs whose drivers are the kernel's own (amdgpu, i915, xe).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stoker::watch {

// What one process had of one class of engines, since it opened the GPU.
struct EngineUse {
  double busy = 0;      // seconds, or cycles where `total` is set
  double total = 0;     // cycles of the GPU meanwhile; 0 where `busy` is seconds
  double capacity = 1;  // engines of this class
};

// One open GPU file, as /proc/PID/fdinfo/FD tells it.
struct DrmClient {
  std::int64_t pid = 0;
  std::uint64_t id = 0;
  std::string pci;  // "0000:03:00.0"
  std::map<std::string, EngineUse> engines;
  std::optional<std::uint64_t> memory_bytes;  // on the GPU
};

// Empty where the text is not of a GPU, or tells nobody's use.
// Source: kernel Documentation/gpu/drm-usage-stats.rst.
std::optional<DrmClient> parse_fdinfo(std::string_view text);

struct DrmClients {
  std::vector<DrmClient> clients;  // each once, however many files show it
  int unreadable = 0;              // processes of others
};
// Cost: a look at every open file of every process.
DrmClients read_drm_clients(const std::string& proc_root);

}  // namespace stoker::watch
