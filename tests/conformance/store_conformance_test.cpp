// What every store must do, whatever lies behind it.
#include <functional>
#include <gmock/gmock.h>

#include "stoker/error.hpp"
#include "stoker/store.hpp"

#include "store/faulty_store.hpp"
#include "support/temp_dir.hpp"

namespace stoker {
namespace {

// A store and a place in it that is empty.
struct StoreKind {
  const char* name;
  std::function<std::shared_ptr<Store>()> open;
  std::function<std::string(const test::TempDir&)> root;
};

std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

class StoreConformance : public testing::TestWithParam<StoreKind> {
 protected:
  std::string path(const std::string& relative) const { return GetParam().root(folder_) + "/" + relative; }
  void put(const std::string& relative, std::string_view text) {
    const auto file = store_->create(path(relative));
    file->append(bytes(text));
    file->commit();
  }
  std::string get(const std::string& relative) {
    const auto file = store_->open_read(path(relative));
    std::string text(file->bytes(), '\0');
    text.resize(file->read_at(0, std::as_writable_bytes(std::span(text))));
    return text;
  }
  ErrorCode code_of(const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(folder_.path())) << "the object is not named";
      return error.code();
    }
    ADD_FAILURE() << "nothing was thrown";
    return ErrorCode::internal;
  }

  test::TempDir folder_;
  std::shared_ptr<Store> store_ = GetParam().open();
};

TEST_P(StoreConformance, WhatIsWrittenIsRead) {
  const auto file = store_->create(path("x"));
  file->append(bytes("0123"));
  file->append({});
  file->append(bytes("456789"));
  EXPECT_EQ(file->bytes_written(), 10u);
  file->commit();
  EXPECT_EQ(get("x"), "0123456789");
}

TEST_P(StoreConformance, LargeObjectsAreWhole) {
  std::string text(5 << 20, '\0');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * 2654435761u >> 13);
  put("large", text);
  EXPECT_TRUE(get("large") == text);
}

TEST_P(StoreConformance, ReadsRangesAndIsShortOnlyAtTheEnd) {
  put("x", "0123456789");
  const auto file = store_->open_read(path("x"));
  EXPECT_EQ(file->bytes(), 10u);
  std::string out(4, '\0');
  const auto read = [&](std::uint64_t offset) {
    return file->read_at(offset, std::as_writable_bytes(std::span(out)));
  };
  EXPECT_EQ(read(3), 4u);
  EXPECT_EQ(out, "3456");
  EXPECT_EQ(read(8), 2u);
  EXPECT_EQ(out.substr(0, 2), "89");
  EXPECT_EQ(read(10), 0u);
  EXPECT_EQ(read(1'000'000), 0u);
  EXPECT_EQ(read(~std::uint64_t{0}), 0u);
  EXPECT_EQ(file->read_at(2, {}), 0u);
}

TEST_P(StoreConformance, PrefetchNeverFails) {
  put("x", "0123456789");
  const auto file = store_->open_read(path("x"));
  file->prefetch(0, 10);
  file->prefetch(5, 1'000'000);
  file->prefetch(~std::uint64_t{0}, ~std::uint64_t{0});
  EXPECT_EQ(get("x"), "0123456789");
}

TEST_P(StoreConformance, EmptyObjects) {
  store_->create(path("empty"))->commit();
  EXPECT_EQ(get("empty"), "");
  EXPECT_EQ(store_->info(path("empty"))->bytes, 0u);
}

TEST_P(StoreConformance, NothingIsVisibleBeforeCommit) {
  put("x", "old");
  const auto file = store_->create(path("x"));
  file->append(bytes("new"));
  EXPECT_EQ(get("x"), "old");
  const auto other = store_->create(path("y"));
  other->append(bytes("new"));
  EXPECT_FALSE(store_->info(path("y")));
  file->commit();
  EXPECT_EQ(get("x"), "new");
}

TEST_P(StoreConformance, DroppedWritesLeaveNothing) {
  put("folder/x", "old");
  {
    const auto file = store_->create(path("folder/x"));
    file->append(bytes("new"));
    store_->create(path("folder/y"))->append(bytes("new"));
  }
  EXPECT_EQ(get("folder/x"), "old");
  EXPECT_EQ(store_->list(path("folder")).size(), 1u);
}

TEST_P(StoreConformance, TwoWritersOfOneNameDoNotMix) {
  const auto first = store_->create(path("x"));
  const auto second = store_->create(path("x"));
  first->append(bytes("first"));
  second->append(bytes("second"));
  second->commit();
  first->commit();
  EXPECT_EQ(get("x"), "first");
}

TEST_P(StoreConformance, AnOpenObjectKeepsItsBytesWhenItIsReplaced) {
  put("x", "old");
  const auto file = store_->open_read(path("x"));
  put("x", "newer");
  std::string out(3, '\0');
  EXPECT_EQ(file->read_at(0, std::as_writable_bytes(std::span(out))), 3u);
  EXPECT_EQ(out, "old");
}

TEST_P(StoreConformance, MissingFoldersAreMade) {
  put("a/b/c/x", "0123");
  EXPECT_EQ(get("a/b/c/x"), "0123");
  EXPECT_TRUE(store_->info(path("a/b"))->is_folder);
}

TEST_P(StoreConformance, ListsDirectChildrenSortedByBytes) {
  for (const char* name : {"s/b", "s/B", "s/a10", "s/a9", "s/a/deep", "s/\xC3\xA9", "s/a-b"})
    put(name, "0123");
  const std::vector<std::string> sorted = {"B", "a", "a-b", "a10", "a9", "b", "\xC3\xA9"};
  const auto listed = store_->list(path("s"));
  const auto names = store_->list_names(path("s"));
  ASSERT_EQ(listed.size(), sorted.size());
  ASSERT_EQ(names.size(), sorted.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    EXPECT_THAT(listed[i].path, testing::EndsWith("/s/" + sorted[i]));
    EXPECT_EQ(names[i].path, listed[i].path);
    EXPECT_EQ(listed[i].is_folder, sorted[i] == "a");
    EXPECT_EQ(names[i].is_folder, listed[i].is_folder);
    EXPECT_EQ(listed[i].bytes, listed[i].is_folder ? 0u : 4u);
  }
  EXPECT_EQ(store_->list(path("s/")).size(), sorted.size());
}

TEST_P(StoreConformance, InfoTellsWhatIsThere) {
  put("f/x", "0123");
  EXPECT_FALSE(store_->info(path("absent")));
  EXPECT_FALSE(store_->info(path("f/x/below-a-file")));
  EXPECT_FALSE(store_->info(path("f/x"))->is_folder);
  EXPECT_EQ(store_->info(path("f/x"))->bytes, 4u);
  EXPECT_TRUE(store_->info(path("f"))->is_folder);
}

TEST_P(StoreConformance, WhatIsAbsentIsNotFound) {
  EXPECT_EQ(code_of([&] { store_->open_read(path("absent")); }), ErrorCode::not_found);
  EXPECT_EQ(code_of([&] { store_->list(path("absent")); }), ErrorCode::not_found);
  EXPECT_EQ(code_of([&] { store_->list_names(path("absent")); }), ErrorCode::not_found);
}

TEST_P(StoreConformance, FoldersAreNoObjects) {
  put("f/x", "0123");
  EXPECT_EQ(code_of([&] { store_->open_read(path("f")); }), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of([&] { store_->create(path("f")); }), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of([&] { store_->list(path("f/x")); }), ErrorCode::not_found);
  code_of([&] { store_->create(path("f/x/below-a-file")); });
}

TEST_P(StoreConformance, RemovesAndMayRemoveAgain) {
  put("x", "0123");
  store_->remove(path("x"));
  EXPECT_FALSE(store_->info(path("x")));
  store_->remove(path("x"));
  store_->remove(path("no/such/folder"));
}

TEST_P(StoreConformance, MisuseOfAWriterIsAnError) {
  const auto file = store_->create(path("x"));
  file->append(bytes("0123"));
  file->commit();
  EXPECT_EQ(code_of([&] { file->append(bytes("more")); }), ErrorCode::internal);
  EXPECT_EQ(code_of([&] { file->commit(); }), ErrorCode::internal);
  EXPECT_EQ(get("x"), "0123");
}

std::string plain(const test::TempDir& folder) { return folder.path(); }
std::string file_url(const test::TempDir& folder) { return "file://" + folder.path(); }
std::shared_ptr<Store> open_local() { return open_store("."); }
std::shared_ptr<Store> open_faulty() { return std::make_shared<store::FaultyStore>(open_store(".")); }

INSTANTIATE_TEST_SUITE_P(All, StoreConformance,
                         testing::Values(StoreKind{"Local", open_local, plain},
                                         StoreKind{"FileUrl", open_local, file_url},
                                         StoreKind{"FaultyWithoutFaults", open_faulty, plain}),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace stoker
