#include "pack/precompute.hpp"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <thread>

#include "stoker/error.hpp"

#include "array/npy.hpp"
#include "pack/precompute_command.hpp"
#include "support/temp_dir.hpp"

namespace stoker::packing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

// What run() gives: the new bytes, or "failed: " and the message.
std::string told(Precompute& precompute, std::string_view in, std::string_view key = "a/b") {
  const auto made = precompute.run(key, bytes_of(in));
  if (!made) return std::string("failed: ") + made.error().what();
  return {reinterpret_cast<const char*>(made->data()), made->size()};
}

std::unique_ptr<Precompute> command(const std::string& text, std::chrono::nanoseconds timeout = 30s,
                                    const std::atomic<bool>* cancel = nullptr) {
  return make_precompute({.command = text, .timeout = timeout, .cancel = cancel});
}

// A command in Python that makes `answer(data)` of each sample.
std::string python(const test::TempDir& dir, const std::string& answer) {
  return "exec python3 " + dir.write("command.py", R"(import os, signal, struct, sys, time
count = 0
def send(data):
    sys.stdout.buffer.write(struct.pack('<I', len(data)) + data)
def refuse(reason):
    sys.stdout.buffer.write(struct.pack('<II', 0xFFFFFFFF, len(reason)) + reason)
def answer(data):
)" + answer + R"(
while True:
    head = sys.stdin.buffer.read(4)
    if not head: break
    count += 1
    answer(sys.stdin.buffer.read(struct.unpack('<I', head)[0]))
    sys.stdout.buffer.flush()
)");
}

void expect_no_children() {
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(Precompute, IsNothingWhereNothingIsAskedFor) {
  EXPECT_EQ(make_precompute({}), nullptr);
  EXPECT_EQ(canonical_text({}), "");
  EXPECT_THROW(make_precompute({.steps = "mel(rate=256)", .command = "cat"}), Error);
  EXPECT_THROW(make_precompute({.steps = "melt"}), Error);
  EXPECT_EQ(canonical_text({.command = "cat"}), "cat");
}

TEST(Precompute, StepsMakeAnArrayOfAnArray) {
  std::vector<std::byte> file;
  const std::vector<float> numbers{0, 1, 2, 3};
  array::write_npy({1, 4}, numbers, array::StoredType::float32, file);
  const auto steps = make_precompute({.steps = "resize(length=2)"});
  const auto made = steps->run("key", file);
  ASSERT_TRUE(made) << made.error().what();
  const auto array = array::read_npy(*made);
  ASSERT_TRUE(array) << array.error().what();
  EXPECT_EQ(array->shape, (array::Shape{1, 2}));
  std::vector<float> got(2);
  array::copy_floats(*array, got);
  EXPECT_EQ(got, (std::vector<float>{0.5F, 2.5F}));
  EXPECT_THAT(told(*steps, "no array"), HasSubstr("failed: read .npy"));
}

TEST(PrecomputeCommand, CatIsTheCommandThatChangesNothing) {
  const auto cat = command("cat");
  EXPECT_EQ(told(*cat, "one"), "one");
  EXPECT_EQ(told(*cat, ""), "");
  const std::string large(3'000'000, 'x');  // far beyond what pipes hold
  EXPECT_EQ(told(*cat, large), large);
  EXPECT_EQ(told(*cat, "two"), "two");
}

TEST(PrecomputeCommand, OneProcessServesManySamples) {
  const test::TempDir dir;
  const auto numbered = command(python(dir, "    send(str(count).encode() + b':' + data)"));
  EXPECT_EQ(told(*numbered, "a"), "1:a");
  EXPECT_EQ(told(*numbered, "bb"), "2:bb");
  EXPECT_EQ(told(*numbered, "ccc"), "3:ccc");
}

TEST(PrecomputeCommand, AReasonFailsOneSampleAndTheProcessGoesOn) {
  const test::TempDir dir;
  const auto picky = command(python(dir, R"(    if data == b'bad': refuse(b'too short')
    else: send(str(count).encode()))"));
  EXPECT_EQ(told(*picky, "good"), "1");
  EXPECT_THAT(told(*picky, "bad"), HasSubstr("failed: precompute: the command says: too short"));
  EXPECT_EQ(told(*picky, "good"), "3");
}

TEST(PrecomputeCommand, ACrashNamesTheSampleAndTheNextOneGetsANewProcess) {
  const test::TempDir dir;
  const auto frail = command(python(dir, R"(    if data == b'bad':
        sys.stderr.write('first line\nthe library said no\n')
        sys.stderr.flush()
        os.kill(os.getpid(), signal.SIGSEGV)
    send(str(count).encode()))"));
  EXPECT_EQ(told(*frail, "good"), "1");
  const std::string crash = told(*frail, "bad", "dir/some.npy");
  EXPECT_THAT(crash, HasSubstr("dir/some.npy"));
  EXPECT_THAT(crash, HasSubstr("ended by signal 11"));
  EXPECT_THAT(crash, HasSubstr("first line | the library said no"));
  EXPECT_EQ(told(*frail, "good"), "1") << "a process that has seen one sample";
}

TEST(PrecomputeCommand, AHangIsEndedAfterItsTime) {
  const test::TempDir dir;
  const auto slow = command(python(dir, R"(    if data == b'bad': time.sleep(1000)
    send(b'done'))"),
                            3s);
  EXPECT_EQ(told(*slow, "good"), "done");
  EXPECT_THAT(told(*slow, "bad", "slow.npy"), HasSubstr("slow.npy: no answer in 3"));
  EXPECT_EQ(told(*slow, "good"), "done");
}

TEST(PrecomputeCommand, TextOnStandardOutputIsToldAsSuch) {
  const auto chatty = command("echo Loading the model; cat");
  EXPECT_THAT(told(*chatty, "a"), HasSubstr("'Load' as text: does it print on its standard output?"));
}

TEST(PrecomputeCommand, AProcessMayLeaveBetweenSamples) {
  const test::TempDir dir;
  const auto once = command(python(dir, R"(    send(str(count).encode())
    sys.stdout.buffer.flush()
    os._exit(0))"));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(told(*once, "a"), "1");
    std::this_thread::sleep_for(300ms);  // its end is seen
  }
}

TEST(PrecomputeCommand, StandardErrorDoesNotFillUp) {
  const test::TempDir dir;
  const auto loud =
      command(python(dir, "    sys.stderr.write('x' * 500000 + '\\n'); sys.stderr.flush(); send(data)"));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(told(*loud, "a"), "a");
}

TEST(PrecomputeCommand, AnUnknownCommandIsNoSamplesFault) {
  try {
    told(*command("stoker-no-such-command --option"), "a");
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_THAT(error.what(), HasSubstr("stoker-no-such-command"));
    EXPECT_THAT(error.what(), HasSubstr("not found"));
  }
}

TEST(PrecomputeCommand, OneThatOnlyEverDiesIsGivenUp) {
  const auto dead = command("echo no licence >&2; exit 1");
  for (int i = 0; i < 9; ++i) EXPECT_THAT(told(*dead, "a"), HasSubstr("ended with status 1"));
  try {
    told(*dead, "a");
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("no answer to the first 10 samples"));
    EXPECT_THAT(error.what(), HasSubstr("no licence"));
  }
}

TEST(PrecomputeCommand, CancellingLeavesNothingBehind) {
  std::atomic<bool> cancel = false;
  {
    const auto stuck = command("sleep 1000", 1000s, &cancel);
    std::thread later([&] {
      std::this_thread::sleep_for(100ms);
      cancel = true;
    });
    try {
      told(*stuck, "a");
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::cancelled);
    }
    later.join();
    expect_no_children();
  }
  const auto cat = command("cat");
  EXPECT_EQ(told(*cat, "a"), "a");
}

TEST(PrecomputeCommand, ItsEndIsTheProcessesEnd) {
  {
    const auto cat = command("cat");
    EXPECT_EQ(told(*cat, "a"), "a");
  }
  expect_no_children();
}

// A size is believed as far as bytes follow.
TEST(PrecomputeCommand, ALargeSizeWaitsForItsBytes) {
  const auto liar = command("printf '\\000\\000\\000\\100abc'");  // 1 GiB, three bytes, the end
  EXPECT_THAT(told(*liar, "a"), HasSubstr("ended with status 0 before it answered"));
}

TEST(PrecomputeCommand, SaysNoMoreAndNoLessThanAnAnswer) {
  const test::TempDir dir;
  const auto nothing = command(python(dir, "    send(b'')"));
  EXPECT_THAT(told(*nothing, "x"), HasSubstr("answers with no bytes"));
  const auto more = command(python(dir, "    os.write(1, struct.pack('<I', 1) + b'abc')"));
  EXPECT_THAT(told(*more, "x"), HasSubstr("more than its answer of 1 bytes"));
  EXPECT_THAT(told(*more, "y"), HasSubstr("more than its answer of 1 bytes")) << "of a new process";
  for (const char* babbler : {"yes", "cat /dev/zero"}) {
    const auto babbling = command(babbler);
    EXPECT_THAT(told(*babbling, "x"), HasSubstr("failed: ")) << babbler;
  }
}

}  // namespace
}  // namespace stoker::packing
