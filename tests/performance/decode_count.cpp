// decode_count SOURCE ROUTE [IMAGES]: decodes by one route of `bench decode`, so that an instruction counter
// may look on. `./dev perf` counts with callgrind, which is told to collect within stoker_counted alone:
//
//   valgrind --tool=callgrind --toggle-collect=stoker_counted decode_count train.rec stoker_rrc_seek 8
//
// Everything is decoded once before, uncounted: tables are then built and memory has grown.
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>

#include "bench/bench_samples.hpp"
#include "bench/decode_routes.hpp"

namespace {

using stoker::bench::BenchSample;
using stoker::bench::DecodeRoute;

constexpr std::size_t kMemory = std::size_t{1} << 30;

}  // namespace

// Its name is what callgrind finds it by.
extern "C" [[gnu::noinline]] void stoker_counted(DecodeRoute& route,
                                                 const std::vector<BenchSample>& samples) {
  for (std::size_t i = 0; i < samples.size(); ++i) route.run(i, samples[i].bytes);
}

int main(int count, char** arguments) {
  if (count < 3) {
    std::cerr << "usage: decode_count SOURCE ROUTE [IMAGES]\n";
    return 2;
  }
  try {
    const std::size_t images = count > 3 ? std::strtoul(arguments[3], nullptr, 10) : 8;
    const auto records = stoker::open_records(arguments[1]);
    auto set = stoker::bench::read_bench_samples(*records, images, kMemory, stoker::kDefaultMaxPixels);
    stoker::bench::add_seek_points(set.samples);
    stoker::bench::RouteOptions options;
    options.names = {arguments[2]};
    const auto routes = stoker::bench::make_decode_routes(set.samples, options);
    DecodeRoute& route = *routes.back();  // behind its baselines
    for (std::size_t i = 0; i < set.samples.size(); ++i) route.run(i, set.samples[i].bytes);
    stoker_counted(route, set.samples);
    std::cout << set.samples.size() << " images by " << route.name() << '\n';
  } catch (const std::exception& error) {
    std::cerr << "decode_count: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
