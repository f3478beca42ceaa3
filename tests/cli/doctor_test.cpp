// stoker doctor as a user meets it; how right its verdicts are is the business of src/doctor and
// tests/scenarios.
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/stoker_program.hpp"

namespace stoker::test {
namespace {

using Keys = std::vector<std::string>;

// A GPU that is 40 % busy, then the same in full.
std::string write_log(const TempDir& dir, int percent) {
  const std::string path = dir.path("gpu.csv");
  std::ofstream log(path);
  log << "timestamp, index, name, utilization.gpu [%], memory.used [MiB], memory.total [MiB]\n";
  for (int second = 0; second < 60; ++second)
    log << "2026/11/30 10:00:" << (second < 10 ? "0" : "") << second << ".000, 0, NVIDIA A100, " << percent
        << " %, 20000 MiB, 40960 MiB\n";
  return path;
}

TEST(Doctor, ReadsALogAndAnswersInJson) {
  const TempDir dir;
  const auto json = json_of(stoker({"doctor", "--trace", write_log(dir, 40), "--json"}));
  EXPECT_EQ(json["schema"], "stoker.doctor/1");
  EXPECT_EQ(json["verdict"], "data_bound");
  EXPECT_EQ(json["gpu"][0]["util_mean"], 40);
  EXPECT_TRUE(json["stall_share"].is_null() || json["stall_share"].get<double>() > 0.5)
      << json["stall_share"];
  EXPECT_FALSE(json["unknown"].empty()) << "curves alone cannot tell the cause";
  EXPECT_TRUE(json["cpu"]["training"].is_null()) << "unknown is never 0";
  for (const char* key : {"summary", "confidence", "evidence", "fixes", "cost", "io", "checks", "causes"})
    EXPECT_TRUE(json.contains(key)) << key;
}

TEST(Doctor, ATextOfAScreenWithoutColoursInAPipe) {
  const TempDir dir;
  const ProgramResult result = stoker({"doctor", "--trace", write_log(dir, 97)});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("(healthy)"), std::string::npos) << result.out;
  EXPECT_EQ(result.out.find('\x1b'), std::string::npos);
}

TEST(Doctor, CheckDecidesTheStatus) {
  const TempDir dir;
  const std::string log = write_log(dir, 40);
  EXPECT_EQ(stoker({"doctor", "--trace", log, "--check", "gpu>=80"}).status, 3);
  EXPECT_EQ(stoker({"doctor", "--trace", log, "--check", "gpu>=30"}).status, 0);
  const auto json = json_of(stoker({"doctor", "--trace", log, "--check", "gpu>=30,gpu<10", "--json"}), 3);
  EXPECT_EQ(json["checks"][0]["met"], true);
  EXPECT_EQ(json["checks"][1]["met"], false);
  const ProgramResult wrong = stoker({"doctor", "--trace", log, "--check", "gpus>=30"});
  EXPECT_EQ(wrong.status, 2) << wrong.err;
  EXPECT_NE(wrong.err.find("gpus"), std::string::npos) << wrong.err;
}

TEST(Doctor, AConditionOutOfRangeIsAUsageError) {
  const TempDir dir;
  const std::string log = write_log(dir, 40);
  const auto refusal = [&log](const char* condition) {
    const ProgramResult result = stoker({"doctor", "--trace", log, "--check", condition});
    EXPECT_EQ(result.status, 2) << condition << ": " << result.err;
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  EXPECT_NE(refusal("stall<10").find("from 0 to 1"), std::string::npos) << refusal("stall<10");
  EXPECT_NE(refusal("verdict==helthy").find("did you mean `healthy`?"), std::string::npos);
  EXPECT_NE(refusal("gpu>=20,").find("commas"), std::string::npos) << refusal("gpu>=20,");
  EXPECT_NE(refusal("images>3").find("`images_per_s`, `confidence`"), std::string::npos)
      << refusal("images>3");
  const ProgramResult told = stoker({"doctor", "--trace", log, "--check", "images_per_s>3"});
  EXPECT_EQ(told.status, 3);
  EXPECT_NE(told.out.find("images_per_s is unknown"), std::string::npos) << told.out;
  EXPECT_NE(refusal("gpu>=80%").find("without a sign"), std::string::npos) << refusal("gpu>=80%");
}

TEST(Doctor, ATraceFromStandardInput) {
  const TempDir dir;
  const auto file = json_of(stoker({"doctor", "--trace", write_log(dir, 40), "--json"}));
  const std::string command =
      std::string("cat ") + dir.path("gpu.csv") + " | " STOKER_PROGRAM " doctor --trace - --json";
  EXPECT_EQ(json_of(run_program({"/bin/sh", "-c", command})), file);
}

TEST(Doctor, ALogThatIsTooLongIsRefusedAtOnce) {
  const TempDir dir;
  const std::string path = write_log(dir, 40);
  ASSERT_EQ(truncate(path.c_str(), 200 << 20), 0);
  for (const std::string& log : {path, std::string("/dev/zero")}) {
    const ProgramResult result = stoker({"doctor", "--trace", log});
    EXPECT_EQ(result.status, 1) << result.err;
    EXPECT_NE(result.err.find("64 MiB"), std::string::npos) << result.err;
  }
}

TEST(Doctor, ALoopOfAShellIsNoTraining) {
  const auto json = json_of(stoker({"doctor", "--seconds", "3", "--json", "--quiet", "--", "bash", "-c",
                                    "while [ $SECONDS -lt 4 ]; do /bin/true; done"}));
  EXPECT_EQ(json["verdict"], "unknown") << json["summary"];
  EXPECT_NE(json["summary"].get<std::string>().find("No training is to be seen"), std::string::npos);
  EXPECT_TRUE(json["stall_share"].is_null());
}

TEST(Doctor, APriceTellsTheMoneyLost) {
  const TempDir dir;
  const auto json = json_of(stoker({"doctor", "--trace", write_log(dir, 40), "--price", "10/h", "--json"}));
  EXPECT_EQ(json["cost"]["per_hour"], 10);
  EXPECT_NEAR(json["cost"]["lost_per_hour"].get<double>(), 6, 0.5);
}

TEST(Doctor, ContradictionsAreUsageErrors) {
  for (const std::vector<std::string>& arguments :
       {Keys{"--trace", "x", "--pid", "1"}, Keys{"--trace", "x", "--record", "y"},
        Keys{"--trace", "x", "--probe"}, Keys{"--trace", "x", "--seconds", "5"}, Keys{"--record", "-"},
        Keys{"--pid", "1", "--", "true"}, Keys{"--"}, Keys{"--pid", "0"}, Keys{"--seconds", "0"},
        Keys{"4711"}}) {
    std::vector<std::string> all{"doctor"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const ProgramResult result = stoker(all);
    EXPECT_EQ(result.status, 2) << arguments[0] << ": " << result.err;
  }
}

TEST(Doctor, NamesWhatIsNotThere) {
  const ProgramResult pid = stoker({"doctor", "--pid", "4194304", "--seconds", "1"});
  EXPECT_EQ(pid.status, 1);
  EXPECT_NE(pid.err.find("4194304"), std::string::npos) << pid.err;
  const ProgramResult trace = stoker({"doctor", "--trace", "absent.trace"});
  EXPECT_EQ(trace.status, 1);
  EXPECT_NE(trace.err.find("absent.trace"), std::string::npos) << trace.err;
  const ProgramResult command = stoker({"doctor", "--", "no-such-command"});
  EXPECT_EQ(command.status, 1);
  EXPECT_NE(command.err.find("no-such-command"), std::string::npos) << command.err;
}

TEST(Doctor, ATraceGivesTheVerdictAgain) {
  const TempDir dir;
  const std::string trace = dir.path("a.trace");
  const auto live = json_of(stoker({"doctor", "--seconds", "3", "--record", trace, "--json", "--quiet", "--",
                                    "timeout", "4", "sh", "-c", "while :; do :; done"}));
  const auto replayed = json_of(stoker({"doctor", "--trace", trace, "--json"}));
  EXPECT_EQ(replayed["verdict"], live["verdict"]);
  EXPECT_EQ(replayed["summary"], live["summary"]);
  EXPECT_EQ(replayed["cpu"], live["cpu"]);
  EXPECT_FALSE(live["unknown"].empty()) << "no GPU here";
}

TEST(Doctor, TheCommandsWordsStayOutOfTheAnswer) {
  const ProgramResult result =
      stoker({"doctor", "--seconds", "1", "--json", "--", "sh", "-c", "echo spoken; sleep 2"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(json_lines(result.out).size(), 1U);
  EXPECT_NE(result.err.find("spoken"), std::string::npos);
  EXPECT_GE(result.seconds, 2) << "the command is waited for";
  EXPECT_NE(result.err.find("waiting for the command (pid "), std::string::npos) << result.err;
  EXPECT_EQ(json_lines(result.out).at(0)["command"]["running"], true);
}

TEST(Doctor, ACommandThatEndsSoonIsStillReported) {
  const ProgramResult result =
      stoker({"doctor", "--seconds", "30", "--json", "--", "sh", "-c", "sleep 2; exit 7"});
  EXPECT_EQ(result.status, 0) << "the doctor's own: " << result.err;
  EXPECT_LT(result.seconds, 20);
  ASSERT_EQ(json_lines(result.out).size(), 1U);
  const auto command = json_lines(result.out)[0]["command"];
  EXPECT_EQ(command["running"], false);
  EXPECT_EQ(command["exit_status"], 7);
  EXPECT_TRUE(command["signal"].is_null());
  EXPECT_NE(result.err.find("ended with status 7"), std::string::npos) << result.err;
}

// To the doctor alone, as a job manager sends it: the command must not be left behind.
TEST(Doctor, ASignalIsPassedOnToTheCommand) {
  for (const int signal : {SIGTERM, SIGINT}) {
    const ProgramResult result =
        stoker({"doctor", "--seconds", "60", "--json", "--", "sleep", "50"},
               {.signal = signal, .signal_when = "watching", .limit = std::chrono::seconds(30)});
    EXPECT_EQ(result.status, 130) << result.err;
    EXPECT_LT(result.seconds, 20);
    EXPECT_EQ(json_lines(result.out).size(), 1U);
    EXPECT_NE(result.err.find("on to the command (pid "), std::string::npos) << result.err;
    EXPECT_NE(result.err.find(signal == SIGTERM ? "ended by signal 15" : "ended by signal 2"),
              std::string::npos)
        << result.err;
  }
}

TEST(Doctor, WhatNobodyNamedIsSaidInTheReport) {
  const auto json = json_of(stoker({"doctor", "--seconds", "1", "--json", "--quiet"}));
  ASSERT_FALSE(json["causes"].empty());
  EXPECT_NE(json["causes"][0].get<std::string>().find("--pid names"), std::string::npos) << json["causes"];
}

TEST(Doctor, AnInterruptTellsWhatWasSeen) {
  const std::string self = std::to_string(getpid());
  const ProgramResult result =
      stoker({"doctor", "--pid", self, "--seconds", "60", "--json"},
             {.signal = SIGINT, .signal_when = "watching", .limit = std::chrono::seconds(30)});
  EXPECT_EQ(result.status, 130) << result.err;
  EXPECT_LT(result.seconds, 20);
  EXPECT_EQ(json_lines(result.out).size(), 1U);
}

}  // namespace
}  // namespace stoker::test
