#include "watch/trace_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "watch/fields.hpp"

namespace stoker::watch {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

template <class T>
concept HasFields = requires(T& x) { fields(x, [](const char*, auto&) {}); };

// Gives every member of everything a value of its own, so that two that are mixed up are noticed. Each third
// reading is unknown, with a why.
class Filler {
 public:
  void fill(double& x) { x = ++count_ + 0.1; }
  void fill(bool& x) { x = true; }
  void fill(char& x) { x = static_cast<char>('A' + ++count_ % 26); }
  void fill(std::string& x) { x = "text " + std::to_string(++count_); }
  template <class T>
    requires std::is_integral_v<T>
  void fill(T& x) {
    x = static_cast<T>(++count_);
  }
  template <class T>
  void fill(std::optional<T>& x) {
    fill(x.emplace());
  }
  template <class T>
  void fill(std::vector<T>& x) {
    x.resize(2);
    for (T& one : x) fill(one);
  }
  template <class T>
  void fill(Reading<T>& x) {
    if (++count_ % 3 == 0) {
      x = Reading<T>::unknown("why " + std::to_string(count_));
      return;
    }
    T value{};
    fill(value);
    x = Reading<T>(std::move(value));
  }
  template <HasFields T>
  void fill(T& x) {
    fields(x, [this](const char*, auto& member) { fill(member); });
  }

 private:
  int count_ = 0;
};

Snapshot filled_snapshot() {
  Snapshot snapshot;
  Filler().fill(snapshot);
  return snapshot;
}

Trace read_line(const std::string& line) {
  Trace trace;
  const auto added = add_line(line, "x line 2", trace);
  EXPECT_TRUE(added) << added.error().what();
  return trace;
}

TEST(TraceJson, ASnapshotWithEveryMemberComesBack) {
  const Snapshot snapshot = filled_snapshot();
  const Trace trace = read_line(to_line(snapshot));
  ASSERT_EQ(trace.snapshots.size(), 1u);
  EXPECT_EQ(trace.snapshots[0], snapshot);
}

// A member that fields.hpp does not name would stay as it was made.
TEST(TraceJson, TheFillerReachesEveryPartOfASnapshot) {
  const Snapshot snapshot = filled_snapshot();
  EXPECT_FALSE(snapshot.gpus.empty() || snapshot.gpus[0].samples.empty());
  EXPECT_FALSE(snapshot.processes.empty() || snapshot.processes[0].threads.empty() ||
               snapshot.processes[0].threads[0].tallies.empty() || snapshot.processes[0].files.empty());
  EXPECT_FALSE(snapshot.cgroups.empty() || snapshot.cgroups[0].io_limits.empty());
  EXPECT_FALSE(snapshot.devices.empty() || snapshot.networks.empty() || snapshot.mounts.empty());
  EXPECT_FALSE(snapshot.loaders.empty() || snapshot.loaders[0].stages.empty());
}

TEST(TraceJson, AMemberThatDoesNotFitIsToldByItsPlaceAndInOurWords) {
  const auto refusal = [](const std::string& line) {
    Trace trace;
    const auto added = add_line(line, "x line 2", trace);
    return added ? std::string("taken") : added.error().parts().found;
  };
  const auto tally = [](const std::string& count) {
    return R"({"snapshot":{"processes":[{"pid":1},{"threads":[{"tallies":[{"count":)" + count + "}]}]}]}}";
  };
  EXPECT_EQ(refusal(tally("7")), "taken");
  for (const char* count : {"99999999999999999999", "1e308", "-1", "1.5", "\"7\"", "[]"})
    EXPECT_THAT(refusal(tally(count)),
                AllOf(HasSubstr("processes[1].threads[0].tallies[0].count: "),
                      HasSubstr("where a whole number that fits belongs"), Not(HasSubstr("json.exception"))))
        << count;
  EXPECT_EQ(refusal(R"({"snapshot":{"t":"now"}})"), "t: \"now\" where a number belongs");
  EXPECT_EQ(refusal(R"({"snapshot":{"gpus":{}}})"), "gpus: {} where an array belongs");
  EXPECT_EQ(refusal(R"({"snapshot":[1]})"), "[1] where an object belongs");
  EXPECT_EQ(refusal(R"({"snapshot":{"host":{"cores":{"unknown":7}}}})"),
            "host.cores: 7 where a text belongs");
  EXPECT_EQ(refusal(R"({"schema":"stoker.trace/1","pid":1e308})").find("1e+308 where a whole"), 0U);
}

TEST(TraceJson, AnEmptySnapshotComesBack) {
  const Trace trace = read_line(to_line(Snapshot{}));
  ASSERT_EQ(trace.snapshots.size(), 1u);
  EXPECT_EQ(trace.snapshots[0], Snapshot{});
}

TEST(TraceJson, AProbeComesBack) {
  ProbeSeen probe;
  Filler().fill(probe);
  EXPECT_EQ(read_line(to_line(probe)).probe, probe);
  EXPECT_EQ(read_line(to_line(ProbeSeen{})).probe, ProbeSeen{});
}

TEST(TraceJson, UnknownKeepsItsWhyAndIsNotWhatNobodyAskedFor) {
  Snapshot snapshot;
  snapshot.host.online_cpus = Reading<int>::unknown("no /proc");
  const Trace trace = read_line(to_line(snapshot));
  EXPECT_EQ(trace.snapshots.at(0).host.online_cpus.why(), "no /proc");
  EXPECT_FALSE(trace.snapshots.at(0).host.cores.known());
  EXPECT_EQ(trace.snapshots.at(0).host.cores.why(), "");
}

TEST(TraceJson, AKnownEmptyReadingIsKnown) {
  Snapshot snapshot;
  snapshot.gpus.emplace_back().processes = std::vector<GpuProcess>();
  snapshot.processes.emplace_back().cuda_visible_devices = std::string();
  const Trace trace = read_line(to_line(snapshot));
  EXPECT_TRUE(trace.snapshots.at(0).gpus.at(0).processes.known());
  EXPECT_TRUE(trace.snapshots.at(0).processes.at(0).cuda_visible_devices.known());
  EXPECT_EQ(trace.snapshots[0], snapshot);
}

TEST(TraceJson, LargeCountersKeepEveryBit) {
  Snapshot snapshot;
  snapshot.devices.emplace_back().read_bytes = ~std::uint64_t{0};
  snapshot.processes.emplace_back().pid = -1;
  EXPECT_EQ(read_line(to_line(snapshot)).snapshots.at(0), snapshot);
}

TEST(TraceJson, NamesThatAreNoUtf8DoNotBreakALine) {
  Snapshot snapshot;
  snapshot.processes.emplace_back().command = "caf\xe9\n";
  const std::string line = to_line(snapshot);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_EQ(read_line(line).snapshots.at(0).processes.at(0).command, "caf\xef\xbf\xbd\n");
}

TEST(TraceJson, MembersAndLinesThatAreNotKnownArePassedOver) {
  const Trace trace =
      read_line(R"({"snapshot":{"t":2,"new":[1,{"a":2}],"gpus":[{"index":1,"later":null}]}})");
  ASSERT_EQ(trace.snapshots.size(), 1u);
  EXPECT_EQ(trace.snapshots[0].time_s, 2);
  EXPECT_EQ(trace.snapshots[0].gpus.at(0).index, 1);
  EXPECT_TRUE(read_line(R"({"something":{"t":2}})").snapshots.empty());
}

TEST(TraceJson, TheHeadNamesSchemaAndProcess) {
  EXPECT_EQ(head_line(4711), R"({"schema":"stoker.trace/1","pid":4711})");
  EXPECT_TRUE(is_head_line(head_line(0)));
  EXPECT_EQ(read_line(head_line(4711)).pid, 4711);
}

TEST(TraceJson, NoHeadIsNoHead) {
  for (const char* line :
       {"", "{}", "[]", "1", R"({"schema":1})", R"({"schema":"stoker.dataset/1"})", "{\"sch"})
    EXPECT_FALSE(is_head_line(line)) << line;
}

TEST(TraceJson, ALaterSchemaIsUnsupported) {
  Trace trace;
  const auto added = add_line(R"({"schema":"stoker.trace/2","pid":1})", "x line 1", trace);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code(), ErrorCode::unsupported);
  EXPECT_THAT(added.error().what(), testing::HasSubstr("stoker.trace/2"));
}

TEST(TraceJson, AMemberOfAnotherKindIsCorrupt) {
  for (const char* line :
       {"", "{", "7", R"({"snapshot":7})", R"({"snapshot":{"t":"soon"}})", R"({"snapshot":{"gpus":{}}})",
        R"({"snapshot":{"gpus":[7]}})", R"({"snapshot":{"gpus":[{"index":1.5}]}})",
        R"({"snapshot":{"gpus":[{"index":3000000000}]}})", R"({"snapshot":{"gpus":[{"slow_reasons":-1}]}})",
        R"({"snapshot":{"gpus":[{"memory_used_bytes":1e300}]}})",
        R"({"snapshot":{"gpus":[{"util_percent":{"unknown":7}}]}})", R"({"probe":[]})",
        R"({"schema":"stoker.trace/1","pid":"x"})"}) {
    Trace trace;
    const auto added = add_line(line, "x line 9", trace);
    ASSERT_FALSE(added) << line;
    EXPECT_EQ(added.error().code(), ErrorCode::corrupt_data) << line;
    EXPECT_THAT(added.error().what(), testing::HasSubstr("x line 9"));
    EXPECT_TRUE(trace.snapshots.empty()) << line;
  }
}

}  // namespace
}  // namespace stoker::watch
