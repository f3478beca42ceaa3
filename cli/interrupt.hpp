// SIGINT and SIGTERM as a flag that long work looks at.
#pragma once

#include <atomic>

namespace stoker::cli {

// From now on the first SIGINT or SIGTERM sets the flag, and the second ends the process at once. SIGPIPE
// becomes a failed write, which Output turns into a quiet end.
void install_signal_handlers();

// What work takes as its `cancel` or `stop`. Also set once nobody reads standard output any more.
const std::atomic<bool>& stop_requested();
void request_stop();

// Whether a signal came (and not only a reader that went away).
bool interrupted();

}  // namespace stoker::cli
