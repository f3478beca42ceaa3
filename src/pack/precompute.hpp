// What is done once with each sample while packing, so that no training does it again.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace stoker::packing {

struct PrecomputeOptions {
  std::string steps;    // on .npy arrays: "spectrogram(window=256, hop=64)"; empty: none
  std::string command;  // of the shell's, for bytes of any kind; empty: none. Not both
  std::chrono::nanoseconds timeout = std::chrono::seconds(60);  // of the command, for one sample
  const std::atomic<bool>* cancel = nullptr;                    // looked at while the command works
};

// A sample's main field → what is packed in its place. Threads: one at a time; each has its own.
class Precompute {
 public:
  virtual ~Precompute() = default;

  // The new bytes, valid until the next call. `key` is for messages alone.
  // Errors: corrupt_data, unsupported, out_of_resources: of this sample. Thrown: what concerns more than this
  // sample (invalid_argument, io, out_of_resources, cancelled).
  virtual Result<std::span<const std::byte>> run(std::string_view key, std::span<const std::byte> in) = 0;
};

// Null where the options ask for nothing. Errors (thrown): invalid_argument.
std::unique_ptr<Precompute> make_precompute(const PrecomputeOptions& options);

// The steps with every option, or the command: what makes two packs' bytes differ. Empty where none is asked
// for. Errors (thrown): invalid_argument.
std::string canonical_text(const PrecomputeOptions& options);

}  // namespace stoker::packing
