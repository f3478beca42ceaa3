// What the GPU probe sees, as one line of a trace: for programs that compare it with what others see.
// usage: gpu_dump NVML_LIBRARY SECONDS (between two looks, of which the second is printed)
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "watch/gpu/gpu_probe.hpp"
#include "watch/gpu/util_samples.hpp"
#include "watch/trace_json.hpp"

int main(int count, char** arguments) {
  if (count != 3) {
    std::fputs("usage: gpu_dump NVML_LIBRARY SECONDS\n", stderr);
    return 2;
  }
  stoker::WatchOptions options;
  options.nvml_library = arguments[1];
  stoker::watch::GpuProbe probe(options);
  stoker::Snapshot first, second;
  probe.read(first);
  std::this_thread::sleep_for(std::chrono::duration<double>(std::strtod(arguments[2], nullptr)));
  probe.read(second);
  second.time_s = stoker::watch::nvml::Clocks::now().monotonic;
  std::puts(stoker::watch::to_line(second).c_str());
}
