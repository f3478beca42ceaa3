// A small log of every kind, for tests and for what fuzzing begins with.
#pragma once

#include <string>
#include <vector>

#include "watch/trace_json.hpp"

namespace stoker::watch::log_samples {

struct Sample {
  std::string name;
  std::string text;
};

inline std::string own_trace() {
  Snapshot snapshot;
  snapshot.time_s = 12.5;
  snapshot.gpus.push_back({.index = 0, .name = "NVIDIA A100", .util_percent = 42.0});
  snapshot.gpus[0].samples = {{12.1, 0}, {12.3, 100}};
  snapshot.gpus[0].processes = std::vector<GpuProcess>();
  snapshot.host.online_cpus = 8;
  snapshot.host.cpu = CpuTimes{.user_s = 5, .idle_s = 9};
  snapshot.host.io_pressure = Reading<Pressure>::unknown("no PSI in this kernel");
  snapshot.processes.push_back({.pid = 7, .name = "python"});
  snapshot.processes[0].threads = {{.name = "python", .main = true, .count = 1, .tallies = {{.state = 'S'}}}};
  std::string text = head_line(7) + "\n" + to_line(snapshot) + "\n";
  snapshot.time_s = 13.5;
  return text + to_line(snapshot) + "\n" + to_line(ProbeSeen{.decode_ms = 4.5}) + "\n";
}

inline std::vector<Sample> all() {
  return {
      {"own", own_trace()},
      {"smi-csv",
       "timestamp, index, name, utilization.gpu [%], memory.used [MiB], power.draw [W], "
       "clocks_event_reasons.active\n"
       "2024/11/23 12:23:29.950, 0, NVIDIA RTX A6000, 92 %, 25073 MiB, 201.53 W, 0x0000000000000004\n"
       "2024/11/23 12:23:29.951, 1, NVIDIA RTX A6000, [N/A], 15 MiB, [Not Supported], [N/A]\n"
       "2024/11/23 12:23:30.954, 0, NVIDIA RTX A6000, 95 %, 25073 MiB, ERR!, 0x0000000000000000\n"
       "2024/11/23 12:23:30.954, 1, NVIDIA RTX A6000, 0 %, 15 MiB, [Unknown Error], [N/A]\n"},
      {"own-csv",
       "elapsed_sec,gpu0_util_pct,gpu1_util_pct,cpu_percent,power_w\n0.08,5,7,80.5,\"26.11\n0\"\n"
       "0.34,6,8,81,\"26.11\n0\"\n"},
      {"dmon",
       "#Date       Time        gpu   pwr gtemp mtemp    sm   mem    fb  pclk rxpci\n"
       "#YYYYMMDD   HH:MM:SS    Idx     W     C     C     %     %    MB   MHz  MB/s\n"
       " 20191221   21:36:47      0    64    43     -    24    28 11181  1530     3\n"
       " 20191221   21:36:48      0   176    44     -    96   100 11181  1530     -\n"},
      {"table",
       "Sun Feb 16 08:10:45 2025       \n"
       "+-------------------------------------------------------------------------------+\n"
       "| NVIDIA-SMI 545.23.08      Driver Version: 545.23.08    CUDA Version: 12.3     |\n"
       "|---------------------------------+----------------------+----------------------+\n"
       "|   0  NVIDIA A100-SXM4-80GB  On  | 00000000:07:00.0 Off |                   On |\n"
       "| N/A   29C    P0      71W / 400W |   5729MiB / 81920MiB |     N/A      Default |\n"
       "|                                 |                      |              Enabled |\n"
       "+---------------------------------+----------------------+----------------------+\n"
       "|   1  Tesla V100            Off  | 00000000:0B:00.0 Off |                    0 |\n"
       "| 30%   31C    P0     ERR! / 300W |   9012MiB / 16384MiB |     97%      Default |\n"
       "+---------------------------------+----------------------+----------------------+\n"
       "| MIG devices:                                                                  |\n"
       "| GPU  GI  CI  MIG |         Memory-Usage |        Vol|         Shared           |\n"
       "|==================+======================+===========+==========================|\n"
       "|  0    1   0   0  |     12MiB / 19968MiB | 42      0 |  3   0    2    0    0    |\n"
       "| Processes:                                                                    |\n"
       "|    0    1    0       4711      C   python train.py                   5716MiB  |\n"
       "+-------------------------------------------------------------------------------+\n"},
      {"gpustat",
       "host  Thu Nov 10 12:43:38 2022  465.19.01\n"
       "[0] NVIDIA GeForce RTX 2070 | 29\xc2\xb0"
       "C,  31 %,  17 % (E:  1 %  D:  2 %),  18 / 175 W |"
       "  7584 /  7982 MB | user:python/820594(7581M) other(3M)\n"
       "[1] GeForce GTX 1080 | 56'C,  95 % |  7400 /  8113 MB | user(7400M)\n"},
      {"dcgm-text",
       "# HELP DCGM_FI_DEV_GPU_UTIL GPU utilization (in %).\n"
       "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\",UUID=\"GPU-0\",modelName=\"A \\\"100\\\"\"} 98 1600000000000\n"
       "DCGM_FI_PROF_GR_ENGINE_ACTIVE{gpu=\"0\",UUID=\"GPU-0\"} 0 1600000000000\n"
       "DCGM_FI_PROF_SM_ACTIVE{gpu=\"0\",UUID=\"GPU-0\",GPU_I_PROFILE=\"1g.5gb\",GPU_I_ID=\"13\"} 0.5\n"
       "node_load1 3.5\n"
       "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\",UUID=\"GPU-0\"} 96 1600000005000\n"},
      {"dcgm-csv",
       "GPUId,TimeStampUs,Field,Values\n0,1718783837193069,gpu_utilization,70\n"
       "0,1718783836956328,gpu_utilization,60\n0,1718783836935856,current_clock_throttle_reasons,1\n"
       "1,1718783836979002,power_usage_instant,71.78\n"},
      {"wandb",
       "{\"system.gpu.0.gpu\": 4.5, \"system.gpu.0.powerWatts\": 28.0, \"system.gpu.0.powerPercent\": 40.0, "
       "\"system.cpu\": 65.25, \"system.memory\": 20.0, \"system.proc.memory.availableMB\": 8000, "
       "\"system.network.sent\": 12, \"system.network.recv\": 34, \"_timestamp\": 1582070941}\n"
       "{\"system.gpu.0.gpu\": NaN, \"_timestamp\": 1582070971}\n"
       "{\"system.gpu.0.gpu\": 6.5, \"_timestamp\": 1582071001}\n"},
      {"tegrastats",
       "RAM 506/3964MB (lfb 728x4MB) CPU [10%@102,30%@102,off,off] EMC_FREQ 0% GR3D_FREQ 42%@76 GPU@31.5C "
       "POM_5V_GPU 925/900\n"
       "11-23-2024 12:23:29 RAM 507/3964MB CPU [0%@102] GR3D_FREQ 43% VDD_GPU_SOC 1000mW/900mW\n"},
  };
}

}  // namespace stoker::watch::log_samples
