#include "train/checkpoint.hpp"

#include <gmock/gmock.h>
#include <string>

#include "stoker/error.hpp"

#include "support/temp_dir.hpp"
#include "train/checkpoint_folder.hpp"

namespace stoker::training {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

CheckpointHeader some_header() {
  CheckpointHeader header;
  header.network = {.num_layers = 50, .width = 64, .num_classes = 7};
  header.averaged = true;
  header.position = {
      .step = 1234, .epoch = 3, .epoch_step = 34, .epochs_evaluated = 3, .loader = R"({"a":"\"b"})"};
  header.history.training = {.outcome = {.counted = 10, .correct = 5, .top_k_correct = 7, .loss_sum = 0.1},
                             .steps = 4,
                             .wait_s = 0.25,
                             .wall_s = 1.0 / 3};
  header.history.goodput = {.train_s = 1, .data_wait_s = 2, .evaluate_s = 3, .checkpoint_s = 4, .other_s = 5};
  header.history.wall_s = 15;
  header.history.evaluations = {{.phase = TrainPhase::eval,
                                 .epoch = 2,
                                 .step = 1200,
                                 .total_steps = 4000,
                                 .loss = 0.7,
                                 .accuracy = 0.8,
                                 .top_k_accuracy = 0.9}};
  header.settings = {{"--lr", "0.1"}, {"--odd", "\xFF\n\""}};
  return header;
}

class CheckpointFile : public ::testing::Test {
 protected:
  std::string write(const std::string& learner) {
    const std::string path = folder_.path("a.ckpt");
    const auto file = store_->create(path);
    write_checkpoint(*file, some_header(), learner);
    file->commit();
    return path;
  }
  std::string failure_of(const std::string& path) {
    const auto read = read_checkpoint(*store_, path);
    return read ? "" : std::string(to_string(read.error().code())) + " " + read.error().what();
  }

  test::TempDir folder_;
  std::shared_ptr<Store> store_ = open_store(".");
};

TEST_F(CheckpointFile, KeepsEverything) {
  const std::string learner("\0\xFF weights", 10);
  const auto read = read_checkpoint(*store_, write(learner));
  ASSERT_TRUE(read) << read.error().what();
  EXPECT_EQ(read->learner, learner);
  const CheckpointHeader& header = read->header;
  const CheckpointHeader wanted = some_header();
  EXPECT_EQ(header.network.num_layers, 50);
  EXPECT_EQ(header.network.num_classes, 7);
  EXPECT_TRUE(header.averaged);
  EXPECT_EQ(header.position.step, 1234U);
  EXPECT_EQ(header.position.epoch, 3);
  EXPECT_EQ(header.position.epoch_step, 34U);
  EXPECT_EQ(header.position.epochs_evaluated, 3);
  EXPECT_EQ(header.position.loader, wanted.position.loader);
  EXPECT_EQ(header.history.training.wall_s, 1.0 / 3) << "every digit";
  EXPECT_EQ(header.history.training.outcome.top_k_correct, 7U);
  EXPECT_EQ(header.history.goodput.other_s, 5);
  ASSERT_EQ(header.history.evaluations.size(), 1U);
  EXPECT_EQ(header.history.evaluations[0].accuracy, 0.8);
  EXPECT_EQ(header.history.evaluations[0].top_k_accuracy, 0.9);
  EXPECT_EQ(header.history.evaluations[0].phase, TrainPhase::eval);
  EXPECT_EQ(header.settings[0], wanted.settings[0]);
}

TEST_F(CheckpointFile, CutAnywhereItIsDamaged) {
  const std::string whole = test::read_file(write("weights of a network"));
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    folder_.write("cut.ckpt", whole.substr(0, bytes));
    ASSERT_THAT(failure_of(folder_.path("cut.ckpt")), HasSubstr("corrupt_data")) << bytes;
  }
}

TEST_F(CheckpointFile, AChangedByteIsFound) {
  const std::string whole = test::read_file(write("weights of a network"));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    folder_.write("changed.ckpt", changed);
    ASSERT_NE(failure_of(folder_.path("changed.ckpt")), "") << at;
  }
}

TEST_F(CheckpointFile, AFrontThatLiesAllocatesNothing) {
  std::string bytes = test::read_file(write("weights"));
  bytes.replace(16, 8, std::string(7, '\xFF') + '\x7F');
  folder_.write("lies.ckpt", bytes);
  EXPECT_THAT(failure_of(folder_.path("lies.ckpt")), HasSubstr("announces"));
}

TEST_F(CheckpointFile, ALaterVersionIsNamed) {
  std::string bytes = test::read_file(write("weights"));
  bytes[8] = 2;
  folder_.write("later.ckpt", bytes);
  EXPECT_THAT(failure_of(folder_.path("later.ckpt")), HasSubstr("unsupported"));
}

class CheckpointNames : public ::testing::Test {
 protected:
  std::vector<std::string> listed(const std::string& prefix) {
    std::vector<std::string> paths;
    for (const CheckpointName& name : CheckpointFolder(open_store("."), folder_.path(prefix)).list())
      paths.push_back(name.path.substr(folder_.path().size() + 1));
    return paths;
  }
  test::TempDir folder_;
};

TEST_F(CheckpointNames, StandInTheOrderOfTraining) {
  for (const char* name : {"net-0010.ckpt", "net-0002.ckpt", "net-0002-00000200.ckpt", "net-10000.ckpt",
                           "net-0001-00000150.ckpt", "other-0001.ckpt", "net-.ckpt", "net-0003.txt",
                           "net-003.ckpt", "net-0003-12.ckpt", "net-0004-.ckpt", "net-0005.ckpt.bak"})
    folder_.write(name, "x");
  EXPECT_THAT(listed("net"), ElementsAre("net-0001-00000150.ckpt", "net-0002.ckpt", "net-0002-00000200.ckpt",
                                         "net-0010.ckpt", "net-10000.ckpt"));
  EXPECT_THAT(listed("absent/net"), IsEmpty());
}

TEST_F(CheckpointNames, WhatAKilledWriterLeftGoes) {
  folder_.write(".net-0001.ckpt.stoker-999999999-0.tmp", "half");
  folder_.write(".other-0001.ckpt.stoker-999999999-0.tmp", "half");
  const CheckpointFolder folder(open_store("."), folder_.path("net"));
  EXPECT_FALSE(std::filesystem::exists(folder_.path(".net-0001.ckpt.stoker-999999999-0.tmp")));
  EXPECT_TRUE(std::filesystem::exists(folder_.path(".other-0001.ckpt.stoker-999999999-0.tmp")));
}

}  // namespace
}  // namespace stoker::training
