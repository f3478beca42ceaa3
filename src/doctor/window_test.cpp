#include "doctor/window.hpp"

#include <gtest/gtest.h>

#include "doctor/trace_fixture.hpp"

namespace stoker::doctor {

namespace {

Window window_of(const Trace& trace) {
  const std::vector<GpuCurve> curves = gpu_curves(trace);
  return choose_window(trace, training_curves(curves));
}

void set_busy(Snapshot& s, double percent) {
  for (GpuSeen& gpu : s.gpus)
    for (GpuSample& sample : gpu.samples) sample.percent = percent;
}

TEST(Window, AnEvenTraceIsTakenWhole) {
  const Window window = window_of(test::made_trace({}));
  EXPECT_EQ(window.first, 0U);
  EXPECT_EQ(window.last, 30U);
  EXPECT_FALSE(window.warm_up_left_out);
}

TEST(Window, ASlowFirstThirdIsLeftOut) {
  Trace trace = test::made_trace({});
  for (std::size_t i = 0; i < 10; ++i) set_busy(trace.snapshots[i], 5);
  const Window window = window_of(trace);
  EXPECT_EQ(window.first, 10U);
  EXPECT_TRUE(window.warm_up_left_out);
}

TEST(Window, ASlopeIsNoWarmUp) {
  Trace trace = test::made_trace({});
  for (std::size_t i = 0; i < trace.snapshots.size(); ++i)
    set_busy(trace.snapshots[i], 3.0 * static_cast<double>(i));
  EXPECT_FALSE(window_of(trace).warm_up_left_out);
}

TEST(Window, BeginsBehindTheWorkersStart) {
  Trace trace = test::made_trace({});
  for (std::size_t i = 0; i < 6; ++i) trace.snapshots[i].processes.resize(1);
  const Window window = window_of(trace);
  EXPECT_EQ(window.first, 9U);  // 6 s, and 2.5 s for their queues
  EXPECT_TRUE(window.warm_up_left_out);
}

TEST(Window, LateWorkersLeaveWhatThereIs) {
  Trace trace = test::made_trace({});
  for (std::size_t i = 0; i < 26; ++i) trace.snapshots[i].processes.resize(1);
  EXPECT_EQ(window_of(trace).first, 26U);
}

TEST(Window, EndsWithTheTraining) {
  Trace trace = test::made_trace({});
  for (std::size_t i = 20; i < trace.snapshots.size(); ++i) trace.snapshots[i].processes.clear();
  const Window window = window_of(trace);
  EXPECT_EQ(window.last, 19U);
  EXPECT_TRUE(window.ended);
}

TEST(Window, LogsAreTakenWhole) {
  const Trace trace =
      test::made_log({{0, 0, 0, 0, 0, 0, 0, 90, 90, 90, 90, 90, 90, 90, 90, 90, 90, 90, 90, 90, 90}});
  EXPECT_EQ(window_of(trace).first, 0U);
}

TEST(Window, EmptyTraceAndOneSnapshot) {
  EXPECT_EQ(window_of({}).last, 0U);
  const Window window = window_of(test::made_trace({.seconds = 0}));
  EXPECT_EQ(window.first, window.last);
  EXPECT_EQ(window.seconds(), 0);
}

TEST(Window, TheLastThird) {
  const Trace trace = test::made_trace({});
  const Window tail = last_third(trace, window_of(trace));
  EXPECT_EQ(tail.first, 20U);
  EXPECT_EQ(tail.last, 30U);
}

}  // namespace

}  // namespace stoker::doctor
