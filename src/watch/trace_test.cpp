// Traces of files, good and bad, and their recording.
#include <csignal>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stoker/error.hpp"
#include "stoker/watch.hpp"

#include "base/philox.hpp"
#include "support/temp_dir.hpp"
#include "watch/logs/log_samples.hpp"
#include "watch/logs/readers.hpp"

namespace stoker {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// The error that reading throws.
Error error_of(const std::string& path) {
  try {
    read_trace(path);
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << path << " was read";
  return Error(ErrorCode::internal, {});
}

Error error_of_text(std::string_view text) {
  const test::TempDir dir;
  return error_of(dir.write("x.log", text));
}

std::string why_not(const Trace& trace, std::string_view what) {
  for (const NotSeen& one : trace.not_seen)
    if (one.what == what) return one.why;
  return "";
}

Snapshot snapshot_at(double time) {
  Snapshot snapshot;
  snapshot.time_s = time;
  snapshot.gpus.push_back({.index = 1, .util_percent = 40.0});
  return snapshot;
}

// ---- Recording
// -----------------------------------------------------------------------------------------------

TEST(TraceWriter, WhatIsRecordedIsReadBack) {
  const test::TempDir dir;
  const std::string path = dir.path("a.trace");
  {
    TraceWriter writer(path, 4711);
    writer.append(snapshot_at(1));
    // Visible at once, to a reader that follows.
    EXPECT_EQ(read_trace(path).snapshots.size(), 1u);
    writer.append(snapshot_at(2));
    writer.append(ProbeSeen{.decode_ms = 4.5});
  }
  const Trace trace = read_trace(path);
  EXPECT_EQ(trace.kind, "stoker");
  EXPECT_EQ(trace.source, path);
  EXPECT_EQ(trace.pid, 4711);
  EXPECT_EQ(trace.snapshots, (std::vector<Snapshot>{snapshot_at(1), snapshot_at(2)}));
  EXPECT_EQ(trace.probe->decode_ms, 4.5);
  EXPECT_TRUE(trace.not_seen.empty());
}

TEST(TraceWriter, AFileThatHoldsSomethingIsLeftAlone) {
  const test::TempDir dir;
  const std::string path = dir.write("train.log", "epoch 1\n");
  try {
    const TraceWriter writer(path, 0);
    FAIL() << "it was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_THAT(error.what(), HasSubstr(path));
  }
  EXPECT_EQ(test::read_file(path), "epoch 1\n");
}

TEST(TraceWriter, AFolderThatIsNotThereIsSaid) {
  const test::TempDir dir;
  try {
    const TraceWriter writer(dir.path("none/a.trace"), 0);
    FAIL() << "it was made";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_found);
  }
}

TEST(TraceWriter, AFullDiskIsSaid) {
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "there is no /dev/full";
  try {
    const TraceWriter writer("/dev/full", 0);
    FAIL() << "it was written";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_resources);
    EXPECT_THAT(error.what(), HasSubstr("/dev/full"));
    EXPECT_FALSE(error.parts().next_step.empty());
  }
}

// A limit on the file's size cuts a write in the middle, as a disk that fills up does.
TEST(TraceWriter, ALineThatDidNotFitIsTakenBack) {
  const test::TempDir dir;
  const std::string path = dir.path("a.trace");
  TraceWriter writer(path, 0);
  writer.append(snapshot_at(1));
  const std::string before = test::read_file(path);
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{before.size() + 10, old.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_THROW(writer.append(snapshot_at(2)), Error);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old), 0);
  EXPECT_EQ(test::read_file(path), before);
  writer.append(snapshot_at(3));
  EXPECT_EQ(read_trace(path).snapshots.size(), 2u);
}

// ---- Own traces
// ----------------------------------------------------------------------------------------------

std::string own_lines(std::initializer_list<std::string> lines) {
  std::string text = watch::head_line(7) + "\n";
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

Trace read_own(const std::string& text) {
  const test::TempDir dir;
  return read_trace(dir.write("a.trace", text));
}

TEST(OwnTrace, ACutLastLineIsLeftOutAndSaid) {
  const std::string whole = own_lines({watch::to_line(snapshot_at(1)), watch::to_line(snapshot_at(2))});
  const Trace trace = read_own(whole.substr(0, whole.size() - 1));
  EXPECT_EQ(trace.snapshots.size(), 1u);
  EXPECT_THAT(why_not(trace, "the last line"), HasSubstr("cut"));
}

TEST(OwnTrace, ADamagedLineIsLeftOutAndSaid) {
  const Trace trace =
      read_own(own_lines({watch::to_line(snapshot_at(1)), "{\"snapshot\":{\"t\":", "{\"snapshot\":[]}",
                          watch::to_line(snapshot_at(2))}));
  EXPECT_EQ(trace.snapshots.size(), 2u);
  EXPECT_THAT(why_not(trace, "2 lines"), HasSubstr("line 3"));
}

TEST(OwnTrace, ASnapshotThatLiesBeforeTheLastIsLeftOutAndSaid) {
  const Trace trace = read_own(own_lines(
      {watch::to_line(snapshot_at(5)), watch::to_line(snapshot_at(1)), watch::to_line(snapshot_at(6))}));
  EXPECT_EQ(trace.snapshots.size(), 2u);
  EXPECT_THAT(why_not(trace, "one line"), HasSubstr("line 3"));
}

TEST(OwnTrace, AnotherRecordingInTheSameFileEndsIt) {
  const Trace trace = read_own(
      own_lines({watch::to_line(snapshot_at(5)), watch::head_line(8), watch::to_line(snapshot_at(6))}));
  EXPECT_EQ(trace.pid, 7);
  EXPECT_EQ(trace.snapshots.size(), 1u);
  EXPECT_THAT(why_not(trace, "what follows line 2"), HasSubstr("another recording"));
}

TEST(OwnTrace, WithoutAHeadItIsRefused) {
  const Error error = error_of_text(watch::to_line(snapshot_at(1)) + "\n");
  EXPECT_EQ(error.code(), ErrorCode::corrupt_data);
  EXPECT_THAT(error.what(), HasSubstr("no head"));
}

TEST(OwnTrace, OfALaterSchemaItIsRefused) {
  EXPECT_EQ(error_of_text("{\"schema\":\"stoker.trace/2\",\"pid\":1}\n").code(), ErrorCode::unsupported);
}

TEST(OwnTrace, WithoutASnapshotItIsRefused) {
  EXPECT_EQ(error_of_text(own_lines({})).code(), ErrorCode::corrupt_data);
}

// ---- What is no trace
// ----------------------------------------------------------------------------------------

TEST(BadTrace, AFileThatIsNotThere) {
  EXPECT_EQ(error_of("/nowhere/at/all.trace").code(), ErrorCode::not_found);
}

TEST(BadTrace, AFolder) {
  const test::TempDir dir;
  EXPECT_EQ(error_of(dir.path()).code(), ErrorCode::invalid_argument);
}

TEST(BadTrace, Empty) {
  for (const char* text : {"", "\n", " \r\n\t\n", "\xef\xbb\xbf", "\xff\xfe"})
    EXPECT_EQ(error_of_text(text).code(), ErrorCode::corrupt_data);
}

TEST(BadTrace, WhatIsKnownAndNotReadIsNamed) {
  using std::string_literals::operator""s;
  const std::pair<std::string, const char*> cases[] = {
      {"\x1f\x8b\x08\x00binary"s, "compressed"},
      {"\x7f"
       "ELF\x02\x01\x01\x00\x00"s,
       "binary"},
      {"==============NVSMI LOG==============\n\nTimestamp : now\n", "nvidia-smi -q"},
      {"# gpu        pid  type    sm   mem\n# Idx          #   C/G     %     %\n    0       1234     C    45 "
       "    3\n",
       "pmon"},
      {"2024/11/23 12:23:29.950, 0, 92 %, 25073 MiB\n", "names its columns"},
      {"tegrastats prints RAM x/yMB and GR3D_FREQ n%\n", "it begins"},
      {"Dear diary\n", "it begins \"Dear diary\""},
      {"{\"loss\": 1.5}\n", "it begins"},
      {"name,age\nx,1\n", "it begins"},
  };
  for (const auto& [text, word] : cases) {
    const Error error = error_of_text(text);
    EXPECT_EQ(error.code(), ErrorCode::unsupported) << text;
    EXPECT_THAT(error.what(), HasSubstr(word));
    EXPECT_THAT(error.what(), HasSubstr("nvidia-smi CSV"));
  }
}

TEST(BadTrace, AKnownKindWithoutARow) {
  for (const char* text : {"timestamp, utilization.gpu [%]\n", "# gpu    pwr    sm\n# Idx      W     %\n",
                           "timestamp, utilization.gpu [%]\nsoon, many\n"})
    EXPECT_EQ(error_of_text(text).code(), ErrorCode::corrupt_data) << text;
}

// Two GPUs, a second a row of both, one of them 30 % busy and the other 0 or 100 %.
TEST(LongTrace, OfMoreReadingsThanItMayHoldKeepsOneLookInSome) {
  std::string text = "time,gpu,gpu_util\n";
  constexpr int kSeconds = 100'000;
  for (int second = 0; second < kSeconds; ++second)
    text += fmt::format("{0},0,30\n{0},1,{1}\n", second, second / 4 % 2 == 0 ? 0 : 100);
  const auto trace = watch::read_trace_bytes(std::move(text), "x.log");
  ASSERT_TRUE(trace) << trace.error().what();
  const std::vector<Snapshot>& kept = trace->snapshots;
  EXPECT_LE(kept.size(), 16'384U);
  EXPECT_GE(kept.size(), 8'000U);
  double mean[2] = {0, 0};
  for (std::size_t i = 0; i < kept.size(); ++i) {
    ASSERT_EQ(kept[i].gpus.size(), 2U);
    for (const std::size_t gpu : {0U, 1U})
      mean[gpu] += *kept[i].gpus[gpu].util_percent / static_cast<double>(kept.size());
  }
  EXPECT_NEAR(mean[0], 30, 0.01);
  EXPECT_NEAR(mean[1], 50, 1.5);
  EXPECT_GT(kept.back().time_s, 99'000);
  EXPECT_THAT(why_not(*trace, "all of the log"),
              AllOf(HasSubstr("one look in 8 is kept by chance"), HasSubstr("of 100000")));
}

TEST(LongTrace, ValuesInNoOrderOfTimeAreHeldUpToALimit) {
  std::string text = "GPUId,TimeStampUs,Field,Values\n";
  for (int i = 0; i < 750'010; ++i) text += fmt::format("0,{},gpu_utilization,5\n", 1'700'000'000 + i);
  const Error error = error_of_text(text);
  EXPECT_EQ(error.code(), ErrorCode::out_of_resources);
  EXPECT_THAT(error.what(), HasSubstr("750000 values"));
}

TEST(BadTrace, ATimeBeyondAllTimesIsNone) {
  const auto trace = watch::read_trace_bytes(
      "{\"schema\":\"stoker.trace/1\"}\n{\"snapshot\":{\"t\":1}}\n{\"snapshot\":{\"t\":1e308}}\n"
      "{\"snapshot\":{\"t\":2}}\n",
      "x.trace");
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->snapshots.size(), 2U);
  EXPECT_EQ(why_not(*trace, "one line"), "damaged: line 3: t 1e+308 is no time");
}

TEST(LongTrace, ThatIsShortEnoughIsKeptWhole) {
  std::string text = "gpu_util\n";
  for (int i = 0; i < 30'000; ++i) text += "1\n";
  const auto trace = watch::read_trace_bytes(std::move(text), "x.log");
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->snapshots.size(), 30'000U);
  EXPECT_EQ(why_not(*trace, "all of the log"), "");
}

TEST(LongTrace, BeyondTheBytesThatAreReadIsRefusedBeforeItIsRead) {
  const test::TempDir dir;
  const std::string path = dir.write("x.log", "timestamp, utilization.gpu [%]\n");
  ASSERT_EQ(::truncate(path.c_str(), off_t{1} << 40), 0);
  for (const std::string& log : {path, std::string("/dev/zero")}) {
    const Error error = error_of(log);
    EXPECT_EQ(error.code(), ErrorCode::out_of_resources);
    EXPECT_EQ(error.parts().allowed, "up to 64 MiB");
    EXPECT_FALSE(error.parts().next_step.empty());
  }
}

TEST(BadTrace, MoreGpusThanAMachineHas) {
  std::string text = "uuid,gpu_util\n";
  for (int i = 0; i < 3000; ++i) text += "GPU-" + std::to_string(i) + ",1\n";
  EXPECT_EQ(error_of_text(text).code(), ErrorCode::out_of_resources);
}

// ---- Any bytes
// -----------------------------------------------------------------------------------------------

// Read or refused; never anything else. True where it was read.
bool read_or_refuse(std::string text) {
  const auto trace = watch::read_trace_bytes(std::move(text), "x.log");
  if (!trace) return false;
  EXPECT_FALSE(trace->snapshots.empty());
  for (std::size_t i = 1; i < trace->snapshots.size(); ++i)
    EXPECT_GE(trace->snapshots[i].time_s, trace->snapshots[i - 1].time_s);
  if (trace->kind == "stoker") return true;  // its numbers are taken at their word
  for (const Snapshot& snapshot : trace->snapshots)
    for (const GpuSeen& gpu : snapshot.gpus) EXPECT_LE(gpu.util_percent.value_or(0), 100);
  return true;
}

class AnyBytes : public testing::TestWithParam<watch::log_samples::Sample> {};

TEST_P(AnyBytes, ALogCutAnywhere) {
  const std::string& text = GetParam().text;
  EXPECT_TRUE(read_or_refuse(text));
  for (std::size_t length = 0; length < text.size(); ++length) read_or_refuse(text.substr(0, length));
}

TEST_P(AnyBytes, ADamagedLog) {
  int read = 0;
  constexpr int kRounds = 3000;
  for (int round = 0; round < kRounds; ++round) {
    SampleRng rng(6, 0, static_cast<std::uint64_t>(round), 0);
    std::string text = GetParam().text;
    for (std::uint64_t n = 1 + rng.below(4); n > 0 && !text.empty(); --n) {
      const std::size_t at = rng.below(text.size());
      switch (rng.below(5)) {
        case 0:
          text[at] = static_cast<char>(rng.next_u32());
          break;
        case 1:
          text[at] = "\n,\"|{}[]:/0-\xff"[rng.below(13)];
          break;
        case 2:
          text.erase(at, 1 + rng.below(20));
          break;
        case 3:
          text.insert(rng.below(text.size()), text.substr(at, 1 + rng.below(40)));
          break;
        default:
          text.insert(at, "99999999999999999999");
      }
    }
    read += read_or_refuse(std::move(text));
  }
  EXPECT_GT(read, kRounds / 10);  // most damage leaves something to read
}

INSTANTIATE_TEST_SUITE_P(Samples, AnyBytes, testing::ValuesIn(watch::log_samples::all()),
                         [](const auto& sample) {
                           std::string name = sample.param.name;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace stoker
