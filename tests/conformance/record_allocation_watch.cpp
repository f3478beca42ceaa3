#include "record_allocation_watch.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<std::size_t> largest{0};
}

// Every allocation of the program passes here. In a file of its own, so that the compiler does not see
// through it.
void* operator new(std::size_t bytes) {
  std::size_t before = largest.load(std::memory_order_relaxed);
  while (bytes > before && !largest.compare_exchange_weak(before, bytes)) {
  }
  if (void* memory = std::malloc(bytes > 0 ? bytes : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace stoker::test {

std::size_t largest_allocation() { return largest; }
void reset_largest_allocation() { largest = 0; }

}  // namespace stoker::test
