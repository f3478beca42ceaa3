#include "train/batch_feeder.hpp"

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <stdexcept>

#include "train/loop_fixtures.hpp"

namespace stoker::training::test {
namespace {

// Counts the copies that live.
class CountingLearner final : public Learner {
 public:
  explicit CountingLearner(bool stages) : stages_(stages) {}

  bool wants_staging() const override { return stages_; }
  std::unique_ptr<StagedBatch> stage(const LearnerBatch& batch) override {
    if (batch.labels[0] == fails_at) throw std::runtime_error("no memory");
    const int now = ++living_;
    most = std::max(most.load(), now);
    ++staged;
    return std::make_unique<Copy>(living_);
  }
  Outcome accumulate(const LearnerBatch&, double) override { return {}; }
  void update(double) override {}
  Outcome evaluate(const LearnerBatch&, std::span<std::uint8_t>) override { return {}; }
  std::unique_ptr<LearnerState> state() const override { return nullptr; }
  void restore(std::string_view) override {}
  std::vector<std::string> load_weights(std::string_view) override { return {}; }
  std::uint64_t parameter_count() const override { return 0; }

  int living() const { return living_; }
  std::atomic<int> most{0}, staged{0};
  std::int64_t fails_at = -1;

 private:
  struct Copy final : StagedBatch {
    explicit Copy(std::atomic<int>& living) : living_(living) {}
    ~Copy() override { --living_; }
    std::atomic<int>& living_;
  };

  bool stages_;
  std::atomic<int> living_{0};
};

// Batches whose one label is their number, from 0.
BatchSource numbered(std::int64_t count, std::int64_t fails_at = -1) {
  return [count, fails_at, next = std::int64_t{0}]() mutable -> std::optional<TakenBatch> {
    if (next == fails_at) throw std::runtime_error("a bad sample");
    if (next == count) return std::nullopt;
    std::optional<TakenBatch> taken(std::in_place);
    taken->labels = {next};
    taken->view = {.size = 1, .labels = taken->labels};
    taken->behind.samples_done = static_cast<std::uint64_t>(++next);
    return taken;
  };
}

std::vector<std::int64_t> numbers_of(BatchFeeder& feeder) {
  std::vector<std::int64_t> numbers;
  while (const TakenBatch* batch = feeder.next()) {
    numbers.push_back(batch->view.labels[0]);
    EXPECT_EQ(batch->behind.samples_done, static_cast<std::uint64_t>(batch->labels[0] + 1));
  }
  return numbers;
}

class Feeder : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Stages, Feeder, ::testing::Bool(),
                         [](const auto& one) { return one.param ? "Ahead" : "Directly"; });

TEST_P(Feeder, KeepsTheOrder) {
  CountingLearner learner(GetParam());
  BatchFeeder feeder(numbered(5), learner, 100);
  EXPECT_EQ(numbers_of(feeder), (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(feeder.next(), nullptr) << "it stays at its end";
}

TEST_P(Feeder, TakesNoMoreThanItShould) {
  CountingLearner learner(GetParam());
  int taken = 0;
  BatchFeeder feeder(
      [&, source = numbered(9)] {
        ++taken;
        return source();
      },
      learner, 3);
  EXPECT_EQ(numbers_of(feeder), (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(taken, 3);
}

TEST_P(Feeder, ThrowsInThePlaceOfTheBatch) {
  CountingLearner learner(GetParam());
  BatchFeeder feeder(numbered(5, 2), learner, 100);
  EXPECT_EQ(feeder.next()->labels[0], 0);
  EXPECT_EQ(feeder.next()->labels[0], 1);
  EXPECT_THROW(feeder.next(), std::runtime_error);
  EXPECT_EQ(feeder.next(), nullptr);
}

TEST(StagingFeeder, ThrowsWhatStagingThrew) {
  CountingLearner learner(true);
  learner.fails_at = 1;
  BatchFeeder feeder(numbered(5), learner, 100);
  EXPECT_NE(feeder.next(), nullptr);
  EXPECT_THROW(feeder.next(), std::runtime_error);
  EXPECT_EQ(feeder.next(), nullptr);
}

TEST(StagingFeeder, HasTheNextOneReadyAndNoMore) {
  CountingLearner learner(true);
  BatchFeeder feeder(numbered(20), learner, 100);
  for (int i = 0; i < 20; ++i) {
    ASSERT_NE(feeder.next(), nullptr);
    while (learner.staged < std::min(i + 2, 20)) std::this_thread::yield();  // while this one is in use
  }
  EXPECT_EQ(learner.most, 2);
  EXPECT_EQ(feeder.next(), nullptr);
  EXPECT_EQ(learner.living(), 0);
}

TEST(StagingFeeder, LeavesNothingBehindWhereItEndsEarly) {
  CountingLearner learner(true);
  for (int taken = 0; taken < 4; ++taken) {
    BatchFeeder feeder(numbered(20), learner, 100);
    for (int i = 0; i < taken; ++i) feeder.next();
  }
  EXPECT_EQ(learner.living(), 0);
}

TEST(DirectFeeder, StagesNothing) {
  CountingLearner learner(false);
  BatchFeeder feeder(numbered(5), learner, 100);
  numbers_of(feeder);
  EXPECT_EQ(learner.staged, 0);
}

}  // namespace
}  // namespace stoker::training::test
