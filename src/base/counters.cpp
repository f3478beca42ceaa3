#include "stoker/counters.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <unistd.h>

namespace stoker {

std::string_view to_string(Stage stage) {
  switch (stage) {
    case Stage::read:
      return "read";
    case Stage::decode:
      return "decode";
    case Stage::transform:
      return "transform";
    case Stage::deliver:
      return "deliver";
    case Stage::consume:
      return "consume";
  }
  return "unknown";
}

std::string counters_path(std::uint32_t pid) {
  // A runtime folder inherited from another user (su, sudo) cannot be written: it counts as none.
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing of ours sets variables
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime && runtime[0] == '/' && access(runtime, W_OK | X_OK) == 0) {
    return fmt::format("{}/stoker/{}.counters", runtime, pid);
  }
  return fmt::format("/dev/shm/stoker-{}/{}.counters", geteuid(), pid);
}

}  // namespace stoker
