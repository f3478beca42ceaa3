#include "train/classes.hpp"

#include <gmock/gmock.h>
#include <limits>

namespace stoker::training {
namespace {

using ::testing::HasSubstr;

// Records that live in this test: a label each, or none, or damage.
class FakeRecords final : public RecordReader {
 public:
  static constexpr float kNoLabel = -100;
  static constexpr float kDamaged = -200;

  FakeRecords(std::vector<float> labels, std::vector<std::string> classes, bool knows_labels)
      : labels_(std::move(labels)), classes_(std::move(classes)), knows_labels_(knows_labels) {}

  RecordFormat format() const override { return RecordFormat::recordio; }
  std::size_t size() const override { return labels_.size(); }
  const std::vector<std::string>& classes() const override { return classes_; }
  RecordInfo info(std::size_t index) const override {
    return {.container = "fake.rec", .offset = 100 * index};
  }
  void read(std::size_t index, Sample& sample) const override {
    ++reads;
    if (labels_[index] == kDamaged)
      throw Error(ErrorCode::corrupt_data, {.operation = "read record", .found = "damage"});
    sample.key = "key" + std::to_string(index);
    sample.labels.clear();
    if (labels_[index] != kNoLabel) sample.labels.push_back(labels_[index]);
    sample.labels.resize(sample.labels.size() + more_labels, 0.5F);
  }
  std::span<const float> known_labels() const override {
    return knows_labels_ ? std::span<const float>(labels_) : std::span<const float>();
  }

  mutable int reads = 0;
  std::size_t more_labels = 0;  // behind the first

 private:
  std::vector<float> labels_;
  std::vector<std::string> classes_;
  bool knows_labels_;
};

const std::vector<std::string> kNoNames;

TEST(CheckClassMaps, EqualOrUnknownIsFine) {
  const FakeRecords ab({0, 1}, {"a", "b"}, true);
  const FakeRecords other({0, 1}, {"a", "b"}, false);
  const FakeRecords unknown({0, 1}, kNoNames, false);
  EXPECT_TRUE(check_class_maps({"train", &ab}, {"val", &other}));
  EXPECT_TRUE(check_class_maps({"train", &ab}, {"val", &unknown}));
  EXPECT_TRUE(check_class_maps({"train", &unknown}, {"val", &ab}));
}

TEST(CheckClassMaps, NamesTheFirstDifference) {
  const FakeRecords train({0, 1}, {"ant", "bee", "cat"}, true);
  const FakeRecords val({0, 1}, {"ant", "cat"}, true);
  const auto checked = check_class_maps({"train", &train}, {"val", &val});
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code(), ErrorCode::invalid_argument);
  EXPECT_THAT(checked.error().what(), HasSubstr("class 1 is \"bee\" in the first and \"cat\" in the second"));
  EXPECT_THAT(checked.error().what(), HasSubstr("--classes"));
}

TEST(CheckClassMaps, AMapThatEndsEarlierDiffers) {
  const FakeRecords train({0, 1}, {"ant", "bee"}, true);
  const FakeRecords val({0, 1}, {"ant"}, true);
  const auto checked = check_class_maps({"train", &train}, {"val", &val});
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().what(), HasSubstr("class 1 is \"bee\" in the first and nothing in the second"));
}

TEST(CountClasses, ComesFromTheClassMapWithoutReading) {
  const FakeRecords records({0, 0}, {"a", "b", "c"}, false);
  EXPECT_EQ(count_classes({"train", &records}, 0, nullptr).value(), 3);
  EXPECT_EQ(records.reads, 0);
}

TEST(CountClasses, ComesFromKnownLabelsWithoutReading) {
  const FakeRecords records({0, 6, 2}, kNoNames, true);
  EXPECT_EQ(count_classes({"train", &records}, 0, nullptr).value(), 7);
  EXPECT_EQ(records.reads, 0);
}

TEST(CountClasses, ElseOneReadingFindsTheLargestLabelPastDamage) {
  const FakeRecords records({0, FakeRecords::kDamaged, 4, 2}, kNoNames, false);
  EXPECT_EQ(count_classes({"train", &records}, 0, nullptr).value(), 5);
}

TEST(CountClasses, WhatIsWantedWins) {
  const FakeRecords records({0, 1}, {"a", "b"}, true);
  EXPECT_EQ(count_classes({"train", &records}, 10, nullptr).value(), 10);
}

TEST(CountClasses, FewerThanTheClassMapIsRefused) {
  const FakeRecords records({0, 1}, {"a", "b", "c"}, true);
  const auto count = count_classes({"train", &records}, 2, nullptr);
  ASSERT_FALSE(count);
  EXPECT_EQ(count.error().parts().object, "--num-classes");
}

TEST(CountClasses, OneClassIsRefused) {
  const FakeRecords records({0, 0}, kNoNames, true);
  EXPECT_FALSE(count_classes({"train", &records}, 0, nullptr));
}

TEST(CountClasses, NoReadableRecordIsRefused) {
  const FakeRecords records({FakeRecords::kDamaged}, kNoNames, false);
  EXPECT_FALSE(count_classes({"train", &records}, 0, nullptr));
}

TEST(CountClasses, ARecordWithoutLabelIsNamed) {
  const FakeRecords records({0, FakeRecords::kNoLabel}, kNoNames, false);
  const auto count = count_classes({"train", &records}, 0, nullptr);
  ASSERT_FALSE(count);
  EXPECT_THAT(count.error().what(), HasSubstr("record 1 (key key1, fake.rec offset 100)"));
}

TEST(CountClasses, ALabelThatIsNoWholeNumberIsNamed) {
  for (const float label :
       {0.5F, -1.0F, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    const FakeRecords records({0, label}, kNoNames, false);
    const auto count = count_classes({"train", &records}, 0, nullptr);
    ASSERT_FALSE(count) << label;
    EXPECT_THAT(count.error().what(), HasSubstr("key1"));
  }
}

TEST(CountClasses, StopsOnRequest) {
  const FakeRecords records({0, 1}, kNoNames, false);
  const std::atomic<bool> stop{true};
  const auto count = count_classes({"train", &records}, 0, &stop);
  ASSERT_FALSE(count);
  EXPECT_EQ(count.error().code(), ErrorCode::cancelled);
}

TEST(CheckNotEmpty, RefusesAnEmptySource) {
  const FakeRecords none({}, {"a", "b"}, false);
  const auto checked = check_not_empty({"empty.rec", &none});
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().what(), HasSubstr("empty.rec"));
  const FakeRecords one({0}, kNoNames, false);
  EXPECT_TRUE(check_not_empty({"train", &one}));
}

TEST(CheckLabels, KnownOnesAreAllChecked) {
  std::vector<float> labels(1000, 1);
  labels[337] = 5;
  const FakeRecords records(labels, kNoNames, true);
  EXPECT_TRUE(check_labels({"val", &records}, 6));
  const auto checked = check_labels({"val", &records}, 5);
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().what(), HasSubstr("record 337"));
  EXPECT_THAT(checked.error().what(), HasSubstr("label 5"));
}

TEST(CheckLabels, TellsHowManyLabelsARecordHas) {
  FakeRecords records({0, 1, FakeRecords::kDamaged}, kNoNames, false);
  EXPECT_EQ(check_labels({"val", &records}, 2).value(), 1U);
  records.more_labels = 3;
  EXPECT_EQ(check_labels({"val", &records}, 2).value(), 4U);
}

TEST(CheckLabels, OfManyUnknownOnesAFewAreRead) {
  const FakeRecords records(std::vector<float>(100'000, 1), kNoNames, false);
  EXPECT_TRUE(check_labels({"val", &records}, 2));
  EXPECT_LE(records.reads, 16);
  EXPECT_GT(records.reads, 0);
}

TEST(CheckLabels, RawRecordsAreRefused) {
  const FakeRecords records(std::vector<float>(50, FakeRecords::kNoLabel), {"a", "b"}, false);
  const auto checked = check_labels({"train", &records}, 2);
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().what(), HasSubstr("no label"));
}

TEST(ClassOf, TheLargestClassIsTheLastThatFits) {
  const FakeRecords records({0}, kNoNames, false);
  EXPECT_EQ(class_of(4, 5, {"train", &records}, 0, "k").value(), 4);
  EXPECT_FALSE(class_of(5, 5, {"train", &records}, 0, "k"));
}

TEST(ClassOf, AdvisesByWhatIsWrong) {
  const FakeRecords records({0}, kNoNames, false);
  const auto advice = [&](float label) {
    return class_of(label, 5, {"train", &records}, 0, "k").error().parts().next_step;
  };
  EXPECT_THAT(advice(5), ::testing::HasSubstr("--num-classes"));
  EXPECT_THAT(advice(-1), ::testing::HasSubstr("mend the label"));
  EXPECT_THAT(advice(0.5F), ::testing::HasSubstr("mend the label"));
}

}  // namespace
}  // namespace stoker::training
