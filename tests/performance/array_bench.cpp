// array_bench RAW STORED STEPS [RUNS]: CPU time of a sample's preparation, with the steps done each time and
// with their result read, in turns. RAW is a source of arrays, STORED what `pack RAW STORED --precompute
// STEPS` wrote:
//
//   stoker synth eeg --kind eeg --images 60
//   stoker pack eeg/train raw.rec && stoker pack eeg/train stored.rec --precompute spectrogram
//   array_bench raw.rec stored.rec spectrogram
//
// Both end with the same float32 tensor, which is proved before anything is timed.
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fmt/format.h>
#include <iostream>
#include <vector>

#include "stoker/record.hpp"

#include "array/chain.hpp"
#include "bench/cpu_clock.hpp"
#include "bench/spread.hpp"
#include "load/array_placer.hpp"

namespace {

using namespace stoker;

struct Side {
  const RecordReader& records;
  array::Chain* steps;  // null: the sample is taken as it is
  Sample sample = {};
  load::ArrayPlacer placer = {};

  void make(std::size_t index, const array::Shape& shape, std::vector<float>& tensor) {
    records.read(index, sample);
    std::span<const std::byte> file = sample.main();
    if (steps) file = value_or_throw(steps->run(file));
    value_or_throw(placer.place(file, shape, DType::f32, reinterpret_cast<std::byte*>(tensor.data())));
  }
};

// Microseconds of CPU time a sample.
double time_of(Side& side, const array::Shape& shape, std::vector<float>& tensor) {
  const double begin = bench::thread_cpu_s();
  for (std::size_t i = 0; i < side.records.size(); ++i) side.make(i, shape, tensor);
  return (bench::thread_cpu_s() - begin) * 1e6 / static_cast<double>(side.records.size());
}

int run(const std::string& raw_source, const std::string& stored_source, const std::string& steps, int runs) {
  const auto raw_records = open_records(raw_source), stored_records = open_records(stored_source);
  array::Chain chain(steps);
  Side raw{.records = *raw_records, .steps = &chain}, stored{.records = *stored_records, .steps = nullptr};
  Sample first;
  stored_records->read(0, first);
  const array::Shape shape = value_or_throw(array::read_npy(first.main())).shape;
  std::vector<float> tensor(array::count_of(shape)), other(tensor.size());
  if (raw_records->size() != stored_records->size()) {
    std::cerr << "array_bench: the sources differ in size\n";
    return 1;
  }
  for (std::size_t i = 0; i < raw_records->size(); ++i) {  // warms both up, too
    raw.make(i, shape, tensor);
    stored.make(i, shape, other);
    if (std::memcmp(tensor.data(), other.data(), tensor.size() * sizeof(float)) != 0) {
      std::cerr << fmt::format("array_bench: sample {} differs: was it packed with these steps?\n", i);
      return 1;
    }
  }
  std::vector<double> each_time, read, ratio;
  for (int turn = 0; turn < runs; ++turn) {
    each_time.push_back(time_of(raw, shape, tensor));
    read.push_back(time_of(stored, shape, tensor));
    ratio.push_back(each_time.back() / read.back());
  }
  const auto told = [](const std::vector<double>& values) {
    const auto spread = bench::spread_of(values);
    return fmt::format("{:.4g} ({:.4g}..{:.4g})", spread.median, spread.min, spread.max);
  };
  std::cout << fmt::format(
                   "{} samples, {} each, {} runs in turns; CPU time of a sample, median (least..most)\n",
                   raw_records->size(), array::to_string(shape), runs)
            << fmt::format("  {} each time: {} us\n  read the stored array: {} us\n  ratio: {}\n",
                           chain.to_string(), told(each_time), told(read), told(ratio));
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 4) {
    std::cerr << "usage: array_bench RAW STORED STEPS [RUNS]\n";
    return 2;
  }
  try {
    return run(arguments[1], arguments[2], arguments[3], count > 4 ? std::atoi(arguments[4]) : 9);
  } catch (const std::exception& error) {
    std::cerr << "array_bench: " << error.what() << '\n';
    return 1;
  }
}
