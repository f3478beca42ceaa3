// What is particular to local files; what every store must do is
// tests/conformance/store_conformance_test.cpp.
#include "store/local_store.hpp"

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <gmock/gmock.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "stoker/error.hpp"

#include "support/temp_dir.hpp"

namespace stoker::store {
namespace {

namespace fs = std::filesystem;
using test::TempDir;

std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

template <class Call>
Error error_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  return Error(ErrorCode::internal, {.found = "nothing was thrown"});
}

TEST(LocalStore, TemporaryFilesAreHiddenAndInTheSameFolder) {
  const TempDir folder;
  LocalStore store;
  const auto file = store.create(folder.path("x.rec"));
  file->append(bytes("abc"));
  const auto names = names_in(folder.path());
  ASSERT_EQ(names.size(), 1u);
  EXPECT_THAT(names[0], testing::StartsWith(".x.rec.stoker-"));
  EXPECT_THAT(names[0], testing::EndsWith(".tmp"));
}

// A process that begins to write `path` and is killed; the name of what it leaves.
std::string leave_temporary(const std::string& path) {
  const pid_t child = ::fork();
  EXPECT_GE(child, 0);
  if (child == 0) {
    LocalStore store;
    const auto file = store.create(path);
    file->append(bytes("half of it"));
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  for (const std::string& name : names_in(fs::path(path).parent_path()))
    if (name.find(".stoker-" + std::to_string(child) + "-") != std::string::npos) return name;
  ADD_FAILURE() << "nothing was left";
  return "";
}

TEST(LocalStore, KilledWriterLeavesNothingUnderTheFinalNameAndDoesNotBlockTheNext) {
  const TempDir folder;
  const std::string path = folder.path("x.rec");
  leave_temporary(path);
  const auto left = names_in(folder.path());
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0][0], '.');
  // A writer that gets the same process number must not trip over leftovers either: take the next names it
  // would use.
  for (int i = 0; i < 200; ++i)
    folder.write(".x.rec.stoker-" + std::to_string(::getpid()) + "-" + std::to_string(i) + ".tmp",
                 "left over");
  LocalStore store;
  const auto file = store.create(path);
  file->append(bytes("whole"));
  file->commit();
  EXPECT_EQ(test::read_file(path), "whole");
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"x.rec"}) << "what was left is gone";
}

TEST(LocalStore, OnlyLeftoversOfTheSameNameAndOfDeadProcessesAreRemoved) {
  const TempDir folder;
  const std::string of_dead = leave_temporary(folder.path("x.rec"));
  const std::string of_other = leave_temporary(folder.path("x.idx"));
  std::vector<std::string> stay = {of_other, ".x.rec.stoker-1-0.tmp", ".x.rec.stoker-0-0.tmp",
                                   ".x.rec.stoker-99999999-0.tmp.jpg", ".x.rec.stoker-word-0.tmp"};
  for (const std::string& name : stay)
    if (name != of_other) folder.write(name, "not for me");
  fs::create_directory(folder.path(".x.rec.stoker-99999998-0.tmp"));
  stay.emplace_back(".x.rec.stoker-99999998-0.tmp");
  LocalStore().create(folder.path("x.rec"))->commit();
  stay.emplace_back("x.rec");
  std::sort(stay.begin(), stay.end());
  EXPECT_EQ(names_in(folder.path()), stay) << of_dead;
}

TEST(LocalStore, LivingWritersKeepTheirFiles) {
  const TempDir folder;
  const std::string path = folder.path("x");
  const auto first = LocalStore().create(path);
  first->append(bytes("first"));
  const auto second = LocalStore().create(path);
  second->append(bytes("second"));
  // A number that is dead here may be alive in another container: the lock tells.
  const std::string foreign = folder.write(".x.stoker-99999999-0.tmp", "foreign");
  const int fd = ::open(foreign.c_str(), O_RDONLY);
  ASSERT_EQ(::flock(fd, LOCK_EX), 0);
  LocalStore().create(path)->commit();
  EXPECT_TRUE(fs::exists(foreign));
  ::close(fd);
  LocalStore().create(path)->commit();
  EXPECT_FALSE(fs::exists(foreign));
  first->commit();
  EXPECT_EQ(test::read_file(path), "first");
  second->commit();
  EXPECT_EQ(test::read_file(path), "second");
}

TEST(LocalStore, SyncShowsNothingAndCommitRenames) {
  const TempDir folder;
  const auto file = LocalStore().create(folder.path("x"));
  file->append(bytes("abc"));
  file->sync();
  EXPECT_FALSE(fs::exists(folder.path("x")));
  file->append(bytes("def"));
  file->sync();
  file->sync();
  file->commit();
  EXPECT_EQ(test::read_file(folder.path("x")), "abcdef");
  EXPECT_EQ(error_of([&] { file->sync(); }).code(), ErrorCode::internal);
}

TEST(LocalStore, NewFilesHaveTheUsersPermissions) {
  const TempDir folder;
  LocalStore store;
  const mode_t before = ::umask(027);
  store.create(folder.path("x"))->commit();
  ::umask(before);
  struct stat status{};
  ASSERT_EQ(::stat(folder.path("x").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST(LocalStore, VeryLongNamesAreWritten) {
  const TempDir folder;
  const std::string path = folder.path(std::string(255, 'n'));
  LocalStore().create(path)->commit();
  EXPECT_TRUE(fs::exists(path));
}

TEST(LocalStore, NamedPipeIsRefusedWithoutWaiting) {
  const TempDir folder;
  ASSERT_EQ(::mkfifo(folder.path("pipe").c_str(), 0600), 0);
  const Error error = error_of([&] { LocalStore().open_read(folder.path("pipe")); });
  EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
  EXPECT_THAT(error.what(), testing::HasSubstr("pipe"));
}

TEST(LocalStore, TooManyOpenFilesSaysSo) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP()
      << "UndefinedBehaviorSanitizer opens a pipe to look at an object's type, and has none left here";
#endif
  const TempDir folder;
  folder.write("x", "abc");
  struct rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const struct rlimit none{3, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const Error error = error_of([&] { LocalStore().open_read(folder.path("x")); });
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(error.code(), ErrorCode::out_of_resources);
  EXPECT_THAT(error.what(), testing::HasSubstr("ulimit -n"));
  EXPECT_THAT(error.what(), testing::HasSubstr(folder.path("x")));
}

TEST(LocalStore, FileTooLargeForItsLimitIsAnErrorAndLeavesNothing) {
  const TempDir folder;
  struct rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit small{4096, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const Error error = error_of([&] {
    const auto file = LocalStore().create(folder.path("x"));
    const std::string text(10'000, 'x');
    file->append(bytes(text));
  });
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_EQ(error.code(), ErrorCode::io);
  EXPECT_TRUE(names_in(folder.path()).empty());
}

TEST(LocalStore, NoPermissionNamesThePath) {
  const TempDir folder;
  ::chmod(folder.write("x", "abc").c_str(), 0);
  constexpr uid_t kNobody = 65534;  // root may read everything, so it puts its rights away for a moment
  const uid_t before = ::geteuid();
  if (before == 0) {
    ASSERT_EQ(::seteuid(kNobody), 0);
  }
  const Error error = error_of([&] { LocalStore().open_read(folder.path("x")); });
  if (before == 0) {
    ASSERT_EQ(::seteuid(before), 0);
  }
  EXPECT_EQ(error.code(), ErrorCode::io);
  EXPECT_THAT(error.what(), testing::HasSubstr("permissions"));
  EXPECT_THAT(error.what(), testing::HasSubstr(folder.path("x")));
}

TEST(LocalStore, LinksAreFollowedAndTheirFoldersKnownAgain) {
  const TempDir folder;
  folder.write("real/a.jpg", "abc");
  fs::create_directory_symlink(folder.path("real"), folder.path("link"));
  fs::create_symlink(folder.path("real/a.jpg"), folder.path("file"));
  fs::create_symlink(folder.path("nowhere"), folder.path("broken"));
  const auto listed = LocalStore().list(folder.path());
  ASSERT_EQ(listed.size(), 4u);
  EXPECT_EQ(listed[0].path, folder.path("broken"));  // listed, so that reading it says what is wrong
  EXPECT_FALSE(listed[0].is_folder);
  EXPECT_EQ(listed[1].bytes, 3u);
  EXPECT_TRUE(listed[2].is_folder);
  EXPECT_TRUE(listed[3].is_folder);
  EXPECT_NE(listed[2].folder_identity, 0u);
  EXPECT_EQ(listed[2].folder_identity, listed[3].folder_identity);
  EXPECT_EQ(error_of([&] { LocalStore().open_read(folder.path("broken")); }).code(), ErrorCode::not_found);
}

TEST(LocalStore, LinkToItselfIsAnErrorNotAHang) {
  const TempDir folder;
  fs::create_symlink("loop", folder.path("loop"));
  const Error error = error_of([&] { LocalStore().open_read(folder.path("loop")); });
  EXPECT_EQ(error.code(), ErrorCode::io);
  EXPECT_THAT(error.what(), testing::HasSubstr("link"));
}

TEST(LocalStore, NamesAreListedWithoutALookAtEach) {
  const TempDir folder;
  folder.write("a", "abc");
  folder.write("sub/b", "abc");
  const auto listed = LocalStore().list_names(folder.path());
  ASSERT_EQ(listed.size(), 2u);
  EXPECT_FALSE(listed[0].is_folder);
  EXPECT_TRUE(listed[1].is_folder);
  EXPECT_NE(listed[1].folder_identity, 0u);
}

TEST(LocalStore, ManyThreadsReadOneFile) {
  const TempDir folder;
  std::string text(1 << 20, '\0');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * 7 >> 3);
  folder.write("x", text);
  const auto file = LocalStore().open_read(folder.path("x"));
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::vector<std::byte> out(1000);
      for (std::uint64_t i = 0; i < 500; ++i) {
        const std::uint64_t offset =
            (i * 2087 + static_cast<std::uint64_t>(t) * 77'773) % (text.size() - out.size());
        file->prefetch(offset, out.size());
        if (file->read_at(offset, out) != out.size() ||
            std::memcmp(out.data(), text.data() + offset, out.size()) != 0)
          ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(LocalStore, FileThatIsCutAfterOpeningReadsShort) {
  const TempDir folder;
  folder.write("x", std::string(10'000, 'x'));
  const auto file = LocalStore().open_read(folder.path("x"));
  fs::resize_file(folder.path("x"), 100);
  std::vector<std::byte> out(10'000);
  EXPECT_EQ(file->read_at(0, out), 100u);
  EXPECT_EQ(file->read_at(5'000, out), 0u);
}

}  // namespace
}  // namespace stoker::store
