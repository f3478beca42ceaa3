#include "pack/scratch_store.hpp"

#include <algorithm>

#include "stoker/error.hpp"

#include "pack/clocks.hpp"

namespace stoker::packing {
namespace {

constexpr std::uint64_t kRoom = std::uint64_t{16} << 20;  // on the disk
constexpr std::uint64_t kTells = std::uint64_t{1} << 20;
constexpr std::uint64_t kMost = std::uint64_t{64} << 20;  // written in all

[[noreturn]] void nothing_at(const std::string& path) {
  throw Error(ErrorCode::not_found,
              {.operation = "read", .object = path, .found = "a store that keeps nothing"});
}

}  // namespace

class ScratchFile final : public WritableFile {
 public:
  explicit ScratchFile(ScratchStore& store) : store_(store) {}
  void append(std::span<const std::byte> bytes) override {
    store_.append(bytes);
    bytes_ += bytes.size();
  }
  std::uint64_t bytes_written() const override { return bytes_; }
  void sync() override {}
  void commit() override {}

 private:
  ScratchStore& store_;
  std::uint64_t bytes_ = 0;
};

ScratchStore::ScratchStore(const std::string& folder) {
  if (folder.empty()) return;
  try {
    file_ = std::make_unique<record::NamelessFile>(folder);
  } catch (const Error&) {
    // What writing there costs is not known then; whether it can be written in the pack itself tells.
  }
}

std::unique_ptr<WritableFile> ScratchStore::create(const std::string&) {
  return std::make_unique<ScratchFile>(*this);
}

std::unique_ptr<ReadableFile> ScratchStore::open_read(const std::string& path) { nothing_at(path); }

std::vector<ObjectInfo> ScratchStore::list(const std::string& folder) { nothing_at(folder); }

void ScratchStore::append(std::span<const std::byte> bytes) {
  cost_.appended += bytes.size();
  if (!file_ || cost_.written >= kMost) return;
  const ScratchCost synced = cost_;
  const Stopwatch watch;
  try {
    for (std::span<const std::byte> rest =
             bytes.first(std::min<std::size_t>(bytes.size(), kMost - cost_.written));
         !rest.empty();) {
      const std::span<const std::byte> piece = rest.first(std::min<std::size_t>(rest.size(), kRoom - at_));
      file_->write_at(at_, piece);
      at_ += piece.size();
      cost_.written += piece.size();
      rest = rest.subspan(piece.size());
      if (at_ == kRoom) sync();
      if (!file_) break;
    }
  } catch (const Error&) {
    file_.reset();  // a full disk: no pack fails here
  }
  cost_.wall_s += watch.wall_s() - (cost_.sync_wall_s - synced.sync_wall_s);
  cost_.cpu_s += watch.cpu_s() - (cost_.sync_cpu_s - synced.sync_cpu_s);
}

void ScratchStore::sync() {
  if (!file_ || at_ < kTells) return;
  const Stopwatch watch;
  try {
    file_->sync();
  } catch (const Error&) {
    file_.reset();
    return;
  }
  file_->clear();
  at_ = 0;
  cost_.sync_wall_s += watch.wall_s();
  cost_.sync_cpu_s += watch.cpu_s();
}

}  // namespace stoker::packing
