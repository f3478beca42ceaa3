#include "store/faulty_store.hpp"

#include <fmt/format.h>
#include <thread>

namespace stoker::store {

namespace {

using detail::FaultState;

// Counts a call, and throws if its turn to fail has come.
void count_and_fail(std::atomic<std::uint64_t>& counter, const FaultyCalls& faulty, const char* operation,
                    const std::string& path) {
  const std::uint64_t call = counter.fetch_add(1) + 1;
  if (faulty.hit(call))
    throw Error(
        faulty.code,
        {.operation = operation, .object = path, .found = fmt::format("injected fault at call {}", call)});
}

class FaultyFile final : public ReadableFile {
 public:
  FaultyFile(std::unique_ptr<ReadableFile> below, std::shared_ptr<FaultState> state)
      : below_(std::move(below)), state_(std::move(state)) {}

  std::size_t read_at(std::uint64_t offset, std::span<std::byte> out) const override {
    const Faults& faults = state_->faults;
    if (faults.read_delay.count() > 0) std::this_thread::sleep_for(faults.read_delay);
    const std::uint64_t call = state_->calls.reads.fetch_add(1) + 1;
    if (faults.reads.hit(call))
      throw Error(faults.reads.code, {.operation = "read",
                                      .object = fmt::format("{} at offset {}", path(), offset),
                                      .found = fmt::format("injected fault at call {}", call)});
    if (faults.short_reads.hit(call)) out = out.first(out.size() / 2);
    const std::size_t got = below_->read_at(offset, out);
    state_->calls.bytes_read += got;
    return got;
  }
  std::uint64_t bytes() const override { return below_->bytes(); }
  const std::string& path() const override { return below_->path(); }
  void prefetch(std::uint64_t offset, std::uint64_t bytes) const override { below_->prefetch(offset, bytes); }

 private:
  std::unique_ptr<ReadableFile> below_;
  std::shared_ptr<FaultState> state_;
};

class FaultyWriter final : public WritableFile {
 public:
  FaultyWriter(std::unique_ptr<WritableFile> below, std::shared_ptr<FaultState> state, std::string path)
      : below_(std::move(below)), state_(std::move(state)), path_(std::move(path)) {}

  void append(std::span<const std::byte> bytes) override {
    const Faults& faults = state_->faults;
    CallCounts& calls = state_->calls;
    const std::uint64_t call = calls.appends.fetch_add(1) + 1;
    if (faults.appends.hit(call)) throw fault(faults.appends.code, call);
    if (faults.torn_appends.hit(call)) {
      below_->append(bytes.first(bytes.size() / 2));
      throw fault(faults.torn_appends.code, call);
    }
    if (calls.bytes_appended.fetch_add(bytes.size()) + bytes.size() > faults.space_bytes)
      throw Error(ErrorCode::out_of_resources,
                  {.operation = "write", .object = path_, .found = "No space left on device (injected)"});
    below_->append(bytes);
  }
  std::uint64_t bytes_written() const override { return below_->bytes_written(); }
  void sync() override {
    count_and_fail(state_->calls.syncs, state_->faults.syncs, "make durable", path_);
    below_->sync();
  }
  void commit() override {
    count_and_fail(state_->calls.commits, state_->faults.commits, "move into place", path_);
    below_->commit();
  }

 private:
  Error fault(ErrorCode code, std::uint64_t call) const {
    return Error(
        code,
        {.operation = "write", .object = path_, .found = fmt::format("injected fault at call {}", call)});
  }

  std::unique_ptr<WritableFile> below_;
  std::shared_ptr<FaultState> state_;
  const std::string path_;
};

}  // namespace

FaultyStore::FaultyStore(std::shared_ptr<Store> below, Faults faults)
    : below_(std::move(below)), state_(std::make_shared<FaultState>()) {
  state_->faults = faults;
}

std::unique_ptr<ReadableFile> FaultyStore::open_read(const std::string& path) {
  count_and_fail(state_->calls.opens, state_->faults.opens, "open", path);
  return std::make_unique<FaultyFile>(below_->open_read(path), state_);
}

std::optional<ObjectInfo> FaultyStore::info(const std::string& path) { return below_->info(path); }

std::vector<ObjectInfo> FaultyStore::list(const std::string& folder) {
  count_and_fail(state_->calls.lists, state_->faults.lists, "list folder", folder);
  return below_->list(folder);
}

std::vector<ObjectInfo> FaultyStore::list_names(const std::string& folder) {
  count_and_fail(state_->calls.lists, state_->faults.lists, "list folder", folder);
  return below_->list_names(folder);
}

std::unique_ptr<WritableFile> FaultyStore::create(const std::string& path) {
  count_and_fail(state_->calls.creates, state_->faults.creates, "create", path);
  return std::make_unique<FaultyWriter>(below_->create(path), state_, path);
}

void FaultyStore::remove(const std::string& path) {
  ++state_->calls.removes;
  below_->remove(path);
}

void FaultyStore::rename(const std::string& from, const std::string& to) {
  count_and_fail(state_->calls.renames, state_->faults.renames, "move into place", to);
  below_->rename(from, to);
}

}  // namespace stoker::store
