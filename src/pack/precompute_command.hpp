// A user's command that makes new bytes of samples' bytes.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/child_process.hpp"
#include "pack/precompute.hpp"

namespace stoker::packing {

// In front of a reason, where a size would stand: this sample failed.
inline constexpr std::uint32_t kSampleFailed = 0xFFFFFFFF;
inline constexpr std::uint32_t kMaxAnswerBytes = 1U << 30;
inline constexpr std::uint32_t kMaxReasonBytes = 64U << 10;

// One process, fed sample after sample over its standard streams, until its input ends:
//   to it:   u32 size, then so many bytes of a sample
//   from it: u32 size, then so many new bytes; or u32 0xFFFFFFFF, u32 size, so many bytes of a reason (UTF-8)
// Numbers are little-endian. Every sample is answered before the next one is sent. A process that crashes,
// hangs or says something else fails the sample that it was given, and is started anew for the next one; one
// that ends between two samples is, too. What it writes on standard error is kept, and the last of it is told
// where it fails.
//
// Owns: the process; it and all that it started are gone when this goes. (Should this program be killed, the
// end of its input tells it.)
class PrecomputeCommand final : public Precompute {
 public:
  explicit PrecomputeCommand(const PrecomputeOptions& options);

  // Errors: corrupt_data (the command says so, or crashed, hanged, or broke the rules), unsupported (4 GiB
  // and more). Thrown: invalid_argument (the shell knows no such command, or it fails all of the first ten
  // samples), cancelled, io, out_of_resources.
  Result<std::span<const std::byte>> run(std::string_view key, std::span<const std::byte> in) override;

 private:
  struct Exchange;  // of one sample
  using Failure = tl::unexpected<Error>;

  void prepare_process();
  Result<void> exchange(Exchange& work, std::string_view key);
  void write_some(Exchange& work);
  // Whether the process may say more.
  bool read_some(Exchange& work);
  void look_behind(Exchange& work) const;
  // Whether there was something.
  bool read_errors();
  // The process is ended, and this sample is at fault.
  Failure give_up(std::string_view key, std::string found, std::string allowed = {});
  Failure tell_end(std::string_view key);

  const std::string command_;
  const std::chrono::nanoseconds timeout_;
  const std::atomic<bool>* cancel_;
  std::unique_ptr<ChildProcess> process_;
  std::vector<std::byte> answer_;
  std::string last_words_;     // the end of what it wrote on its standard error
  bool errors_ended_ = false;  // it closed that
  bool ever_answered_ = false;
  int deaths_ = 0;
};

}  // namespace stoker::packing
