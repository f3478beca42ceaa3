// CPU time and resident memory of this thread and process: what the measurements divide by.
#pragma once

namespace stoker::bench {

// Units: seconds of CPU time, user and system together.
double thread_cpu_s();
double process_cpu_s();
// Units: seconds from an arbitrary beginning.
double wall_s();

// Resident memory of this process in MiB, now and at its highest since the last reset.
double resident_mib();
double peak_resident_mib();
// False where the kernel does not let it be reset (the peak then counts from the start of the process).
bool reset_peak_resident();
// Gives freed memory back to the system, so that one stretch's peak does not stand in the next one's figure.
void release_free_memory();

}  // namespace stoker::bench
