#include "watch/gpu/drm_clients.hpp"

#include <cerrno>
#include <fcntl.h>
#include <set>
#include <unistd.h>
#include <utility>

#include "watch/linux/proc_file.hpp"
#include "watch/linux/proc_text.hpp"

namespace stoker::watch {

namespace {

// "1234 KiB".
std::optional<std::uint64_t> bytes_of(std::string_view text) {
  Words words(text);
  const auto number = words.next_number<std::uint64_t>();
  if (!number) return std::nullopt;
  const std::string_view unit = words.next();
  const unsigned shift = unit == "KiB" ? 10 : unit == "MiB" ? 20 : unit == "GiB" ? 30 : 0;
  return *number << shift;
}

bool on_the_gpu(std::string_view region) { return region.starts_with("vram") || region.starts_with("local"); }

// Memory that one region of several is told as: what is resident, else what an older kernel calls memory.
struct Memory {
  std::optional<std::uint64_t> resident, older;
  void add(std::string_view key, std::string_view value) {
    for (auto& [prefix, sum] :
         {std::pair<std::string_view, std::optional<std::uint64_t>*>{"drm-resident-", &resident},
          {"drm-memory-", &older}}) {
      if (!key.starts_with(prefix) || !on_the_gpu(key.substr(prefix.size()))) continue;
      if (const auto bytes = bytes_of(value)) *sum = sum->value_or(0) + *bytes;
    }
  }
};

}  // namespace

std::optional<DrmClient> parse_fdinfo(std::string_view text) {
  if (!value_of(text, "drm-driver")) return std::nullopt;
  DrmClient client;
  Memory memory;
  bool identified = false;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t colon = line.find(':');
    if (!line.starts_with("drm-") || colon == std::string_view::npos) continue;
    const std::string_view key = line.substr(0, colon), value = line.substr(colon + 1);
    const auto after = [&](std::string_view prefix) -> std::optional<std::string> {
      if (!key.starts_with(prefix)) return std::nullopt;
      return std::string(key.substr(prefix.size()));
    };
    const auto number = Words(value).next_number<std::uint64_t>();
    const double amount = static_cast<double>(number.value_or(0));
    if (key == "drm-client-id" && number) {
      client.id = *number;
      identified = true;
    } else if (key == "drm-pdev") {
      client.pci = Words(value).next();
    } else if (const auto engine_capacity = after("drm-engine-capacity-")) {
      if (amount >= 1) client.engines[*engine_capacity].capacity = amount;
    } else if (const auto engine = after("drm-engine-")) {
      client.engines[*engine].busy = amount * 1e-9;
    } else if (const auto cycles = after("drm-cycles-")) {
      client.engines[*cycles].busy = amount;
    } else if (const auto total = after("drm-total-cycles-")) {
      client.engines[*total].total = amount;
    } else {
      memory.add(key, value);
    }
  }
  if (!identified) return std::nullopt;
  client.memory_bytes = memory.resident ? memory.resident : memory.older;
  return client;
}

DrmClients read_drm_clients(const std::string& proc_root) {
  DrmClients found;
  std::set<std::pair<std::string, std::uint64_t>> known;
  for (const NumberedEntry& process : numbered_entries(AT_FDCWD, proc_root)) {
    const std::string folder = proc_root + "/" + std::to_string(process.number);
    if (access((folder + "/fdinfo").c_str(), R_OK | X_OK) != 0) {
      found.unreadable += errno == EACCES || errno == EPERM;
      continue;
    }
    for (const NumberedEntry& file : numbered_entries(AT_FDCWD, folder + "/fd")) {
      const std::string number = std::to_string(file.number);
      if (!read_link(AT_FDCWD, folder + "/fd/" + number).starts_with("/dev/dri/")) continue;
      const FileText text = read_text(folder + "/fdinfo/" + number, 16384);
      if (!text) continue;
      std::optional<DrmClient> client = parse_fdinfo(*text);
      if (!client || !known.emplace(client->pci, client->id).second) continue;
      client->pid = process.number;
      found.clients.push_back(std::move(*client));
    }
  }
  return found;
}

}  // namespace stoker::watch
