// What a sampled thread was doing, from its state and the call that it slept in.
#pragma once

#include <cstdint>
#include <vector>

#include "stoker/watch.hpp"

namespace stoker::doctor {

enum class Activity {
  running,      // on a CPU, or ready for one
  waiting,      // for another part of the loader: the main thread for a batch, a worker for something to do
  unix_socket,  // receiving a batch's descriptors
  io,           // in a file system or a disk
  network,      // at a socket that is no unix socket: a store, a peer, or nobody's call
  stopped,
  sleeping,  // for something else: a timer, the GPU
  blocked,   // in a futex that may be the loader's or not
  unseen,    // asleep, where the call could not be read
  gone,
};

// Source: design notes on PyTorch 2.13: main and idle workers sit in poll with a timeout of 5000 ms, an older
// main in a read of a pipe, one behind a pinning thread in a futex.
Activity activity_of(const ThreadTally& tally);

// How many samples met each activity.
struct ActivityCount {
  std::uint64_t running = 0, waiting = 0, unix_socket = 0, io = 0, network = 0, stopped = 0, sleeping = 0,
                blocked = 0, unseen = 0;
  std::uint64_t total() const {
    return running + waiting + unix_socket + io + network + stopped + sleeping + blocked + unseen;
  }
  // 0..1 of all samples; 0 where there are none.
  double share_of(std::uint64_t count) const {
    return total() == 0 ? 0.0 : static_cast<double>(count) / static_cast<double>(total());
  }
  void add(const std::vector<ThreadTally>& tallies);
};

}  // namespace stoker::doctor
