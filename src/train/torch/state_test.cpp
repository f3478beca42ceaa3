// A learner's state: resumed to the bit, exported, imported, and damaged.
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <functional>
#include <gmock/gmock.h>
#include <string>
#include <vector>

#include "stoker/error.hpp"

#include "base/philox.hpp"
#include "train/torch/state_dict.hpp"
#include "train/torch/test_pictures.hpp"

namespace stoker::training {
namespace {

using ::testing::HasSubstr;

std::vector<LearnerSpec> specs() {
  std::vector<LearnerSpec> specs(5, small_spec());
  specs[1].nesterov = true;
  specs[2].ema_decay = 0.8;
  specs[3].bfloat16 = true;
  specs[4].nesterov = true;
  specs[4].ema_decay = 0.8;
  specs[4].bfloat16 = true;
  specs[4].label_smoothing = 0.1;
  return specs;
}

ErrorCode code_of(const std::function<void()>& action, const std::string& text) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(text));
    return error.code();
  }
  ADD_FAILURE() << "no error; expected " << text;
  return ErrorCode::internal;
}

void expect_equal_states(const std::string& one, const std::string& other) {
  const StateFile first(one, "one");
  const StateFile second(other, "other");
  for (const char* group : {"model", "velocity", "ema"}) {
    const NamedTensors mine = first.tensors(group);
    const NamedTensors theirs = second.tensors(group);
    ASSERT_EQ(mine.size(), theirs.size());
    for (std::size_t i = 0; i < mine.size(); ++i) {
      EXPECT_EQ(mine[i].first, theirs[i].first);
      EXPECT_TRUE(at::equal(mine[i].second, theirs[i].second)) << group << " " << mine[i].first;
    }
  }
}

// Two batches in turns, so that which one comes next matters.
std::vector<double> losses(Learner& learner, int from, int to) {
  const Pictures one(9);
  const Pictures other(7);
  std::vector<double> sums;
  for (int i = from; i < to; ++i)
    sums.push_back(train_step(learner, (i % 2 == 0 ? one : other).batch(), 0.1 / (1 + i)).loss_sum);
  sums.push_back(learner.evaluate(other.batch(), {}).loss_sum);
  return sums;
}

TEST(LearnerState, GoesOnToTheBit) {
  for (const LearnerSpec& spec : specs()) {
    for (const int stopped : {0, 1, 4}) {
      const auto undisturbed = make(spec);
      losses(*undisturbed, 0, stopped);
      const std::string state = undisturbed->state()->serialise();
      LearnerSpec other = spec;
      other.seed = 99;
      const auto resumed = make(other);
      losses(*resumed, 0, 2);
      resumed->restore(state);
      EXPECT_EQ(losses(*undisturbed, stopped, 8), losses(*resumed, stopped, 8));
      expect_equal_states(undisturbed->state()->serialise(), resumed->state()->serialise());
    }
  }
}

TEST(LearnerState, IsACopyThatLaterStepsDoNotTouch) {
  const Pictures pictures(9);
  const auto learner = make(specs()[4]);
  losses(*learner, 0, 2);
  const auto state = learner->state();
  const std::string before = state->serialise();
  losses(*learner, 2, 4);
  expect_equal_states(before, state->serialise());
  const auto again = make(specs()[4]);
  again->restore(before);
  losses(*again, 2, 4);
  expect_equal_states(learner->state()->serialise(), again->state()->serialise());
}

TEST(LearnerState, WhatAccumulatedIsNoPartOfIt) {
  const Pictures pictures(9);
  const auto learner = make(small_spec());
  const std::string clean = learner->state()->serialise();
  learner->accumulate(pictures.batch(), 1.0);
  learner->restore(clean);
  const auto fresh = make(small_spec());
  EXPECT_EQ(losses(*learner, 0, 3), losses(*fresh, 0, 3));
}

TEST(LearnerState, OfAnotherNetworkIsRefused) {
  const std::string state = make(small_spec())->state()->serialise();
  LearnerSpec deeper = small_spec();
  deeper.network.num_layers = 20;
  EXPECT_EQ(code_of([&] { make(deeper)->restore(state); }, "layer1.1.conv1.weight"),
            ErrorCode::invalid_argument);
  LearnerSpec wider = small_spec();
  wider.network.width = 8;
  EXPECT_EQ(
      code_of([&] { make(wider)->restore(state); }, "conv1.weight is [4, 3, 3, 3] there and [8, 3, 3, 3]"),
      ErrorCode::invalid_argument);
  LearnerSpec classes = small_spec();
  classes.network.num_classes = 4;
  EXPECT_EQ(code_of([&] { make(classes)->restore(state); }, "fc.weight"), ErrorCode::invalid_argument);
  LearnerSpec mean = small_spec();
  mean.ema_decay = 0.9;
  EXPECT_EQ(code_of([&] { make(mean)->restore(state); }, "no running mean"), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of([&] { make(small_spec())->restore(make(mean)->state()->serialise()); }, "a running mean"),
            ErrorCode::invalid_argument);
}

TEST(LearnerState, ARefusedOneChangesNothing) {
  const auto learner = make(small_spec());
  const std::string before = learner->state()->serialise();
  LearnerSpec classes = small_spec();  // differs in its last entries alone
  classes.network.num_classes = 4;
  classes.seed = 8;
  EXPECT_THROW(learner->restore(make(classes)->state()->serialise()), Error);
  expect_equal_states(before, learner->state()->serialise());
}

// Whatever was done to the bytes: an error of ours, or tensors of the right shapes.
void expect_no_crash(Learner& learner, const std::string& bytes) {
  for (const bool as_state : {true, false}) try {
      if (as_state)
        learner.restore(bytes);
      else
        learner.load_weights(bytes);
    } catch (const Error& error) {
      EXPECT_THAT(error.code(), ::testing::AnyOf(ErrorCode::corrupt_data, ErrorCode::unsupported,
                                                 ErrorCode::invalid_argument))
          << error.what();
    }
}

TEST(LearnerState, DamageIsAnErrorAndNeverACrash) {
  LearnerSpec spec = small_spec();
  spec.network.width = 1;
  spec.ema_decay = 0.5;
  const auto learner = make(spec);
  const std::string state = learner->state()->serialise();
  for (std::size_t size = 0; size < state.size(); size += 997)
    EXPECT_THAT(code_of([&] { learner->restore(state.substr(0, size)); }, ""), ErrorCode::corrupt_data)
        << size;
  SampleRng rng(3, 0, 0, 0);
  for (int i = 0; i < 400; ++i) {
    std::string damaged = state;
    // The pickle comes first and the directory last; between them lie numbers.
    const double place = rng.uniform(0, 1);
    const double reach = i % 2 == 0 ? 12'000.0 : static_cast<double>(state.size());
    for (int byte = 0; byte <= i % 3; ++byte) {
      const std::size_t at = std::min(
          static_cast<std::size_t>(place * reach) + static_cast<std::size_t>(byte), state.size() - 1);
      damaged[i % 4 == 3 ? state.size() - 1 - at : at] = static_cast<char>(rng.uniform(0, 256));
    }
    expect_no_crash(*learner, damaged);
  }
}

TEST(LearnerState, ExportsEitherSetOfWeights) {
  LearnerSpec spec = small_spec();
  spec.ema_decay = 0.8;
  const auto learner = make(spec);
  losses(*learner, 0, 4);
  const std::string state = learner->state()->serialise();
  const auto& export_weights = stoker_train_library()->export_weights;
  const Pictures pictures(9);
  // The mean, imported as weights, evaluates as the learner does, which evaluates by the mean.
  const auto plain = make(small_spec());
  EXPECT_TRUE(plain->load_weights(export_weights(state, true)).empty());
  EXPECT_EQ(plain->evaluate(pictures.batch(), {}).loss_sum, learner->evaluate(pictures.batch(), {}).loss_sum);
  plain->load_weights(export_weights(state, false));
  EXPECT_NE(plain->evaluate(pictures.batch(), {}).loss_sum, learner->evaluate(pictures.batch(), {}).loss_sum);
  const std::string without = make(small_spec())->state()->serialise();
  EXPECT_EQ(code_of([&] { export_weights(without, true); }, "no running mean"), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of([&] { export_weights("PK", false); }, "zip"), ErrorCode::corrupt_data);
}

TEST(LoadWeights, ClearsTheOptimisersMemory) {
  const auto learner = make(specs()[4]);
  const std::string weights = stoker_train_library()->export_weights(learner->state()->serialise(), false);
  const auto other = make(specs()[4]);
  losses(*other, 0, 3);
  other->load_weights(weights);
  EXPECT_EQ(losses(*learner, 0, 3), losses(*other, 0, 3));
}

TEST(LoadWeights, KeepsItsLastLayerWhereTheClassesDiffer) {
  LearnerSpec spec = small_spec();
  spec.network.num_classes = 7;
  const std::string weights = stoker_train_library()->export_weights(make(spec)->state()->serialise(), false);
  spec = small_spec();
  spec.seed = 6;
  const auto learner = make(spec);
  const std::string before = learner->state()->serialise();
  const std::vector<std::string> remarks = learner->load_weights(weights);
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_THAT(remarks[0], HasSubstr("7 classes, this network 3"));
  const NamedTensors kept = StateFile(before, "").tensors("model");
  const NamedTensors now = StateFile(learner->state()->serialise(), "").tensors("model");
  for (std::size_t i = 0; i < now.size(); ++i) {
    const std::string& name = now[i].first;
    if (name != "fc.weight" && name != "conv1.weight") continue;
    EXPECT_EQ(at::equal(now[i].second, kept[i].second), name == "fc.weight") << name;
  }
}

TEST(LoadWeights, TakesTheUsualWrappings) {
  const auto source = make(small_spec());
  const NamedTensors tensors = StateFile(source->state()->serialise(), "").tensors("model");
  NamedTensors prefixed, without_counts;
  for (const auto& [name, tensor] : tensors) {
    prefixed.emplace_back("module." + name, tensor);
    if (!name.ends_with("num_batches_tracked")) without_counts.emplace_back(name, tensor);
  }
  prefixed.emplace_back("n_averaged", at::full({}, 3, at::kLong));
  LearnerSpec spec = small_spec();
  spec.seed = 77;
  const Pictures pictures(9);
  const double expected = source->evaluate(pictures.batch(), {}).loss_sum;
  for (const std::string& file :
       {write_state_file(tensors), write_state_file(prefixed), write_state_file(without_counts),
        write_state_file({{"state_dict", prefixed}}), write_state_file({{"model", tensors}})}) {
    const auto learner = make(spec);
    EXPECT_TRUE(learner->load_weights(file).empty());
    EXPECT_EQ(learner->evaluate(pictures.batch(), {}).loss_sum, expected);
  }
}

TEST(LoadWeights, NamesWhatDiffers) {
  NamedTensors tensors = StateFile(make(small_spec())->state()->serialise(), "").tensors("model");
  tensors[0].first = "conv0.weight";
  const auto learner = make(small_spec());
  EXPECT_EQ(code_of([&] { learner->load_weights(write_state_file(tensors)); },
                    "it has no conv1.weight, and 1 more differ"),
            ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace stoker::training
