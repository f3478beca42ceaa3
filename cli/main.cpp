#include <malloc.h>

#include "cli/program.hpp"

int main(int argc, char** argv) {
  // Large blocks are mapped and given back one by one. By default glibc raises this threshold with the first
  // large block that is freed, and buffers of many sizes then leave holes in its arenas: memory crept up from
  // epoch to epoch.
  // NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread runs yet
  mallopt(M_MMAP_THRESHOLD, 128 << 10);
  return stoker::cli::run_program(argc, argv);
}
