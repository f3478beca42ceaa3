#include "doctor/activity.hpp"

#include <gtest/gtest.h>

#include "doctor/trace_fixture.hpp"

namespace stoker::doctor {

namespace {

using test::tally;

TEST(Activity, OfAThreadOnACpuOrReady) {
  EXPECT_EQ(activity_of(tally('R', "", 1)), Activity::running);
  EXPECT_EQ(activity_of(tally('S', "running", 1)), Activity::running);  // left its call meanwhile
}

TEST(Activity, PyTorchWaitsInPollOfFiveSeconds) {
  EXPECT_EQ(activity_of(tally('S', "poll", 1, "", 5000)), Activity::waiting);
  EXPECT_EQ(activity_of(tally('S', "poll", 1, "pipe", -1)), Activity::waiting);
  EXPECT_EQ(activity_of(tally('S', "poll", 1, "eventfd", -1)), Activity::sleeping);
  EXPECT_EQ(activity_of(tally('S', "poll", 1, "device", -1)), Activity::sleeping);  // a GPU's event
}

TEST(Activity, APollThatASignalInterrupted) {
  ThreadTally t = tally('S', "restart_syscall", 1);
  t.wait = "poll_schedule_timeout.constprop.0";
  EXPECT_EQ(activity_of(t), Activity::waiting);
  t.wait = "hrtimer_nanosleep";
  EXPECT_EQ(activity_of(t), Activity::sleeping);
}

TEST(Activity, ReadsByWhatTheyAreOn) {
  EXPECT_EQ(activity_of(tally('S', "read", 1, "pipe")), Activity::waiting);
  EXPECT_EQ(activity_of(tally('S', "read", 1, "unix_socket")), Activity::unix_socket);
  EXPECT_EQ(activity_of(tally('D', "pread64", 1, "file")), Activity::io);
  EXPECT_EQ(activity_of(tally('S', "read", 1, "socket")), Activity::network);  // a store over HTTP
  EXPECT_EQ(activity_of(tally('S', "read", 1, "eventfd")), Activity::sleeping);
}

TEST(Activity, ReceivingABatch) {
  EXPECT_EQ(activity_of(tally('S', "recvmsg", 1, "unix_socket")), Activity::unix_socket);
  EXPECT_EQ(activity_of(tally('S', "connect", 1, "unix_socket")), Activity::unix_socket);
  EXPECT_EQ(activity_of(tally('S', "recvfrom", 1, "socket")), Activity::network);
}

TEST(Activity, OpeningAFileIsIo) { EXPECT_EQ(activity_of(tally('D', "openat", 1, "file")), Activity::io); }

TEST(Activity, ALockOnAFileIsNot) {
  EXPECT_EQ(activity_of(tally('S', "flock", 1, "file")), Activity::sleeping);
}

TEST(Activity, APageFaultOnAMappedFileIsIo) {
  EXPECT_EQ(activity_of(tally('D', "page_fault", 1)), Activity::io);
  EXPECT_EQ(activity_of(tally('D', "other", 1)), Activity::io);
}

TEST(Activity, AFuseRequestIsIoInStateS) {
  ThreadTally t = tally('S', "other", 1);
  t.wait = "request_wait_answer";
  EXPECT_EQ(activity_of(t), Activity::io);
}

TEST(Activity, UnreadableCallsAreUnseenUnlessTheStateTells) {
  EXPECT_EQ(activity_of(tally('S', "", 1)), Activity::unseen);
  EXPECT_EQ(activity_of(tally('D', "", 1)), Activity::io);
}

TEST(Activity, StoppedAndGone) {
  EXPECT_EQ(activity_of(tally('T', "", 1)), Activity::stopped);
  EXPECT_EQ(activity_of(tally('t', "", 1)), Activity::stopped);
  EXPECT_EQ(activity_of(tally('Z', "", 1)), Activity::gone);
  EXPECT_EQ(activity_of(tally('?', "", 1)), Activity::gone);
}

TEST(Activity, CountsLeaveOutThreadsThatAreGone) {
  ActivityCount count;
  count.add({tally('R', "", 0.25), tally('S', "futex", 0.75), tally('Z', "", 0.5)});
  EXPECT_EQ(count.total(), 100U);
  EXPECT_DOUBLE_EQ(count.share_of(count.running), 0.25);
  EXPECT_DOUBLE_EQ(count.share_of(count.blocked), 0.75);
  EXPECT_EQ(ActivityCount{}.share_of(0), 0);
}

}  // namespace

}  // namespace stoker::doctor
