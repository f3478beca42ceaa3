// The event file of a fake NVML: what GPUs are and do, as functions of time.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stoker::fake_nvml {

// A value that changes in steps, and may be taken back.
class Series {
 public:
  void set(double time, std::optional<double> value);
  std::optional<double> at(double time) const;
  // The integral over [from, until]; `otherwise(a, b)` is it where no value is set.
  template <class Otherwise>
  double integral(double from, double until, const Otherwise& otherwise) const;

 private:
  struct Step {
    double time;
    std::optional<double> value;
  };
  std::size_t steps_until(double time) const;
  std::vector<Step> steps_;  // in order of time
};

// The intervals in which kernels run.
class Busy {
 public:
  void begin(double time);
  void end(double time);
  double seconds(double from, double until) const;

 private:
  struct Interval {
    double begin, end;
    double before;  // busy seconds before this interval
  };
  double seconds_until(double time) const;
  std::vector<Interval> intervals_;
};

struct Process {
  unsigned pid = 0;
  double begin = 0, end = std::numeric_limits<double>::infinity();
  double memory_mib = 0;
  std::optional<double> sm;
  std::string kind = "compute";  // compute, graphics, mps
  int mig = -1;
};

// Times are the file's; Machine turns the clock into them.
struct Gpu {
  std::map<std::string, std::string> facts;
  std::map<std::string, Series> seen;
  Busy busy;
  std::vector<Process> processes;

  std::string fact(const std::string& key, const std::string& other) const;
  double number(const std::string& key, double other) const;
  std::optional<double> seen_at(const std::string& key, double time) const;
};

// Units: seconds of CLOCK_MONOTONIC in every call, whatever the file's clock is.
class Machine {
 public:
  // Reads the file; false where there is none.
  bool open(const std::string& path, double now);
  // Reads what was appended since, all of it again where the file became shorter.
  void refresh();

  std::vector<Gpu> gpus;  // by index

  double file_time(double time) const;
  std::optional<double> seen(const Gpu& gpu, const std::string& key, double time) const;
  double mean_util(const Gpu& gpu, double from, double until) const;
  double mean_sm_active(const Gpu& gpu, int mig, double from, double until) const;
  double mean_power_w(const Gpu& gpu, double from, double until) const;
  double begin() const;  // of the energy counter
  std::vector<Process> processes(const Gpu& gpu, double time) const;

 private:
  void read_line(std::string_view line);
  void complain(std::string_view line, const std::string& why) const;
  template <class Integral>
  double mean(double from, double until, const Integral& integral) const;

  std::string path_;
  std::string rest_;  // a line whose end is not there yet
  std::size_t offset_ = 0;
  std::size_t lines_ = 0;
  double origin_ = 0, start_ = 0, loop_ = 0;
  std::optional<double> first_event_;
};

}  // namespace stoker::fake_nvml
