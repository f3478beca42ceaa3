#include <gtest/gtest.h>
#include <signal.h>

#include "cli/stoker_program.hpp"

namespace stoker::test {
namespace {

std::vector<std::string> small_training(const TempDir& dir, const std::vector<std::string>& more) {
  const std::string photos = make_photos(dir, 2, 20);
  std::vector<std::string> arguments{"train",
                                     "--num-layers",
                                     "8",
                                     "--image-shape",
                                     "3,32,32",
                                     "--batch-size",
                                     "8",
                                     "--num-epochs",
                                     "2",
                                     "--data-nthreads",
                                     "1",
                                     "--disp-batches",
                                     "2",
                                     "--data-train",
                                     photos + "/train",
                                     "--data-val",
                                     photos + "/val"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

// Whether the program that is tested has a trainer: without one it says so before it looks at any data.
bool has_trainer() {
  const ProgramResult result = stoker({"train", "--data-train", "nowhere"});
  return result.err.find("nowhere") != std::string::npos;
}

#define STOKER_NEEDS_TRAINER() \
  if (!has_trainer()) GTEST_SKIP() << "PyTorch's C++ libraries were not found when this was built"

TEST(Train, WithoutATrainerItSaysWhatToInstall) {
  if (has_trainer()) GTEST_SKIP() << "this build has a trainer";
  const TempDir dir;
  const ProgramResult result = stoker(small_training(dir, {"--json"}));
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_NE(result.err.find("torch"), std::string::npos) << result.err;
}

TEST(Train, OneObjectAReport) {
  STOKER_NEEDS_TRAINER();
  const TempDir dir;
  const ProgramResult result = stoker(small_training(dir, {"--json"}));
  ASSERT_EQ(result.status, 0) << result.err;
  const auto lines = json_lines(result.out);
  std::size_t evaluations = 0;
  for (const auto& line : lines) {
    EXPECT_EQ(line["schema"], "stoker.train/1");
    EXPECT_TRUE(line["phase"] == "train" || line["phase"] == "eval");
    evaluations += line["phase"] == "eval" ? 1 : 0;
    for (const char* key : {"epoch", "step", "images_per_s", "data_wait_share", "loss", "accuracy",
                            "epoch_eta_s", "total_eta_s", "cost"})
      EXPECT_TRUE(line.contains(key)) << key;
    EXPECT_TRUE(line["cost"].is_null());
    EXPECT_GE(line["accuracy"], 0.0);
    EXPECT_LE(line["accuracy"], 1.0);
    EXPECT_GE(line["data_wait_share"], 0.0);
    EXPECT_LE(line["data_wait_share"], 1.0);
  }
  EXPECT_EQ(evaluations, 2U);
  const auto& end = lines.back();
  EXPECT_EQ(end["phase"], "eval");
  EXPECT_EQ(end["step"], end["total_steps"]);
  EXPECT_EQ(end["classes"].size(), 2U);
  double whole = 0;
  for (const auto& [part, share] : end["goodput"].items()) whole += share.get<double>();
  EXPECT_NEAR(whole, 1, 1e-3);
}

TEST(Train, LinesForPeopleEndInASummary) {
  STOKER_NEEDS_TRAINER();
  const TempDir dir;
  const ProgramResult result = stoker(small_training(dir, {"--top-k", "2"}));
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("images/s"), std::string::npos);
  EXPECT_NE(result.out.find("top-2 100.0 %"), std::string::npos) << "of two classes";
  EXPECT_NE(result.out.find("trained on 64 images"), std::string::npos) << result.out;
  const std::size_t accuracy = result.out.find("accuracy on the validation set");
  ASSERT_NE(accuracy, std::string::npos);
  EXPECT_LT(result.out.find("the warm-up was shortened"), accuracy) << "the result stands last";
}

TEST(Train, ClassMapsThatDifferAreRefused) {
  STOKER_NEEDS_TRAINER();
  const TempDir dir;
  std::vector<std::string> arguments = small_training(dir, {});
  const std::string photos = dir.path("three");
  ASSERT_EQ(
      stoker({"synth", photos, "--classes", "3", "--images", "5", "--width", "40", "--height", "40"}).status,
      0);
  arguments.back() = photos + "/val";
  const ProgramResult result = stoker(arguments);
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_EQ(result.out, "");
}

TEST(Train, ALossThatIsNoNumberIsAFailureAndNoMistakeInTheCall) {
  STOKER_NEEDS_TRAINER();
  const TempDir dir;
  const ProgramResult result =
      stoker(small_training(dir, {"--lr", "1000", "--wd", "1000", "--mom", "0.99", "--warmup-steps", "0"}));
  EXPECT_EQ(result.status, 1) << result.out;
  EXPECT_NE(result.err.find("diverged"), std::string::npos) << result.err;
  EXPECT_EQ(stoker({"train", "--data-train", "x", "--mom", "1"}).status, 2) << "an option's value is one";
}

TEST(Train, ASignalEndsItBehindTheStep) {
  STOKER_NEEDS_TRAINER();
  const TempDir dir;
  std::vector<std::string> arguments = small_training(dir, {"--json"});
  arguments[static_cast<std::size_t>(std::find(arguments.begin(), arguments.end(), "--num-epochs") -
                                     arguments.begin()) +
            1] = "100000";
  const ProgramResult result =
      stoker(arguments,
             {.signal = SIGINT, .signal_after = std::chrono::seconds(3), .limit = std::chrono::seconds(60)});
  EXPECT_EQ(result.status, 130) << result.err;
  EXPECT_FALSE(json_lines(result.out).empty());
}

}  // namespace
}  // namespace stoker::test
