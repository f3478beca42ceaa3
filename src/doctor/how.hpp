// The very option or command that a fix takes, for each loader that people use.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stoker/doctor.hpp"

#include "doctor/measures.hpp"

namespace stoker::doctor {

using Hows = std::vector<Fix::How>;

// The training's own loader first, as far as it shows.
Hows how_workers(const Measures& m, int workers);
Hows how_one_thread_each();
Hows how_smaller_images(const Measures& m);
Hows how_stokers_loader();
Hows how_quota(const Quota& quota, const std::string& enough_cpus);
Hows how_all_cpus(std::int64_t pid, int online, const std::string& limited_by);
Hows how_neighbour(std::int64_t pid);
Hows how_io_limit(const std::string& level, const std::string& device, bool bytes, int version);
Hows how_faster_store();
Hows how_main_thread(const Measures& m, int workers);
Hows how_stopped(std::int64_t pid, bool stopped);

}  // namespace stoker::doctor
