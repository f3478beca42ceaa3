#include "base/transfer.hpp"

#include <cstring>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "base/descriptor.hpp"
#include "base/os_error.hpp"

namespace stoker {
namespace {

// A pread over `text` whose calls do as the script says: a count to move at most, or a negative errno.
struct ScriptedRead {
  std::string_view text;
  std::vector<int> script;
  std::size_t calls = 0;

  ssize_t operator()(std::byte* to, std::size_t count, std::uint64_t offset) {
    const int step = calls < script.size() ? script[calls] : static_cast<int>(count);
    ++calls;
    if (step < 0) {
      errno = -step;
      return -1;
    }
    const std::size_t left = offset < text.size() ? text.size() - offset : 0;
    const std::size_t moved = std::min({static_cast<std::size_t>(step), count, left});
    std::memcpy(to, text.data() + offset, moved);
    return static_cast<ssize_t>(moved);
  }
};

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(Transfer, ReadsOnAfterShortReadsAndInterruptions) {
  ScriptedRead read{"0123456789", {3, -EINTR, 1, -EINTR, -EINTR, 2}};
  std::byte out[8];
  const Transfer done = read_full(read, out, 1);
  EXPECT_EQ(done.bytes, 8u);
  EXPECT_EQ(done.error_number, 0);
  EXPECT_EQ(text_of(out), "12345678");
}

TEST(Transfer, ReadIsShortOnlyAtTheEnd) {
  ScriptedRead read{"0123456789", {2}};
  std::byte out[100];
  EXPECT_EQ(read_full(read, out, 4).bytes, 6u);
  EXPECT_EQ(text_of(std::span(out).first(6)), "456789");
  EXPECT_EQ(read_full(ScriptedRead{"0123456789", {}}, out, 10).bytes, 0u);
  EXPECT_EQ(read_full(ScriptedRead{"0123456789", {}}, out, 1'000).bytes, 0u);
}

TEST(Transfer, ReadStopsAtAnError) {
  std::byte out[8];
  const Transfer done = read_full(ScriptedRead{"0123456789", {3, -EIO}}, out, 0);
  EXPECT_EQ(done.bytes, 3u);
  EXPECT_EQ(done.error_number, EIO);
}

TEST(Transfer, WritesOnAfterShortWritesAndInterruptions) {
  std::string written;
  int call = 0;
  const auto write = [&](const std::byte* from, std::size_t count) -> ssize_t {
    if (++call % 2 == 1) {
      errno = EINTR;
      return -1;
    }
    const std::size_t moved = std::min<std::size_t>(count, 3);
    written.append(reinterpret_cast<const char*>(from), moved);
    return static_cast<ssize_t>(moved);
  };
  const std::string_view text = "0123456789";
  EXPECT_EQ(write_full(write, std::as_bytes(std::span(text))).bytes, 10u);
  EXPECT_EQ(written, text);
}

TEST(Transfer, WriteOfNothingForEverIsNoSpace) {
  const auto write = [](const std::byte*, std::size_t) -> ssize_t { return 0; };
  const std::string_view text = "0123456789";
  EXPECT_EQ(write_full(write, std::as_bytes(std::span(text))).error_number, ENOSPC);
}

TEST(Transfer, FullDeviceIsOutOfResources) {
  const Descriptor full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  if (!full) GTEST_SKIP() << "no /dev/full";
  const auto write = [&](const std::byte* from, std::size_t count) {
    return ::write(full.get(), from, count);
  };
  const std::string_view text = "0123456789";
  const Transfer done = write_full(write, std::as_bytes(std::span(text)));
  const Error error = os_error("write", "/mnt/x.rec", done.error_number);
  EXPECT_EQ(error.code(), ErrorCode::out_of_resources);
  EXPECT_STREQ(
      error.what(),
      "write /mnt/x.rec: No space left on device; free space on this file system, or write elsewhere");
}

TEST(OsError, CodesTellWhatCanBeDone) {
  EXPECT_EQ(code_of_errno(ENOENT), ErrorCode::not_found);
  EXPECT_EQ(code_of_errno(ENOTDIR), ErrorCode::not_found);
  EXPECT_EQ(code_of_errno(EDQUOT), ErrorCode::out_of_resources);
  EXPECT_EQ(code_of_errno(EMFILE), ErrorCode::out_of_resources);
  EXPECT_EQ(code_of_errno(ESTALE), ErrorCode::unavailable);
  EXPECT_EQ(code_of_errno(EACCES), ErrorCode::io);
  EXPECT_EQ(code_of_errno(EIO), ErrorCode::io);
  EXPECT_NE(std::string_view(os_error("open", "a", EACCES).what()).find("permissions"),
            std::string_view::npos);
  EXPECT_NE(std::string_view(os_error("open", "a", EMFILE).what()).find("ulimit -n"), std::string_view::npos);
}

TEST(Descriptor, ClosesOnceAndMoves) {
  int pipe_ends[2];
  ASSERT_EQ(::pipe(pipe_ends), 0);
  Descriptor read_end(pipe_ends[0]);
  {
    Descriptor write_end(pipe_ends[1]);
    Descriptor moved(std::move(write_end));
    EXPECT_FALSE(write_end);
    EXPECT_EQ(moved.close(), 0);
    EXPECT_EQ(moved.close(), 0);  // nothing left to close
  }
  char c;
  EXPECT_EQ(::read(read_end.get(), &c, 1), 0);  // the write end is closed
}

}  // namespace
}  // namespace stoker
