// The part of NVML's binary interface that is used here, in our own words: NVML is loaded at run time, and
// its header is not needed to build.
// Source: NVIDIA's nvml.h (API 11 to 13), "NVML API Reference".
#pragma once

#include <cstddef>
#include <cstdint>

namespace stoker::watch::nvml {

using Device = struct DeviceOpaque*;
using GpmSample = struct GpmSampleOpaque*;

// nvmlReturn_t; not an enum class, for the library may return what is not listed here.
using Status = int;
enum : Status {
  kSuccess = 0,
  kUninitialized = 1,
  kInvalidArgument = 2,
  kNotSupported = 3,
  kNoPermission = 4,
  kNotFound = 6,
  kInsufficientSize = 7,
  kDriverNotLoaded = 9,
  kFunctionNotFound = 13,
  kGpuIsLost = 15,
  kLibraryMismatch = 18,
  kArgumentVersionMismatch = 25,
  kUnknown = 999,
};

inline constexpr unsigned long long kValueNotAvailable = ~0ULL;
inline constexpr unsigned kNoInstance = ~0U;

enum ClockType : int { kClockGraphics = 0, kClockSm = 1, kClockMemory = 2, kClockVideo = 3 };
enum PcieCounter : int { kPcieSent = 0, kPcieReceived = 1 };  // as the GPU sees it
enum SampleType : int {
  kTotalPowerSamples = 0,  // mW
  kGpuUtilSamples = 1,     // %
  kMemoryUtilSamples = 2,
  kEncoderUtilSamples = 3,
  kDecoderUtilSamples = 4,
  kProcessorClockSamples = 5,  // MHz
  kMemoryClockSamples = 6,
  kModulePowerSamples = 7,
  kJpegUtilSamples = 8,
  kOfaUtilSamples = 9,
};
enum ValueType : int { kDouble = 0, kUnsignedInt = 1, kUnsignedLong = 2, kUnsignedLongLong = 3 };

struct PciInfo {
  char bus_id_legacy[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char bus_id[32];
};
struct PciInfoV2 {
  char bus_id[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  unsigned reserved[4];
};

struct Utilization {
  unsigned gpu, memory;
};

struct MemoryV1 {
  unsigned long long total, free, used;
};
struct MemoryV2 {
  unsigned version;
  unsigned long long total, reserved, free, used;
};
inline constexpr unsigned kMemoryV2 = sizeof(MemoryV2) | 2U << 24;

struct ProcessV1 {
  unsigned pid;
  unsigned long long used_memory;
};
// Version 3 has the layout of version 2.
struct ProcessV2 {
  unsigned pid;
  unsigned long long used_memory;
  unsigned gpu_instance, compute_instance;
};

struct ProcessUtilization {
  unsigned pid;
  unsigned long long time_us;
  unsigned sm, memory, encoder, decoder;
};

union Value {
  double as_double;
  unsigned as_unsigned;
  unsigned long as_long;
  unsigned long long as_long_long;
};
struct Sample {
  unsigned long long time_us;  // since 1970
  Value value;
};

struct GpmMetric {
  unsigned id;
  Status status;
  double value;
  const char *short_name, *long_name, *unit;
};
// The library touches `count` metrics; its own array grew from 98 to 477 in later versions.
struct GpmMetricsGet {
  unsigned version;
  unsigned count;
  GpmSample first, second;
  GpmMetric metrics[477];
};
inline constexpr unsigned kGpmVersion = 1;
struct GpmSupport {
  unsigned version;
  unsigned supported;
};
enum GpmMetricId : unsigned {
  kGpmGraphicsUtil = 1,
  kGpmSmUtil = 2,
  kGpmPcieSentMib = 20,
  kGpmPcieReceivedMib = 21,
  kGpmJpeg0 = 40,
  kGpmJpeg7 = 47,
};

static_assert(sizeof(PciInfo) == 68 && sizeof(PciInfoV2) == 52);
static_assert(sizeof(MemoryV1) == 24 && kMemoryV2 == 0x02000028);
static_assert(sizeof(ProcessV1) == 16 && sizeof(ProcessV2) == 24);
static_assert(sizeof(ProcessUtilization) == 32 && sizeof(Sample) == 16);
static_assert(sizeof(GpmMetric) == 40 && offsetof(GpmMetricsGet, metrics) == 24);

}  // namespace stoker::watch::nvml
