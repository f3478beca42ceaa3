#include "record/example_features.hpp"

#include <cmath>
#include <limits>

#include "record/tfrecord_fixture.hpp"

namespace stoker::record {
namespace {

using testing::ElementsAre;

std::string int_bytes(const std::vector<std::int64_t>& values) { return tf::raw(values); }

class TakeFeatures : public testing::Test {
 protected:
  // "name=text" of byte strings, "name:1,2" of integers, "name~1.5" of floats; the main one in brackets.
  std::vector<std::string> taken(NewSample sample) {
    sample.fields = fields_;
    features_.take(sample);
    std::vector<std::string> all;
    for (const Feature& feature : features_.features()) all.push_back(told(feature));
    EXPECT_LT(features_.main(), all.size());
    all[features_.main()] = "[" + all[features_.main()] + "]";
    return all;
  }
  static std::string told(const Feature& feature) {
    std::string text(feature.name);
    if (feature.type == FieldType::bytes) return text + "=" + text_of(feature.bytes);
    const std::size_t size = feature.type == FieldType::int64 ? 8 : 4;
    for (std::size_t i = 0; i < feature.bytes.size(); i += size) {
      std::int64_t whole = 0;
      float number = 0;
      std::memcpy(size == 8 ? static_cast<void*>(&whole) : &number, feature.bytes.data() + i, size);
      text += (i > 0       ? ","
               : size == 8 ? ":"
                           : "~") +
              (size == 8 ? std::to_string(whole) : std::to_string(number));
    }
    return text;
  }
  void field(std::string name, std::string_view bytes, FieldType type = FieldType::bytes,
             FieldRole role = FieldRole::content) {
    fields_.push_back({std::move(name), bytes_of(bytes), type, role});
  }

  std::vector<Field> fields_;
  ExampleFeatures features_;
};

TEST_F(TakeFeatures, AnImageGetsImageNetsNames) {
  field("image", "\xff\xd8\xff rest");
  const float labels[] = {7};
  const ImageInfo info{
      .kind = ImageKind::jpeg, .process = {}, .width = 30, .height = 20, .components = 3, .sampling = {}};
  EXPECT_THAT(
      taken({.key = "a/b.jpg", .labels = labels, .fields = {}, .image = &info, .class_name = "n01440764"}),
      ElementsAre("[image/encoded=\xff\xd8\xff rest]", "image/format=JPEG", "image/class/label:7",
                  "image/class/text=n01440764", "image/class/synset=n01440764", "image/filename=a/b.jpg",
                  "image/height:20", "image/width:30", "image/channels:3", "image/colorspace=RGB"));
}

TEST_F(TakeFeatures, WithoutALookOnlyTheFormatIsTold) {
  const float labels[] = {0.5f, 2};
  field("jpg", "\xff\xd8\xff");
  EXPECT_THAT(
      taken({.key = "k", .labels = labels, .fields = {}, .class_name = "tench"}),
      ElementsAre("[image/encoded=\xff\xd8\xff]", "image/format=JPEG", "image/class/label~0.500000,2.000000",
                  "image/class/text=tench", "image/filename=k"));
  fields_.clear();
  field("image", "what is it");
  EXPECT_THAT(taken({.key = "k", .labels = {}, .fields = {}}),
              ElementsAre("[image/encoded=what is it]", "image/filename=k"));
}

TEST_F(TakeFeatures, FormatsAndColours) {
  const auto told_of = [&](ImageKind kind, int components) {
    fields_.clear();
    field("image", "x");
    const ImageInfo info{
        .kind = kind, .process = {}, .width = 1, .height = 1, .components = components, .sampling = {}};
    const auto all = taken({.key = "", .labels = {}, .fields = {}, .image = &info});
    return all[1].substr(13) + " " + all.back().substr(17);
  };
  EXPECT_EQ(told_of(ImageKind::jpeg, 1), "JPEG Grayscale");
  EXPECT_EQ(told_of(ImageKind::jpeg, 4), "JPEG CMYK");
  EXPECT_EQ(told_of(ImageKind::png, 4), "PNG RGB");
  EXPECT_EQ(told_of(ImageKind::png, 2), "PNG Grayscale");
  EXPECT_EQ(told_of(ImageKind::webp, 3), "WEBP RGB");
}

TEST_F(TakeFeatures, MembersOfATarKeepTheirNamesButTheImageAndItsLabel) {
  field("cls", "7", FieldType::bytes, FieldRole::label);
  field("jpg", "\xff\xd8\xff");
  field("json", "{}");
  const float labels[] = {7};
  EXPECT_THAT(taken({.key = "a", .labels = labels, .fields = {}, .main_field = 1}),
              ElementsAre("[image/encoded=\xff\xd8\xff]", "image/format=JPEG", "image/class/label:7",
                          "image/filename=a", "json={}"));
}

TEST_F(TakeFeatures, WhatIsNoImageKeepsItsNameWhereItIsFoundAgain) {
  const float labels[] = {1};
  field("npy", "numbers");
  field("txt", "words");
  EXPECT_THAT(taken({.key = "a", .labels = labels, .fields = {}, .class_name = "rest"}),
              ElementsAre("[npy=numbers]", "image/class/label:1", "image/class/text=rest", "image/filename=a",
                          "txt=words"));
  fields_.clear();
  field("txt", "words");
  field("npy", "numbers");
  EXPECT_THAT(taken({.key = "a", .labels = labels, .fields = {}}),
              ElementsAre("[image/encoded=words]", "image/class/label:1", "image/filename=a", "npy=numbers"));
}

TEST_F(TakeFeatures, OwnFeaturesStayAsTheyAre) {
  const std::string label = int_bytes({16'777'217}), box = tf::raw(std::vector<float>{0.5f, 1});
  field("image/object/bbox/xmin", box, FieldType::float32);
  field("image/class/label", label, FieldType::int64, FieldRole::label);
  field("image/encoded", "\xff\xd8\xff");
  field("image/format", "jpg", FieldType::bytes, FieldRole::image_fact);
  field("image/filename", "a.jpg", FieldType::bytes, FieldRole::key);
  const float as_read[] = {static_cast<float>(16'777'217)};
  const ImageInfo info{
      .kind = ImageKind::jpeg, .process = {}, .width = 30, .height = 20, .components = 3, .sampling = {}};
  for (const ImageInfo* image : {static_cast<const ImageInfo*>(nullptr), &info})
    EXPECT_THAT(taken({.key = "a.jpg",
                       .labels = as_read,
                       .fields = {},
                       .main_field = 2,
                       .image = image,
                       .class_name = "x"}),
                ElementsAre("image/object/bbox/xmin~0.500000,1.000000", "image/class/label:16777217",
                            "[image/encoded=\xff\xd8\xff]", "image/format=jpg", "image/filename=a.jpg"))
        << "a label that no float holds, and a format that is named in another way, are no other ones";
}

TEST_F(TakeFeatures, OtherLabelsAndAnotherImageAreTold) {
  const std::string label = int_bytes({5}), height = int_bytes({500}), width = int_bytes({400});
  const float other[] = {4};
  field("image/encoded", "png");
  field("image/class/label", label, FieldType::int64, FieldRole::label);
  field("image/format", "JPEG", FieldType::bytes, FieldRole::image_fact);
  field("image/height", height, FieldType::int64, FieldRole::image_fact);
  field("image/width", width, FieldType::int64, FieldRole::image_fact);
  const ImageInfo info{
      .kind = ImageKind::png, .process = {}, .width = 8, .height = 9, .components = 3, .sampling = {}};
  EXPECT_THAT(taken({.key = "1", .labels = other, .fields = {}, .image = &info}),
              ElementsAre("[image/encoded=png]", "image/class/label:4", "image/format=PNG", "image/height:9",
                          "image/width:8"));
}

TEST_F(TakeFeatures, LabelsKeepTheTypeTheyWereStoredIn) {
  const std::string label = tf::raw(std::vector<float>{5});
  const float other[] = {4}, broken[] = {4.5f};
  field("image", "x");
  field("label", label, FieldType::float32, FieldRole::label);
  EXPECT_THAT(taken({.key = "1", .labels = other, .fields = {}}), ElementsAre("[image=x]", "label~4.000000"));
  const std::string whole = int_bytes({5});
  fields_.pop_back();
  field("label", whole, FieldType::int64, FieldRole::label);
  EXPECT_THAT(taken({.key = "1", .labels = other, .fields = {}}), ElementsAre("[image=x]", "label:4"));
  EXPECT_THAT(taken({.key = "1", .labels = broken, .fields = {}}),
              ElementsAre("[image=x]", "label~4.500000"));
}

TEST_F(TakeFeatures, ColumnsOfOtherFormatsGetNamesThatAReaderKnows) {
  const std::string label = int_bytes({5});
  const float labels[] = {5};
  field("caption", "words");
  field("jpeg", "x");
  field("name", "a.jpg", FieldType::bytes, FieldRole::key);
  field("target", label, FieldType::int64, FieldRole::label);
  EXPECT_THAT(taken({.key = "a.jpg", .labels = labels, .fields = {}, .main_field = 1}),
              ElementsAre("caption=words", "[image/encoded=x]", "name=a.jpg", "target:5",
                          "image/class/label:5", "image/filename=a.jpg"));
}

TEST_F(TakeFeatures, WhichNumbersAreWhole) {
  field("image", "x");
  const auto label_of = [&](float value) {
    return taken({.key = "", .labels = {&value, 1}, .fields = {}})[1];
  };
  EXPECT_EQ(label_of(-3), "image/class/label:-3");
  EXPECT_EQ(label_of(-0x1p63f), "image/class/label:-9223372036854775808");
  EXPECT_EQ(label_of(0x1p63f).substr(0, 18), "image/class/label~");
  EXPECT_EQ(label_of(std::numeric_limits<float>::infinity()), "image/class/label~inf");
  EXPECT_EQ(label_of(std::nanf("")), "image/class/label~nan");
}

}  // namespace
}  // namespace stoker::record
