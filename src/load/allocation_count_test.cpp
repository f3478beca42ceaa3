// Replaces the test program's operator new by one that counts; malloc behind it is the C library's or a
// sanitizer's.
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>
#include <new>

#include "load/process_probe.hpp"

namespace {
std::atomic<std::uint64_t> allocations{0};
}

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace stoker::load::test {

std::uint64_t count_allocations() { return allocations.load(std::memory_order_relaxed); }

TEST(AllocationCount, Counts) {
  const std::uint64_t before = count_allocations();
  const auto kept = std::make_unique<std::uint64_t>(before);
  EXPECT_EQ(count_allocations(), *kept + 1);
}

}  // namespace stoker::load::test
