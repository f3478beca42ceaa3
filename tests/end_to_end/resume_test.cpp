// `stoker train` killed at random moments and taken up again: the same losses, the same weights, as if
// nothing had been.
#include <csignal>
#include <filesystem>
#include <gmock/gmock.h>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "support/run_program.hpp"
#include "support/temp_dir.hpp"

namespace stoker::test {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

// What one run told: the loss of each step as it was written, and of each evaluation.
struct Told {
  std::map<std::uint64_t, std::string> losses;
  std::map<int, std::string> evaluations;  // by epoch
};

class KilledTraining : public ::testing::Test {
 protected:
  void SetUp() override {
    const ProgramResult made = run_program({STOKER_PROGRAM, "synth", folder_.path("photos"), "--classes", "3",
                                            "--images", "75", "--width", "64", "--height", "48"});
    ASSERT_EQ(made.status, 0) << made.err;
  }

  std::vector<std::string> command(const std::string& prefix, const std::vector<std::string>& more,
                                   const std::string& epochs = "3", const std::string& layers = "8") const {
    std::vector<std::string> arguments{STOKER_PROGRAM,      "train",
                                       "--data-train",      folder_.path("photos/train"),
                                       "--data-val",        folder_.path("photos/val"),
                                       "--model-prefix",    folder_.path(prefix),
                                       "--num-layers",      layers,
                                       "--num-epochs",      epochs,
                                       "--image-shape",     "3,48,48",
                                       "--batch-size",      "8",
                                       "--ema-decay",       "0.9",
                                       "--disp-batches",    "1",
                                       "--compute-threads", "1",
                                       "--nesterov",        "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  static Told read(const std::string& out) {
    Told told;
    std::istringstream lines(out);
    for (std::string line; std::getline(lines, line);) {
      const Json json = Json::parse(line, nullptr, false);
      if (json.is_discarded()) continue;  // cut by the kill
      if (json["phase"] == "train") told.losses[json["step"]] = json["loss"].dump();
      if (json["phase"] == "eval") told.evaluations[json["epoch"]] = json["loss"].dump();
    }
    return told;
  }

  std::string weights(const std::string& checkpoint, const std::string& kind) const {
    const std::string to = folder_.path(checkpoint + "." + kind + ".pt");
    const ProgramResult done =
        run_program({STOKER_PROGRAM, "export", folder_.path(checkpoint), to, "--weights", kind});
    EXPECT_EQ(done.status, 0) << done.err;
    return read_file(to);
  }

  // Everything that both told of the same step is the same.
  static void expect_same(const Told& some, const Told& all) {
    for (const auto& [step, loss] : some.losses) EXPECT_EQ(loss, all.losses.at(step)) << "step " << step;
    for (const auto& [epoch, loss] : some.evaluations)
      EXPECT_EQ(loss, all.evaluations.at(epoch)) << "evaluation " << epoch;
  }

  TempDir folder_;
};

TEST_F(KilledTraining, GoesOnToTheBit) {
  const ProgramResult undisturbed = run_program(command("whole", {}));
  ASSERT_EQ(undisturbed.status, 0) << undisturbed.err;
  const Told all = read(undisturbed.out);
  ASSERT_GT(all.losses.size(), 60U);
  ASSERT_EQ(all.evaluations.size(), 3U);

  const char* wanted_kills = std::getenv("STOKER_KILLS");
  const int kills = wanted_kills != nullptr ? std::atoi(wanted_kills) : 5;
  std::mt19937 random(7);
  const int most_ms = static_cast<int>(undisturbed.seconds * 1000);
  Told told;
  int killed = 0, runs = 0;
  bool finished = false;
  for (; !finished && runs < 10 * kills; ++runs) {
    RunOptions options;
    if (killed < kills) {
      options.signal = SIGKILL;
      // Behind the start, within a few shares of the whole: some before a first step, some in a checkpoint.
      options.signal_after = std::chrono::milliseconds(
          std::uniform_int_distribution<int>(most_ms / 10, most_ms / 10 + 3 * most_ms / kills)(random));
    }
    const ProgramResult run =
        run_program(command("killed", {"--resume", "auto", "--checkpoint-every", runs % 2 == 0 ? "1" : "2",
                                       "--data-nthreads", std::to_string(1 + runs % 3)}),
                    options);
    const Told part = read(run.out);
    expect_same(part, all);
    told.losses.insert(part.losses.begin(), part.losses.end());
    told.evaluations.insert(part.evaluations.begin(), part.evaluations.end());
    finished = run.status == 0;
    killed += run.status == 128 + SIGKILL;
    ASSERT_TRUE(finished || run.status == 128 + SIGKILL) << run.err;
  }
  ASSERT_TRUE(finished);
  EXPECT_GT(killed, 0);
  std::printf("killed %d times in %d runs\n", killed, runs);
  EXPECT_EQ(weights("killed-0003.ckpt", "trained"), weights("whole-0003.ckpt", "trained"));
  EXPECT_EQ(weights("killed-0003.ckpt", "averaged"), weights("whole-0003.ckpt", "averaged"));
  for (const auto& file : std::filesystem::directory_iterator(folder_.path()))
    EXPECT_EQ(file.path().filename().string().find(".stoker-"), std::string::npos) << file.path();
}

// ImageNet's networks by their defaults, from JPEGs to a state_dict and back.
TEST_F(KilledTraining, LargeNetworksTrainExportAndBegin) {
  for (const std::string layers : {"18", "50"}) {
    SCOPED_TRACE(layers);
    const ProgramResult trained = run_program(command("net" + layers, {}, "1", layers));
    ASSERT_EQ(trained.status, 0) << trained.err;
    const std::string checkpoint = "net" + layers + "-0001.ckpt";
    const std::string exported = weights(checkpoint, "averaged");
    EXPECT_GT(exported.size(), std::size_t{40} << 20);
    const ProgramResult begun = run_program(
        command("begun" + layers, {"--init-from", folder_.path(checkpoint + ".averaged.pt")}, "1", layers));
    EXPECT_EQ(begun.status, 0) << begun.err;
  }
}

TEST_F(KilledTraining, ASignalWritesACheckpointAndExits130) {
  RunOptions options;
  options.signal = SIGTERM;
  options.signal_after = std::chrono::milliseconds(700);
  const ProgramResult stopped = run_program(command("stopped", {}, "100"), options);
  EXPECT_EQ(stopped.status, 130) << stopped.err;
  int checkpoints = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder_.path()))
    checkpoints += file.path().extension() == ".ckpt";
  EXPECT_GT(checkpoints, 0);
}

TEST_F(KilledTraining, AWrongCheckpointIsNamed) {
  ASSERT_EQ(run_program(command("net", {}, "1")).status, 0);
  const ProgramResult other = run_program(command("net", {"--resume", "auto"}, "1", "20"));
  EXPECT_EQ(other.status, 2) << other.err;
  EXPECT_THAT(other.err, HasSubstr("--num-layers"));
}

}  // namespace
}  // namespace stoker::test
