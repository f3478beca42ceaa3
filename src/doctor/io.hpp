// What the training reads, from where, and what stands in its way there.
#pragma once

#include <optional>
#include <string>

#include "stoker/doctor.hpp"

#include "doctor/measures.hpp"
#include "doctor/window.hpp"

namespace stoker::doctor {

struct IoMeasures {
  IoSummary summary;
  bool network = false;               // a network or FUSE file system, of which block devices show nothing
  std::string mount_type;             // "nfs4", "fuse.s3fs"; empty where not seen
  bool limit_reached = false;         // a cgroup's limit, or what the device can do
  std::string limit_level;            // the cgroup whose limit it is
  std::string limit_device;           // "254:0"
  int limit_version = 2;              // of the cgroup
  bool limit_of_bytes = true;         // else of operations
  std::optional<double> limit_used;   // 0..1 of it
  std::optional<double> device_busy;  // 0..1 of time some request was under way
  std::optional<bool> rotational;
  std::optional<double> refaults_per_s;  // pages read again that the cgroup's memory limit threw out
  std::optional<double> mean_file_bytes;
};

IoMeasures measure_io(const Trace& trace, const Window& window);

// Of `workers` that wait for storage: is it what the storage delivers, or how long each read takes?
// io_wait where that cannot be seen.
Verdict kind_of_wait(const IoMeasures& io, const std::optional<ProbeSeen>& probe, int workers);

}  // namespace stoker::doctor
