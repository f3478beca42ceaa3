// Checkpoints of a training: what is written when, and going on from them.
#include <algorithm>
#include <filesystem>
#include <gmock/gmock.h>
#include <limits>
#include <thread>

#include "store/faulty_store.hpp"
#include "train/checkpoint_folder.hpp"
#include "train/loop_fixtures.hpp"
#include "train/prefix_lock.hpp"

namespace stoker::training::test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class Resume : public TrainingLoop {
 protected:
  void SetUp() override {
    add_pictures("train", {"a", "b"}, 8);  // 16: 4 steps of 4 an epoch
    add_pictures("val", {"a", "b"}, 2);
    options_.num_epochs = 3;
    options_.disp_batches = 1;
    options_.model_prefix = folder_.path("models/net");
    options_.keep = 0;
  }

  std::vector<std::string> checkpoints() const {
    std::vector<std::string> names;
    for (const CheckpointName& name : CheckpointFolder(open_store("."), options_.model_prefix).list())
      names.push_back(std::filesystem::path(name.path).filename());
    return names;
  }

  // A training that is stopped behind its update number `step`.
  void run_until(int step) {
    script_.on_train_step = [this, step] { stop_ = static_cast<int>(script_.rates.size()) >= step; };
    EXPECT_TRUE(run().interrupted);
    script_.on_train_step = {};
    stop_ = false;
  }
};

TEST_F(Resume, OneIsWrittenBehindEachEpoch) {
  const TrainReport report = run();
  EXPECT_THAT(checkpoints(), ElementsAre("net-0001.ckpt", "net-0002.ckpt", "net-0003.ckpt"));
  EXPECT_THAT(report.last_checkpoint, HasSubstr("net-0003.ckpt"));
}

TEST_F(Resume, AlsoEverySoManySteps) {
  options_.checkpoint_steps = 3;
  options_.num_epochs = 2;
  run();
  EXPECT_THAT(checkpoints(), ElementsAre("net-0000-00000003.ckpt", "net-0001.ckpt", "net-0001-00000006.ckpt",
                                         "net-0002.ckpt"));
}

TEST_F(Resume, TheNewestAreKeptAndTheBest) {
  options_.keep = 1;
  options_.num_epochs = 4;
  run();  // every evaluation is alike: the first is the best
  EXPECT_THAT(checkpoints(), ElementsAre("net-0001.ckpt", "net-0004.ckpt"));
}

// The heart of it: wherever the training stops, the rest is that of an undisturbed one.
TEST_F(Resume, GoesOnWithTheStepThatWouldHaveComeNext) {
  const TrainReport whole = run();
  const Script undisturbed = script_;
  const std::vector<TrainLine> all_lines = lines_;
  for (int step = 1; step <= 11; ++step) {
    SCOPED_TRACE(step);
    std::filesystem::remove_all(folder_.path("models"));
    script_ = Script();
    lines_.clear();
    options_.resume = false;
    run_until(step);
    options_.resume = true;
    const TrainReport report = run();
    EXPECT_EQ(script_.rates, undisturbed.rates);
    EXPECT_EQ(script_.first_pixels, undisturbed.first_pixels);
    EXPECT_EQ(script_.train_labels, undisturbed.train_labels);
    EXPECT_THAT(script_.restored, ElementsAre(std::to_string(step)));
    EXPECT_EQ(report.evaluations.size(), whole.evaluations.size());
    ASSERT_EQ(lines_.size(), all_lines.size());
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      EXPECT_EQ(lines_[i].step, all_lines[i].step);
      EXPECT_EQ(lines_[i].epoch, all_lines[i].epoch);
      EXPECT_EQ(lines_[i].phase, all_lines[i].phase);
    }
  }
}

TEST_F(Resume, AnEvaluationThatWasStoppedIsMadeUpFor) {
  script_.on_evaluate = [this] { stop_ = true; };
  EXPECT_TRUE(run().interrupted);
  script_.on_evaluate = {};
  stop_ = false;
  options_.resume = true;
  const TrainReport report = run();
  ASSERT_EQ(report.evaluations.size(), 3U);
  EXPECT_EQ(report.evaluations[0].epoch, 0);
  EXPECT_EQ(report.evaluations[2].epoch, 2);
}

TEST_F(Resume, WithoutACheckpointItBegins) {
  options_.resume = true;
  const TrainReport report = run();
  EXPECT_EQ(script_.rates.size(), 12U);
  EXPECT_THAT(report.notes, Contains(HasSubstr("no checkpoint to go on from")));
}

TEST_F(Resume, ATornOneIsPassedOver) {
  run_until(6);
  const std::string newest = folder_.path("models/net-0001-00000006.ckpt");
  std::filesystem::resize_file(newest, std::filesystem::file_size(newest) - 1);
  options_.resume = true;
  const TrainReport report = run();
  EXPECT_THAT(report.notes, Contains(HasSubstr("net-0001-00000006.ckpt is passed over")));
  EXPECT_THAT(script_.restored, ElementsAre("4"));
  EXPECT_EQ(script_.rates.size(), 6U + 8U);
}

TEST_F(Resume, WhatIsDoneIsNotDoneAgain) {
  run();
  script_ = Script();
  options_.resume = true;
  const TrainReport report = run();
  EXPECT_TRUE(script_.rates.empty());
  EXPECT_THAT(report.notes, Contains(HasSubstr("nothing was left to train")));
  EXPECT_EQ(report.evaluations.size(), 3U);
}

TEST_F(Resume, EarlierCheckpointsAreNotOverwrittenUnasked) {
  run();
  const Error error = error_of_run();
  EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
  EXPECT_THAT(error.what(), HasSubstr("net-0003.ckpt"));
  EXPECT_THAT(error.what(), HasSubstr("--resume auto"));
}

TEST_F(Resume, LoadEpochGoesOnBehindIt) {
  run();
  std::filesystem::remove(folder_.path("models/net-0003.ckpt"));
  script_ = Script();
  options_.load_epoch = 2;
  run();
  EXPECT_EQ(script_.rates.size(), 4U);
  EXPECT_THAT(script_.restored, ElementsAre("8"));
}

TEST_F(Resume, LoadEpochNamesWhatThereIs) {
  run();
  options_.load_epoch = 7;
  const Error error = error_of_run();
  EXPECT_EQ(error.code(), ErrorCode::not_found);
  EXPECT_THAT(error.what(), HasSubstr("net-0007.ckpt"));
  EXPECT_THAT(error.what(), HasSubstr("net-0003.ckpt"));
}

TEST_F(Resume, ACheckpointOfAnotherNetworkIsRefused) {
  run();
  options_.resume = true;
  options_.num_layers = 8;
  const Error error = error_of_run();
  EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
  EXPECT_THAT(error.what(), HasSubstr("--num-layers"));
  EXPECT_THAT(error.what(), HasSubstr("20"));
}

TEST_F(Resume, AnotherBatchSizeIsRefusedInTheMiddleOfAnEpochOnly) {
  run_until(6);
  options_.resume = true;
  options_.batch_size = 8;
  EXPECT_THAT(error_of_run().what(), HasSubstr("--batch-size"));
  std::filesystem::remove(folder_.path("models/net-0001-00000006.ckpt"));
  const TrainReport report = run();
  EXPECT_THAT(report.notes, Contains(HasSubstr("--batch-size is 8 from here on")));
  EXPECT_EQ(script_.rates.size(), 6U + 2U * 2U);
}

TEST_F(Resume, AFullDiskDoesNotEndTheTraining) {
  store::Faults faults;
  faults.commits = {.first = 1, .count = 2, .code = ErrorCode::out_of_resources};
  store_ = std::make_shared<store::FaultyStore>(open_store("."), faults);
  const TrainReport report = run();
  EXPECT_THAT(checkpoints(), ElementsAre("net-0003.ckpt"));
  EXPECT_EQ(std::ranges::count_if(report.notes,
                                  [](const std::string& note) {
                                    return note.find("no checkpoint was written") != std::string::npos;
                                  }),
            2);
}

TEST_F(Resume, TheLastCheckpointMustBeWrittenAndTheOneBeforeStays) {
  store::Faults faults;
  faults.commits = {.first = 3, .count = store::kForever, .code = ErrorCode::out_of_resources};
  store_ = std::make_shared<store::FaultyStore>(open_store("."), faults);
  options_.keep = 1;
  const TrainReport report = run();
  EXPECT_THAT(report.unsaved, HasSubstr("net-0003.ckpt"));
  EXPECT_EQ(report.evaluations.size(), 3U) << "the report is there all the same";
  EXPECT_THAT(checkpoints(), Contains("net-0002.ckpt"));
  EXPECT_THAT(checkpoints(), Not(Contains("net-0003.ckpt")));
}

TEST_F(Resume, ADivergedTrainingKeepsItsLastGoodCheckpoint) {
  script_.on_train_step = [this] {
    if (script_.rates.size() == 6) script_.loss = std::numeric_limits<double>::quiet_NaN();
  };
  EXPECT_THAT(error_of_run().what(), HasSubstr("diverged"));
  EXPECT_EQ(script_.rates.size(), 6U) << "the bad step changed the weights";
  EXPECT_THAT(checkpoints(), ElementsAre("net-0001.ckpt"));
}

// Weights that were fine at the last loss may be beyond help at the next one.
TEST_F(Resume, ACheckpointBehindWhichTheLossIsNoNumberGoes) {
  options_.checkpoint_steps = 1;
  options_.keep = 1;
  options_.data_val.clear();
  script_.on_train_step = [this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // time to write the one before
    if (script_.rates.size() == 6) script_.loss = std::numeric_limits<double>::quiet_NaN();
  };
  EXPECT_THAT(error_of_run().what(), HasSubstr("diverged"));
  const std::vector<std::string> left = checkpoints();
  ASSERT_FALSE(left.empty());
  EXPECT_THAT(left, Not(Contains("net-0001-00000006.ckpt")));
  script_.on_train_step = {};
  script_.loss = 1;
  options_.resume = true;
  EXPECT_FALSE(run().interrupted);
}

TEST_F(Resume, AnEvaluationWhoseLossIsNoNumberStopsIt) {
  script_.on_evaluate = [this] { script_.loss = std::numeric_limits<double>::quiet_NaN(); };
  EXPECT_THAT(error_of_run().what(), HasSubstr("diverged"));
}

TEST_F(Resume, WhatFailsBesideTheTrainingLosesNothing) {
  script_.on_evaluate = [] { throw Error(ErrorCode::corrupt_data, {.found = "a bad picture"}); };
  EXPECT_THAT(error_of_run().what(), HasSubstr("a bad picture"));
  EXPECT_THAT(checkpoints(), ElementsAre("net-0001.ckpt"));
  script_.on_evaluate = {};
  options_.resume = true;
  EXPECT_EQ(run().evaluations.size(), 3U) << "the evaluation is made up for";
}

TEST_F(Resume, ALineThatCannotBePrintedLosesNothing) {
  on_line_ = [](const TrainLine& line) {
    if (line.step == 6) throw Error(ErrorCode::io, {.found = "no reader"});
  };
  EXPECT_THAT(error_of_run().what(), HasSubstr("no reader"));
  EXPECT_THAT(checkpoints(), Contains("net-0001-00000006.ckpt"));
}

TEST_F(Resume, GarbageUnderALaterNameNeitherCountsNorGoes) {
  run_until(6);
  folder_.write("models/net-0009.ckpt", "garbage");
  options_.resume = true;
  options_.keep = 1;
  run();
  EXPECT_THAT(checkpoints(), ElementsAre("net-0001.ckpt", "net-0003.ckpt", "net-0009.ckpt"));
}

TEST_F(Resume, APlaceWhereNothingCanBeWrittenIsToldAtOnce) {
  folder_.write("file", "");
  options_.model_prefix = folder_.path("file/net");
  error_of_run();
  EXPECT_TRUE(script_.rates.empty());
}

TEST_F(Resume, OneTrainingAtATimeUnderAPrefix) {
  script_.on_train_step = [this] {
    if (script_.rates.size() != 1) return;
    try {
      const PrefixLock second(options_.model_prefix);
      ADD_FAILURE() << "both got it";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::unavailable);
    }
  };
  run();
  const PrefixLock free_again(options_.model_prefix);
}

TEST_F(Resume, FirstWeightsComeFromAFile) {
  folder_.write("first.pt", "weights");
  options_.init_from = folder_.path("first.pt");
  const TrainReport report = run();
  EXPECT_THAT(script_.loaded, ElementsAre("weights"));
  EXPECT_THAT(report.notes, Contains(HasSubstr("the last layer keeps its first weights")));
}

TEST_F(TrainingLoop, AStepTakesSeveralBatches) {
  add_pictures("train", {"a", "b"}, 10);  // 20: 5 batches of 4, 3 steps of 2, 2 and 1
  options_.data_val.clear();
  options_.num_epochs = 1;
  options_.accumulate = 2;
  run();
  EXPECT_EQ(script_.rates.size(), 3U);
  EXPECT_THAT(script_.shares, ElementsAre(0.5, 0.5, 0.5, 0.5, 1));
}

TEST_F(TrainingLoop, PicturesGrowBetweenEpochs) {
  add_pictures("train", {"a", "b"}, 4);
  options_.data_val.clear();
  options_.num_epochs = 3;
  options_.image_size_schedule = {{1, {24, 24}}};
  run();
  const Size small{16, 16}, large{24, 24};
  EXPECT_THAT(script_.sizes, ElementsAre(small, small, large, large, large, large));
}

TEST_F(TrainingLoop, TellsTheAccuracyOfEachClass) {
  add_pictures("train", {"a", "b"}, 4);
  add_pictures("val", {"a", "b"}, 3);
  const TrainReport report = run();
  ASSERT_EQ(report.classes.size(), 2U);
  EXPECT_EQ(report.classes[0].name, "a");
  EXPECT_EQ(report.classes[0].images, 3U);
  EXPECT_EQ(report.classes[0].correct, 3U);  // the learner says 0 to everything
  EXPECT_EQ(report.classes[1].correct, 0U);
}

TEST_F(TrainingLoop, TellsTheBill) {
  add_pictures("train", {"a", "b"}, 4);
  options_.price_per_h = 3600;  // 1 a second
  const TrainReport report = [&] {
    add_pictures("val", {"a", "b"}, 2);
    return run();
  }();
  for (const TrainLine& line : lines_) {
    ASSERT_TRUE(line.cost.has_value());
    EXPECT_NEAR(*line.cost_to_go, *line.total_eta_s, 1e-9);
  }
  EXPECT_NEAR(*report.cost, report.wall_s, 0.5);
  const Goodput& parts = report.goodput;
  EXPECT_NEAR(parts.train_s + parts.data_wait_s + parts.evaluate_s + parts.checkpoint_s + parts.other_s,
              report.wall_s, 1e-9);
}

}  // namespace
}  // namespace stoker::training::test
