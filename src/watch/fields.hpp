// The members of everything in a trace, each named once: reading and writing walk the same lists.
#pragma once

#include "stoker/watch.hpp"

namespace stoker::watch {

// visit(name, member) for each member, in the order of the file. A name is file format: never reused for
// something else.
template <class Visit>
void fields(GpuSample& x, Visit&& visit) {
  visit("t", x.time_s);
  visit("percent", x.percent);
}

template <class Visit>
void fields(GpuProcess& x, Visit&& visit) {
  visit("pid", x.pid);
  visit("here", x.here);
  visit("kind", x.kind);
  visit("name", x.name);
  visit("memory_bytes", x.memory_bytes);
  visit("sm_percent", x.sm_percent);
}

template <class Visit>
void fields(GpuSeen& x, Visit&& visit) {
  visit("index", x.index);
  visit("vendor", x.vendor);
  visit("name", x.name);
  visit("uuid", x.uuid);
  visit("mig_parent", x.mig_parent);
  visit("util_percent", x.util_percent);
  visit("samples", x.samples);
  visit("sample_interval_s", x.sample_interval_s);
  visit("memory_util_percent", x.memory_util_percent);
  visit("sm_active_percent", x.sm_active_percent);
  visit("engine_active_percent", x.engine_active_percent);
  visit("jpeg_percent", x.jpeg_percent);
  visit("memory_used_bytes", x.memory_used_bytes);
  visit("memory_total_bytes", x.memory_total_bytes);
  visit("power_w", x.power_w);
  visit("power_limit_w", x.power_limit_w);
  visit("energy_j", x.energy_j);
  visit("sm_clock_mhz", x.sm_clock_mhz);
  visit("sm_clock_max_mhz", x.sm_clock_max_mhz);
  visit("temperature_c", x.temperature_c);
  visit("slow_reasons", x.slow_reasons);
  visit("pcie_generation", x.pcie_generation);
  visit("pcie_generation_max", x.pcie_generation_max);
  visit("pcie_width", x.pcie_width);
  visit("pcie_width_max", x.pcie_width_max);
  visit("pcie_rx_bytes_per_s", x.pcie_rx_bytes_per_s);
  visit("pcie_tx_bytes_per_s", x.pcie_tx_bytes_per_s);
  visit("processes", x.processes);
}

template <class Visit>
void fields(CpuTimes& x, Visit&& visit) {
  visit("user_s", x.user_s);
  visit("system_s", x.system_s);
  visit("idle_s", x.idle_s);
  visit("iowait_s", x.iowait_s);
  visit("steal_s", x.steal_s);
}

template <class Visit>
void fields(Pressure& x, Visit&& visit) {
  visit("some_s", x.some_s);
  visit("full_s", x.full_s);
}

template <class Visit>
void fields(HostSeen& x, Visit&& visit) {
  visit("uptime_s", x.uptime_s);
  visit("online_cpus", x.online_cpus);
  visit("cores", x.cores);
  visit("cpu", x.cpu);
  visit("per_cpu", x.per_cpu);
  visit("cpu_percent", x.cpu_percent);
  visit("cpu_pressure", x.cpu_pressure);
  visit("io_pressure", x.io_pressure);
  visit("memory_pressure", x.memory_pressure);
  visit("memory_total_bytes", x.memory_total_bytes);
  visit("memory_available_bytes", x.memory_available_bytes);
  visit("watcher_cpu_s", x.watcher_cpu_s);
}

template <class Visit>
void fields(IoLimit& x, Visit&& visit) {
  visit("device", x.device);
  visit("read_bytes_per_s", x.read_bytes_per_s);
  visit("read_ops_per_s", x.read_ops_per_s);
}

template <class Visit>
void fields(CgroupLevel& x, Visit&& visit) {
  visit("path", x.path);
  visit("version", x.version);
  visit("quota_cpus", x.quota_cpus);
  visit("periods", x.periods);
  visit("throttled_periods", x.throttled_periods);
  visit("throttled_s", x.throttled_s);
  visit("cpuset_cpus", x.cpuset_cpus);
  visit("memory_limit_bytes", x.memory_limit_bytes);
  visit("memory_used_bytes", x.memory_used_bytes);
  visit("refaults", x.refaults);
  visit("io_limits", x.io_limits);
  visit("cpu_pressure", x.cpu_pressure);
  visit("io_pressure", x.io_pressure);
}

template <class Visit>
void fields(DeviceSeen& x, Visit&& visit) {
  visit("number", x.number);
  visit("name", x.name);
  visit("reads", x.reads);
  visit("read_bytes", x.read_bytes);
  visit("writes", x.writes);
  visit("written_bytes", x.written_bytes);
  visit("read_time_s", x.read_time_s);
  visit("busy_s", x.busy_s);
  visit("weighted_s", x.weighted_s);
  visit("rotational", x.rotational);
}

template <class Visit>
void fields(NetworkSeen& x, Visit&& visit) {
  visit("name", x.name);
  visit("received_bytes", x.received_bytes);
  visit("sent_bytes", x.sent_bytes);
  visit("speed_bytes_per_s", x.speed_bytes_per_s);
}

template <class Visit>
void fields(MountSeen& x, Visit&& visit) {
  visit("path", x.path);
  visit("source", x.source);
  visit("type", x.type);
  visit("device", x.device);
  visit("network", x.network);
  visit("read_bytes", x.read_bytes);
  visit("reads", x.reads);
  visit("read_time_s", x.read_time_s);
}

template <class Visit>
void fields(ThreadTally& x, Visit&& visit) {
  visit("state", x.state);
  visit("call", x.call);
  visit("timeout_ms", x.timeout_ms);
  visit("wait", x.wait);
  visit("target", x.target);
  visit("count", x.count);
}

template <class Visit>
void fields(ThreadsSeen& x, Visit&& visit) {
  visit("name", x.name);
  visit("main", x.main);
  visit("count", x.count);
  visit("cpu_s", x.cpu_s);
  visit("run_delay_s", x.run_delay_s);
  visit("tallies", x.tallies);
}

template <class Visit>
void fields(ProcessIo& x, Visit&& visit) {
  visit("read_chars", x.read_chars);
  visit("read_calls", x.read_calls);
  visit("read_bytes", x.read_bytes);
  visit("written_chars", x.written_chars);
  visit("written_bytes", x.written_bytes);
}

template <class Visit>
void fields(FileSeen& x, Visit&& visit) {
  visit("path", x.path);
  visit("mount", x.mount);
  visit("size_bytes", x.size_bytes);
  visit("count", x.count);
}

template <class Visit>
void fields(ProcessSeen& x, Visit&& visit) {
  visit("pid", x.pid);
  visit("parent", x.parent);
  visit("start_ticks", x.start_ticks);
  visit("name", x.name);
  visit("command", x.command);
  visit("user", x.user);
  visit("user_s", x.user_s);
  visit("system_s", x.system_s);
  visit("block_io_delay_s", x.block_io_delay_s);
  visit("threads", x.threads);
  visit("io", x.io);
  visit("files", x.files);
  visit("affinity_cpus", x.affinity_cpus);
  visit("cuda_visible_devices", x.cuda_visible_devices);
  visit("resident_bytes", x.resident_bytes);
}

template <class Visit>
void fields(LoaderStage& x, Visit&& visit) {
  visit("name", x.name);
  visit("items", x.items);
  visit("bytes", x.bytes);
  visit("queue_depth", x.queue_depth);
  visit("busy_s", x.busy_s);
  visit("blocked_on_input_s", x.blocked_on_input_s);
  visit("blocked_on_output_s", x.blocked_on_output_s);
}

template <class Visit>
void fields(LoaderSeen& x, Visit&& visit) {
  visit("pid", x.pid);
  visit("threads", x.threads);
  visit("images", x.images);
  visit("batches", x.batches);
  visit("bad_samples", x.bad_samples);
  visit("stages", x.stages);
}

template <class Visit>
void fields(NotSeen& x, Visit&& visit) {
  visit("what", x.what);
  visit("why", x.why);
}

template <class Visit>
void fields(Snapshot& x, Visit&& visit) {
  visit("t", x.time_s);
  visit("wall_s", x.wall_s);
  visit("gpus", x.gpus);
  visit("host", x.host);
  visit("cgroups", x.cgroups);
  visit("processes", x.processes);
  visit("devices", x.devices);
  visit("networks", x.networks);
  visit("mounts", x.mounts);
  visit("loaders", x.loaders);
  visit("not_seen", x.not_seen);
}

template <class Visit>
void fields(ProbeSeen::Readers& x, Visit&& visit) {
  visit("readers", x.readers);
  visit("bytes_per_s", x.bytes_per_s);
  visit("reads_per_s", x.reads_per_s);
}

template <class Visit>
void fields(ProbeSeen& x, Visit&& visit) {
  visit("storage", x.storage);
  visit("mean_file_bytes", x.mean_file_bytes);
  visit("decode_ms", x.decode_ms);
  visit("decode_small_ms", x.decode_small_ms);
  visit("stoker_ms", x.stoker_ms);
  visit("second_thread_gain", x.second_thread_gain);
}

}  // namespace stoker::watch
