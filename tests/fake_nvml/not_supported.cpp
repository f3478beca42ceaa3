// What monitors ask besides, and many GPUs do not support: answered as by those.
#include "watch/gpu/nvml_abi.hpp"

#define NOT_SUPPORTED(name)                                                                 \
  extern "C" __attribute__((visibility("default"))) stoker::watch::nvml::Status name(       \
      stoker::watch::nvml::Device) { /* further arguments stay where the caller put them */ \
    return stoker::watch::nvml::kNotSupported;                                              \
  }

NOT_SUPPORTED(nvmlDeviceGetAccountingMode)
NOT_SUPPORTED(nvmlDeviceGetAccountingPids)
NOT_SUPPORTED(nvmlDeviceGetAccountingStats)
NOT_SUPPORTED(nvmlDeviceGetBAR1MemoryInfo)
NOT_SUPPORTED(nvmlDeviceGetBrand)
NOT_SUPPORTED(nvmlDeviceGetComputeMode)
NOT_SUPPORTED(nvmlDeviceGetDisplayActive)
NOT_SUPPORTED(nvmlDeviceGetDisplayMode)
NOT_SUPPORTED(nvmlDeviceGetDriverModel)
NOT_SUPPORTED(nvmlDeviceGetDriverModel_v2)
NOT_SUPPORTED(nvmlDeviceGetEccMode)
NOT_SUPPORTED(nvmlDeviceGetFanSpeed)
NOT_SUPPORTED(nvmlDeviceGetFanSpeed_v2)
NOT_SUPPORTED(nvmlDeviceGetFieldValues)
NOT_SUPPORTED(nvmlDeviceGetMemoryErrorCounter)
NOT_SUPPORTED(nvmlDeviceGetNumFans)
NOT_SUPPORTED(nvmlDeviceGetNvLinkState)
NOT_SUPPORTED(nvmlDeviceGetNvLinkVersion)
NOT_SUPPORTED(nvmlDeviceGetOfaUtilization)
NOT_SUPPORTED(nvmlDeviceGetPerformanceState)
NOT_SUPPORTED(nvmlDeviceGetPersistenceMode)
NOT_SUPPORTED(nvmlDeviceGetPowerState)
NOT_SUPPORTED(nvmlDeviceGetProcessesUtilizationInfo)
NOT_SUPPORTED(nvmlDeviceGetSerial)
NOT_SUPPORTED(nvmlDeviceGetTotalEccErrors)
NOT_SUPPORTED(nvmlDeviceGetVbiosVersion)
NOT_SUPPORTED(nvmlDeviceGetVirtualizationMode)
