#include "bench/machine.hpp"

#include <cstdio>
#include <ctime>
#include <fmt/format.h>
#include <fstream>
// jpeglib.h needs size_t and FILE before it.
#include <jpeglib.h>

#include <hwy/highway.h>

#include "base/cpus.hpp"

namespace stoker::bench {

namespace {

#define STOKER_TEXT_OF(value) #value
#define STOKER_TEXT(macro) STOKER_TEXT_OF(macro)
#ifdef LIBJPEG_TURBO_VERSION
constexpr const char* kTurbo = STOKER_TEXT(LIBJPEG_TURBO_VERSION);
#else
constexpr const char* kTurbo = "";
#endif

// Source: proc(5): /proc/cpuinfo, "model name : …" (x86; Arm names none).
std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(':');
    const std::size_t begin = colon == std::string::npos ? colon : line.find_first_not_of(' ', colon + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return "";
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

std::string compiler_name() {
#ifdef __clang__
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
  return fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#else
  return "";
#endif
}

// Highway lists the best first.
std::string instruction_set() { return hwy::TargetName(hwy::SupportedAndGeneratedTargets().front()); }

}  // namespace

Machine this_machine() {
  return {.processor = processor_name(),
          .cpus = allowed_cpus(),
          .instructions = instruction_set(),
          .turbo = kTurbo,
          .compiler = compiler_name(),
          .date = today()};
}

}  // namespace stoker::bench
