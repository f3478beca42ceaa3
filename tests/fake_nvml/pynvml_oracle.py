#!/usr/bin/env python3
"""Compares what the GPU probe sees with what NVIDIA's own binding sees (nvidia-ml-py), both on the fake driver.

usage: pynvml_oracle.py GPU_DUMP FAKE_LIBRARY

GPU_DUMP is the program of that name. Exit status: 0 all equal, 1 not, 77 skipped (nvidia-ml-py is absent).
"""

import ctypes
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

SKIP = 77
try:
    import pynvml as nvml
except ImportError:
    print("skipped: nvidia-ml-py is absent; `./dev test` installs tests/requirements.txt into .venv")
    sys.exit(SKIP)

MIB = 1 << 20
PERIOD_S = 0.05
SECONDS = 1.5
failures = []


def check(what: str, ours, theirs, tolerance: float = 0) -> None:
    same = ours == theirs if not tolerance or ours is None or theirs is None else abs(ours - theirs) <= tolerance
    if not same:
        failures.append(what)
        print(f"{what}: Stoker says {ours}, nvidia-ml-py {theirs}")


def events(now: float) -> str:
    lines = [
        f"gpu 0 name=NVIDIA_H100_80GB_HBM3 gpm=1 memory_total_mib=81559 power_limit_w=700 pcie_generation_max=5 period={PERIOD_S}",
        "seen 0 0 power_w=512.25 sm_clock_mhz=1755 temperature_c=66 slow_reasons=0x24 jpeg=12 pcie_generation=4 pcie_width=8",
        "seen 0 0 sm_active=31.5 pcie_rx_mib_s=900",
        "process 0 0 pid=4242 memory_mib=3000 sm=70",
        "process 0 0 pid=4243 memory_mib=500 sm=4294967295",
        "process 0 0 pid=4244 memory_mib=7 kind=graphics sm=3",
        "gpu 1 name=NVIDIA_A100 mig=3 memory_total_mib=40960",
        "process 0 1 pid=4245 memory_mib=123 mig=2",
        "gpu 2 name=idle_one",
    ]
    time_s = now - 10
    while time_s < now + 20:
        lines += [f"busy {time_s} 0", f"idle {time_s + 0.19} 0"]
        time_s += 0.31
    return "\n".join(lines) + "\n"


def ask(function, *arguments):
    """The answer, or None for what this driver does not tell."""
    try:
        return function(*arguments)
    except nvml.NVMLError:
        return None


def processes(handle) -> dict:
    found = {}
    for kind, function in (
        ("compute", nvml.nvmlDeviceGetComputeRunningProcesses),
        ("graphics", nvml.nvmlDeviceGetGraphicsRunningProcesses),
        ("mps", nvml.nvmlDeviceGetMPSComputeRunningProcesses),
    ):
        for process in function(handle):
            found[process.pid] = (kind, process.usedGpuMemory)
    return found


def compare_readings(gpu: dict, handle, name: str) -> None:
    scaled = lambda value, scale: None if value is None else value * scale
    memory = nvml.nvmlDeviceGetMemoryInfo(handle)
    pairs = {
        "name": nvml.nvmlDeviceGetName(handle),
        "uuid": nvml.nvmlDeviceGetUUID(handle),
        "memory_used_bytes": memory.used,
        "memory_total_bytes": memory.total,
        "power_limit_w": scaled(ask(nvml.nvmlDeviceGetEnforcedPowerLimit, handle), 1e-3),
    }
    if "mig_parent" not in gpu:
        utilisation = ask(nvml.nvmlDeviceGetUtilizationRates, handle)
        jpeg = ask(nvml.nvmlDeviceGetJpgUtilization, handle)
        pairs |= {
            "slow_reasons": nvml.nvmlDeviceGetCurrentClocksEventReasons(handle),
            "power_w": scaled(nvml.nvmlDeviceGetPowerUsage(handle), 1e-3),
            "sm_clock_mhz": nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_SM),
            "sm_clock_max_mhz": nvml.nvmlDeviceGetMaxClockInfo(handle, nvml.NVML_CLOCK_SM),
            "temperature_c": nvml.nvmlDeviceGetTemperature(handle, nvml.NVML_TEMPERATURE_GPU),
            "pcie_generation": nvml.nvmlDeviceGetCurrPcieLinkGeneration(handle),
            "pcie_generation_max": nvml.nvmlDeviceGetMaxPcieLinkGeneration(handle),
            "pcie_width": nvml.nvmlDeviceGetCurrPcieLinkWidth(handle),
            "pcie_width_max": nvml.nvmlDeviceGetMaxPcieLinkWidth(handle),
            "jpeg_percent": jpeg and jpeg[0],
        }
        if utilisation is None or utilisation.gpu == 0 and gpu["index"] != 0:  # GPU 0's changes between two looks
            pairs["util_percent"] = utilisation and utilisation.gpu
    for key, theirs in pairs.items():
        ours = gpu.get(key)
        ours = None if isinstance(ours, dict) else ours
        check(f"{name}: {key}", ours, theirs, tolerance=1e-9 if isinstance(theirs, float) else 0)
    ours = {process["pid"]: (process["kind"], process["memory_bytes"]) for process in gpu["processes"]}
    check(f"{name}: processes", ours, processes(handle))


def compare_waveform(gpu: dict, handle, monotonic_to_wall: float) -> None:
    _, samples = nvml.nvmlDeviceGetSamples(handle, nvml.NVML_GPU_UTILIZATION_SAMPLES, 0)
    theirs = {round((sample.timeStamp / 1e6 - monotonic_to_wall) / PERIOD_S): sample.sampleValue.uiVal for sample in samples}
    ours = {round(sample["t"] / PERIOD_S): sample["percent"] for sample in gpu["samples"]}
    if len(ours) < 0.8 * SECONDS / PERIOD_S:
        failures.append("waveform")
        print(f"waveform: {len(ours)} samples in {SECONDS} s of periods of {PERIOD_S} s")
    for period, percent in ours.items():
        check(f"waveform: period {period}", percent, theirs.get(period))
    check("waveform: interval", gpu["sample_interval_s"], PERIOD_S, tolerance=1e-3)


def compare_activity(gpu: dict, handle) -> None:
    first, second = nvml.nvmlGpmSampleAlloc(), nvml.nvmlGpmSampleAlloc()
    nvml.nvmlGpmSampleGet(handle, first)
    time.sleep(0.2)
    nvml.nvmlGpmSampleGet(handle, second)
    get = nvml.c_nvmlGpmMetricsGet_t()
    get.version, get.numMetrics, get.sample1, get.sample2 = nvml.NVML_GPM_METRICS_GET_VERSION, 2, first, second
    get.metrics[0].metricId = nvml.NVML_GPM_METRIC_SM_UTIL
    get.metrics[1].metricId = nvml.NVML_GPM_METRIC_PCIE_RX_PER_SEC
    nvml.nvmlGpmMetricsGet(get)
    check("SM activity", gpu["sm_active_percent"], get.metrics[0].value, tolerance=1e-6)
    check("PCIe received", gpu["pcie_rx_bytes_per_s"], get.metrics[1].value * MIB, tolerance=1e-6)


def compare_process_use(gpu: dict, handle) -> None:
    since = int((time.time() - 1) * 1e6)
    theirs = {use.pid: use.smUtil for use in nvml.nvmlDeviceGetProcessUtilization(handle, since)}
    for process in gpu["processes"]:
        said = theirs.get(process["pid"], 0)
        ours = process["sm_percent"]
        check(f"use of {process['pid']}", None if isinstance(ours, dict) else ours, said if said <= 100 else None)


def compare_energy(gpu: dict, handle, seen_s: float) -> None:
    theirs = nvml.nvmlDeviceGetTotalEnergyConsumption(handle) / 1e3
    since = time.monotonic() - seen_s
    check("energy", gpu["energy_j"], theirs - 512.25 * since, tolerance=512.25 * 0.1)


def main() -> int:
    program, library = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "events.txt")
        path.write_text(events(time.monotonic()))
        os.environ["STOKER_FAKE_NVML"] = str(path)
        nvml.nvmlLib = ctypes.CDLL(library)  # which pynvml then does not look for
        nvml.nvmlInit()
        said = subprocess.run([program, library, str(SECONDS)], check=True, capture_output=True, text=True).stdout
        snapshot = json.loads(said)["snapshot"]
        monotonic_to_wall = time.time() - time.monotonic()
        handles = []
        for index in range(nvml.nvmlDeviceGetCount()):
            device = nvml.nvmlDeviceGetHandleByIndex(index)
            handles.append(device)
            for instance in range(nvml.nvmlDeviceGetMaxMigDeviceCount(device)):
                handle = ask(nvml.nvmlDeviceGetMigDeviceHandleByIndex, device, instance)
                handles += [handle] if handle else []
        gpus = snapshot["gpus"]
        check("GPUs and instances", len(gpus), len(handles))
        check("MIG instances", sum("mig_parent" in gpu for gpu in gpus), 3)
        for gpu, handle in zip(gpus, handles):
            compare_readings(gpu, handle, gpu["name"])
        compare_waveform(gpus[0], handles[0], monotonic_to_wall)
        compare_activity(gpus[0], handles[0])
        compare_process_use(gpus[0], handles[0])
        compare_energy(gpus[0], handles[0], snapshot["t"])
        nvml.nvmlShutdown()
    print(f"{len(failures)} differences in {len(gpus)} GPUs and instances")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
