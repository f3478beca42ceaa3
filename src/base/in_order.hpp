// Items read one after another, worked on by several threads, delivered in the order of reading.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <vector>

#include "base/thread_group.hpp"

namespace stoker {

// What is read before it is worked on: as many items as keep the threads busy, within a bound of memory.
struct ChunkLimits {
  std::size_t items = 256;
  std::size_t bytes = std::size_t{64} << 20;
};

// Reads chunk k + 1 while `threads` workers are at chunk k. Two chunks are held at once; their items are
// reused, so that memory which an item has grown stays. Item::bytes() tells what it holds.
//
// - read(item): the calling thread; false: there is nothing more.
// - work(thread, item): many at once, each with its own `thread` in [0, threads).
// - deliver(item): the calling thread, in order.
//
// Errors: the first exception that any of the three lets out; no thread is left then.
template <class Item>
void process_in_order(int threads, const std::function<bool(Item&)>& read,
                      const std::function<void(int, Item&)>& work, const std::function<void(Item&)>& deliver,
                      ChunkLimits limits = {}) {
  struct Chunk {
    std::vector<Item> items;
    std::size_t used = 0;
  };
  const auto fill = [&](Chunk& chunk) {
    chunk.used = 0;
    for (std::size_t bytes = 0; chunk.used < limits.items && bytes < limits.bytes;) {
      if (chunk.used == chunk.items.size()) chunk.items.emplace_back();
      Item& item = chunk.items[chunk.used];
      if (!read(item)) return;
      bytes += item.bytes();
      ++chunk.used;
    }
  };
  Chunk current;
  Chunk following;
  for (fill(current); current.used > 0; std::swap(current, following)) {
    std::atomic<std::size_t> next{0};
    ThreadGroup group;
    for (int thread = 0; thread < threads; ++thread) {
      group.start("work", [&, thread] {
        for (std::size_t at = next++; at < current.used && !group.failed(); at = next++)
          work(thread, current.items[at]);
      });
    }
    fill(following);
    group.join_and_rethrow();
    for (std::size_t at = 0; at < current.used; ++at) deliver(current.items[at]);
  }
}

}  // namespace stoker
