#include "store/faulty_store.hpp"

#include <filesystem>
#include <gtest/gtest.h>

#include "store/local_store.hpp"
#include "support/temp_dir.hpp"

namespace stoker::store {
namespace {

using test::TempDir;

std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

FaultyStore faulty(Faults faults) { return FaultyStore(std::make_shared<LocalStore>(), faults); }

template <class Call>
ErrorCode code_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode::internal;
}

TEST(FaultyStore, FailsTheReadsThatItWasToldTo) {
  const TempDir folder;
  folder.write("x", "0123456789");
  FaultyStore store = faulty({.reads = {.first = 2, .count = 2, .code = ErrorCode::unavailable}});
  const auto file = store.open_read(folder.path("x"));
  std::byte out[10];
  EXPECT_EQ(file->read_at(0, out), 10u);
  EXPECT_EQ(code_of([&] { file->read_at(0, out); }), ErrorCode::unavailable);
  EXPECT_EQ(code_of([&] { file->read_at(0, out); }), ErrorCode::unavailable);
  EXPECT_EQ(file->read_at(0, out), 10u);
  EXPECT_EQ(store.calls().reads, 4u);
  EXPECT_EQ(store.calls().bytes_read, 20u);
}

TEST(FaultyStore, FailsForEver) {
  const TempDir folder;
  folder.write("x", "0123456789");
  FaultyStore store = faulty({.opens = {.first = 1, .count = kForever}});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(code_of([&] { store.open_read(folder.path("x")); }), ErrorCode::io);
}

TEST(FaultyStore, CutsAReadInHalf) {
  const TempDir folder;
  folder.write("x", "0123456789");
  FaultyStore store = faulty({.short_reads = {.first = 1}});
  const auto file = store.open_read(folder.path("x"));
  std::byte out[10];
  EXPECT_EQ(file->read_at(0, out), 5u);
  EXPECT_EQ(file->read_at(0, out), 10u);
}

TEST(FaultyStore, ReadsSlowly) {
  const TempDir folder;
  folder.write("x", "0123456789");
  FaultyStore store = faulty({.read_delay = std::chrono::milliseconds(20)});
  const auto file = store.open_read(folder.path("x"));
  std::byte out[1];
  const auto begin = std::chrono::steady_clock::now();
  file->read_at(0, out);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(20));
}

TEST(FaultyStore, RunsOutOfSpace) {
  const TempDir folder;
  FaultyStore store = faulty({.space_bytes = 10});
  {
    const auto file = store.create(folder.path("x"));
    file->append(bytes("0123456"));
    EXPECT_EQ(code_of([&] { file->append(bytes("7890")); }), ErrorCode::out_of_resources);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(FaultyStore, TornWriteAndFailedCommitLeaveNothing) {
  const TempDir folder;
  FaultyStore store = faulty({.torn_appends = {.first = 1}, .commits = {.first = 1}});
  {
    const auto torn = store.create(folder.path("torn"));
    EXPECT_EQ(code_of([&] { torn->append(bytes("0123456789")); }), ErrorCode::io);
    EXPECT_EQ(torn->bytes_written(), 5u);
    const auto unsynced = store.create(folder.path("unsynced"));
    unsynced->append(bytes("0123456789"));
    EXPECT_EQ(code_of([&] { unsynced->commit(); }), ErrorCode::io);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(FaultyStore, AFailedSyncIsNotACommit) {
  const TempDir folder;
  FaultyStore store = faulty({.syncs = {.first = 1, .code = ErrorCode::out_of_resources}});
  {
    const auto file = store.create(folder.path("x"));
    file->append(bytes("0123456789"));
    EXPECT_EQ(code_of([&] { file->sync(); }), ErrorCode::out_of_resources);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  const auto file = store.create(folder.path("x"));
  file->sync();
  file->commit();
  EXPECT_EQ(store.calls().syncs, 2u);
  EXPECT_EQ(store.calls().commits, 1u);
  EXPECT_TRUE(std::filesystem::exists(folder.path("x")));
}

TEST(FaultyStore, FailsListsCreatesAndAppends) {
  const TempDir folder;
  FaultyStore store =
      faulty({.lists = {.first = 1, .count = 2}, .creates = {.first = 1}, .appends = {.first = 1}});
  EXPECT_EQ(code_of([&] { store.list(folder.path()); }), ErrorCode::io);
  EXPECT_EQ(code_of([&] { store.list_names(folder.path()); }), ErrorCode::io);
  EXPECT_TRUE(store.list(folder.path()).empty());
  EXPECT_EQ(code_of([&] { store.create(folder.path("x")); }), ErrorCode::io);
  const auto file = store.create(folder.path("x"));
  EXPECT_EQ(code_of([&] { file->append(bytes("abc")); }), ErrorCode::io);
  EXPECT_EQ(file->bytes_written(), 0u);
}

}  // namespace
}  // namespace stoker::store
