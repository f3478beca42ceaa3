#include "bench/storage_probe.hpp"

#include <algorithm>

#include "base/philox.hpp"
#include "base/thread_group.hpp"
#include "bench/bench_checks.hpp"
#include "bench/cpu_clock.hpp"
#include "bench/decode_probe.hpp"
#include "bench/probe_files.hpp"

namespace stoker::bench {

namespace {

// A file that is larger holds many samples: a training reads pieces of it, in no order.
constexpr std::uint64_t kContainerBytes = 8 << 20;
constexpr std::uint64_t kPieceBytes = 1 << 20;
constexpr std::size_t kChunkBytes = 256 << 10;
constexpr std::uint64_t kFewestReads = 8;

struct Piece {
  const std::string* path = nullptr;
  std::uint64_t offset = 0;
  std::uint64_t bytes = kContainerBytes;  // at most: the whole of a smaller file
};

std::vector<Piece> pieces_of(const std::vector<std::string>& files, std::size_t most) {
  std::vector<Piece> pieces;
  for (const std::string& path : files) pieces.push_back({&path});
  std::vector<std::pair<const std::string*, std::uint64_t>> containers;
  for (std::size_t i = 0; i < std::min<std::size_t>(files.size(), 16); ++i) {
    const ProbeFile file(files[i]);
    if (file.is_open() && file.size() > kContainerBytes) containers.emplace_back(&files[i], file.size());
  }
  if (containers.empty()) return pieces;
  pieces.clear();
  SampleRng rng(2, 0, 0, 0);
  for (std::size_t i = 0; i < most; ++i) {
    const auto& [path, bytes] = containers[i % containers.size()];
    pieces.push_back({path, rng.below(bytes / kPieceBytes) * kPieceBytes, kPieceBytes});
  }
  return pieces;
}

struct Sums {
  std::uint64_t bytes = 0, reads = 0;
  std::uint64_t whole_files = 0, whole_file_bytes = 0;
};

// Takes pieces until they or the time run out.
class Reader {
 public:
  Reader(const std::vector<Piece>& pieces, std::atomic<std::size_t>& next, std::size_t end, double until_s,
         const std::atomic<bool>* cancel)
      : pieces_(pieces), next_(next), end_(end), until_s_(until_s), cancel_(cancel), memory_(kChunkBytes) {}

  void run() {
    while (!is_over()) {
      const std::size_t i = next_++;
      if (i >= end_) return;
      read(pieces_[i]);
    }
  }
  const Sums& sums() const { return sums_; }

 private:
  bool is_over() const { return wall_s() >= until_s_ || (cancel_ != nullptr && cancel_->load()); }

  void read(const Piece& piece) {
    ProbeFile file(*piece.path, piece.offset);
    if (!file.is_open() || file.was_cached().value_or(false)) return;
    std::uint64_t done = 0;
    while (done < piece.bytes && !is_over()) {
      const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(kChunkBytes, piece.bytes - done));
      const auto got = file.read(std::span(memory_).first(wanted));
      if (!got) return;
      done += *got;
      sums_.bytes += *got;
      if (*got < wanted) break;
    }
    if (done == 0) return;
    ++sums_.reads;
    if (piece.offset == 0 && done == file.size()) ++sums_.whole_files, sums_.whole_file_bytes += done;
  }

  const std::vector<Piece>& pieces_;
  std::atomic<std::size_t>& next_;
  std::size_t end_;
  double until_s_;
  const std::atomic<bool>* cancel_;
  std::vector<std::byte> memory_;
  Sums sums_;
};

void probe_storage(const std::vector<std::string>& files, const ProbeOptions& options,
                   const std::atomic<bool>* cancel, ProbeSeen& seen) {
  const std::vector<Piece> pieces = pieces_of(files, options.files);
  std::atomic<std::size_t> next{0};
  Sums all;
  for (std::size_t stretch = 0; stretch < options.readers.size(); ++stretch) {
    check_cancel("probe", cancel);
    // Each stretch has pieces left for it, however quick those before it were.
    const std::size_t end = pieces.size() * (stretch + 1) / options.readers.size();
    const double begin_s = wall_s();
    const double until_s = begin_s + std::chrono::duration<double>(options.reading).count();
    std::vector<Reader> readers;
    for (int i = 0; i < options.readers[stretch]; ++i)
      readers.emplace_back(pieces, next, end, until_s, cancel);
    ThreadGroup threads;
    for (Reader& reader : readers) threads.start("probe", [&reader] { reader.run(); });
    threads.join_and_rethrow();
    const double seconds = wall_s() - begin_s;
    next = std::min(next.load(), end);
    Sums sums;
    for (const Reader& reader : readers) {
      sums.bytes += reader.sums().bytes;
      sums.reads += reader.sums().reads;
      all.whole_files += reader.sums().whole_files;
      all.whole_file_bytes += reader.sums().whole_file_bytes;
    }
    if (sums.reads < kFewestReads || seconds <= 0) continue;
    seen.storage.push_back({.readers = options.readers[stretch],
                            .bytes_per_s = static_cast<double>(sums.bytes) / seconds,
                            .reads_per_s = static_cast<double>(sums.reads) / seconds});
  }
  if (all.whole_files >= kFewestReads)
    seen.mean_file_bytes = static_cast<double>(all.whole_file_bytes) / static_cast<double>(all.whole_files);
}

}  // namespace

ProbeSeen probe_training(const std::vector<std::string>& examples, const ProbeOptions& options,
                         const std::atomic<bool>* cancel) {
  ProbeSeen seen;
  const std::vector<std::string> files = find_probe_files(examples, options.files, options.looking_around);
  probe_storage(files, options, cancel, seen);
  probe_decoding(files, {.images = options.images, .limit = options.decoding}, cancel, seen);
  return seen;
}

}  // namespace stoker::bench
