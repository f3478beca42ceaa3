#include "doctor/how.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace stoker::doctor {

namespace {

constexpr const char* kPyTorch = "PyTorch DataLoader";

std::string own_tool(const Measures& m) {
  if (m.kind == WorkerKind::stoker) return "Stoker";
  if (m.mxnet) return "MXNet";
  const std::string& name = m.threads_named;
  const auto has = [&name](const char* part) { return name.find(part) != std::string::npos; };
  if (has("DALI") || has("dali") || has("[DALI]")) return "DALI";
  if (has("tf_") || has("tensorflow")) return "tf.data";
  if (has("mxnet") || has("MXNet")) return "MXNet";
  return kPyTorch;
}

Hows own_first(const Measures& m, Hows hows) {
  const std::string own = own_tool(m);
  const auto found = std::ranges::find(hows, own, &Fix::How::tool);
  if (found != hows.end()) std::rotate(hows.begin(), found, found + 1);
  return hows;
}

}  // namespace

Hows how_workers(const Measures& m, int workers) {
  return own_first(
      m,
      {{kPyTorch, fmt::format("DataLoader(num_workers={}, persistent_workers=True)", workers)},
       {"DALI", fmt::format("@pipeline_def(num_threads={})", workers)},
       {"tf.data", fmt::format("dataset.map(f, num_parallel_calls={}).prefetch(tf.data.AUTOTUNE)", workers)},
       {"MXNet", fmt::format("--data-nthreads {0}, or ImageRecordIter(preprocess_threads={0})", workers)},
       {"Stoker",
        fmt::format("LoaderOptions{{.threads = {0}}}, or stoker train --data-nthreads {0}", workers)}});
}

Hows how_one_thread_each() {
  return {{kPyTorch, "worker_init_fn=lambda _: (torch.set_num_threads(1), cv2.setNumThreads(0))"},
          {"shell", "OMP_NUM_THREADS=1 MKL_NUM_THREADS=1 in front of the command"},
          {"tf.data", "options.threading.private_threadpool_size = CPUs that may be used"}};
}

Hows how_smaller_images(const Measures& m) {
  return own_first(
      m, {{"shell", "stoker pack FOLDER train.rec --resize-short 256"},
          {"MXNet", "im2rec.py --resize 256 --quality 95"},
          {kPyTorch,
           "read the packed images; torchvision's v2 transforms on tensors are quicker than on PIL images"},
          {"DALI", "fn.decoders.image_random_crop(device=\"mixed\") decodes on the GPU"}});
}

Hows how_stokers_loader() {
  return {
      {"Stoker", "Loader over the same files or a .rec: decodes the crop alone, scales in the DCT domain"}};
}

Hows how_quota(const Quota& quota, const std::string& enough_cpus) {
  Hows hows;
  if (quota.version == 1)
    hows.push_back({"shell", fmt::format("echo -1 > {}/cpu.cfs_quota_us", quota.path)});
  else
    hows.push_back({"shell", fmt::format("echo max > {}/cpu.max", quota.path)});
  hows.push_back({"Docker", fmt::format("docker update --cpus={} CONTAINER", enough_cpus)});
  hows.push_back({"Kubernetes", fmt::format("resources.limits.cpu: \"{}\", or none", enough_cpus)});
  return hows;
}

Hows how_all_cpus(std::int64_t pid, int online, const std::string& limited_by) {
  Hows hows;
  const std::string all = online > 1 ? fmt::format("0-{}", online - 1) : "0";
  if (limited_by.find("cpuset") != std::string::npos)
    hows.push_back({"shell", fmt::format("widen cpuset.cpus to {} ({})", all, limited_by)});
  else
    hows.push_back({"shell", fmt::format("taskset -acp {} {}; the workers' too, and start without taskset",
                                         all, pid > 0 ? std::to_string(pid) : "PID")});
  hows.push_back({"Docker", fmt::format("docker update --cpuset-cpus={} CONTAINER", all)});
  hows.push_back({"Slurm", fmt::format("--cpus-per-task={} (or --cpu-bind=none)", online)});
  return hows;
}

Hows how_neighbour(std::int64_t pid) {
  const std::string who = pid > 0 ? std::to_string(pid) : "PID";
  return {{"shell", "stop the other processes, or move them to another machine"},
          {"shell",
           fmt::format("renice -n 19 -p OTHER_PID; or cpu.weight of the training's cgroup to 10000 (pid {})",
                       who)},
          {"Kubernetes", "whole CPUs by the static CPU manager: requests equal to limits"}};
}

Hows how_io_limit(const std::string& level, const std::string& device, bool bytes, int version) {
  if (version == 1)
    return {{"shell", fmt::format("echo '{} 0' > {}/blkio.throttle.read_{}_device", device, level,
                                  bytes ? "bps" : "iops")},
            {"Docker", "run without --device-read-bps and --device-read-iops"}};
  return {{"shell", fmt::format("echo '{} {}=max' > {}/io.max", device, bytes ? "rbps" : "riops", level)},
          {"Docker", "run without --device-read-bps and --device-read-iops"}};
}

Hows how_faster_store() {
  return {{"shell", "copy the data to a local NVMe disk or to /dev/shm before training"},
          {"shell", "stoker pack FOLDER train.rec --resize-short 256: fewer bytes an image, read in order"},
          {"tf.data", "dataset.cache() in front of map(), where it fits into memory"}};
}

Hows how_main_thread(const Measures& m, int workers) {
  Hows hows;
  if (m.kind == WorkerKind::none)
    hows.push_back({kPyTorch, fmt::format("DataLoader(num_workers={}, persistent_workers=True)", workers)});
  hows.push_back(
      {kPyTorch,
       "move collate and transforms into the workers; pin_memory=True and .to(device, non_blocking=True)"});
  hows.push_back({kPyTorch, "read loss.item() and write logs every 50 steps, not every one"});
  hows.push_back({"shell", "py-spy record -p PID shows which lines"});
  return hows;
}

Hows how_stopped(std::int64_t pid, bool stopped) {
  const std::string who = pid > 0 ? std::to_string(pid) : "PID";
  if (stopped)
    return {{"shell", fmt::format("pkill -CONT -P {} lets stopped workers go on", who)},
            {kPyTorch, "DataLoader(timeout=60) turns a worker that hangs into an error"}};
  return {{"shell", fmt::format("py-spy dump --pid {} shows where it stands", who)},
          {kPyTorch, "DataLoader(timeout=60) turns a worker that hangs into an error"}};
}

}  // namespace stoker::doctor
