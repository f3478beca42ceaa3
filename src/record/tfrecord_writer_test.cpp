#include "record/tfrecord_writer.hpp"

#include <filesystem>

#include "record/container_index.hpp"
#include "record/example_format.hpp"
#include "record/example_names.hpp"
#include "record/tfrecord_fixture.hpp"
#include "store/faulty_store.hpp"

namespace stoker::record {
namespace {

namespace fs = std::filesystem;

class TFRecordWrite : public testing::Test {
 protected:
  std::string path() const { return folder_.path("x.tfrecord"); }
  std::string written(const NewSample& sample) {
    TFRecordWriter writer(open_store("."), path());
    writer.add(sample);
    writer.finish();
    return test::read_file(path());
  }
  // Every sample of a container, written again.
  std::string copied(std::string_view text) {
    folder_.write("from.tfrecord", text);
    const auto reader = open_records(folder_.path("from.tfrecord"), {.index_dir = folder_.path("indexes")});
    TFRecordWriter writer(open_store("."), path());
    Sample sample;
    for (std::size_t i = 0; i < reader->size(); ++i) {
      reader->read(i, sample);
      writer.add({.key = sample.key,
                  .labels = sample.labels,
                  .fields = sample.fields,
                  .main_field = sample.main_field});
    }
    writer.finish();
    return test::read_file(path());
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(folder_.path())) all.push_back(entry.path().filename());
    std::sort(all.begin(), all.end());
    return all;
  }

  test::TempDir folder_;
};

TEST_F(TFRecordWrite, BytesAreThoseOfTheFormat) {
  const float label = 3;
  const Field image{"image", bytes_of("\xff\xd8\xff"), FieldType::bytes, FieldRole::content};
  EXPECT_EQ(written({.key = "k", .labels = {&label, 1}, .fields = {&image, 1}}),
            tf::record(tf::example({tf::entry("image/encoded", tf::strings({"\xff\xd8\xff"})),
                                    tf::entry("image/format", tf::strings({"JPEG"})),
                                    tf::entry("image/class/label", tf::integers({3})),
                                    tf::entry("image/filename", tf::strings({"k"}))})));
}

TEST_F(TFRecordWrite, RawRecordsStayRaw) {
  const Field data{"data", bytes_of("some words"), FieldType::bytes, FieldRole::content};
  EXPECT_EQ(written({.key = "0", .labels = {}, .fields = {&data, 1}}), tf::record("some words"));
  EXPECT_EQ(copied(tf::record("") + tf::record("abc")), tf::record("") + tf::record("abc"));
}

TEST_F(TFRecordWrite, RawBytesThatLookLikeAnExampleAreWrapped) {
  const std::string looks = tf::example({tf::entry("image", tf::strings({"x"}))});
  const Field data{"data", bytes_of(looks), FieldType::bytes, FieldRole::content};
  written({.key = "0", .labels = {}, .fields = {&data, 1}});
  Sample sample;
  open_records(path())->read(0, sample);
  EXPECT_EQ(text_of(sample.main()), looks);
  EXPECT_EQ(sample.fields[sample.main_field].name, "data");
}

TEST_F(TFRecordWrite, ExamplesAreCopiedToTheByte) {
  const std::string all =
      tf::record(tf::example(
          {tf::entry("image/width", tf::integers({30})), tf::entry("z", tf::floats({1, -2.5f})),
           tf::entry("image/encoded", tf::strings({std::string(70'000, 'x')})),
           tf::entry("image/class/label", tf::integers({123'456'789'012'345})),
           tf::entry("image/format", tf::strings({"jpg"})), tf::entry("many", tf::strings({"a", "", "b"})),
           tf::entry("none", tf::strings({})), tf::entry("nothing", tf::integers({})),
           tf::entry("image/filename", tf::strings({"k"}))})) +
      tf::record(
          tf::example({tf::entry("label", tf::floats({0.5f})), tf::entry("image", tf::strings({"png"}))})) +
      tf::record(tf::example({tf::entry("x", tf::integers({-1})), tf::entry("y", tf::strings({"text"}))}));
  EXPECT_EQ(copied(all), all);
}

// Source: what TensorFlow 2.21 wrote of such an Example, serialized with deterministic=True.
TEST_F(TFRecordWrite, BytesAreTensorFlows) {
  const std::string hex =
      "7e00000000000000d8c65c750a7c0a260a11696d6167652f636c6173732f6c6162656c12111a0f0a0d03ffffffffffffffffff"
      "01ac02"
      "0a180a0d696d6167652f656e636f64656412070a050a03ffd8ff0a0a0a046e6f6e6512021a000a160a0673636f726573120c12"
      "0a0a08"
      "0000003f000000c00a140a05776f726473120b0a090a01610a000a0262638d634b40";
  std::string tensorflows;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    tensorflows += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  EXPECT_EQ(copied(tensorflows), tensorflows);
  Sample sample;
  open_records(path())->read(0, sample);
  EXPECT_THAT(sample.labels, testing::ElementsAre(3, -1, 300));
  EXPECT_EQ(text_of(sample.main()), "\xff\xd8\xff");
  EXPECT_EQ(text_of(sample.fields[3].bytes), tf::raw(std::vector<float>{0.5f, -2}));
  EXPECT_EQ(text_of(sample.fields[4].bytes), std::string("\1\0\0\0a\0\0\0\0\2\0\0\0bc", 15));
}

TEST_F(TFRecordWrite, TellsWhereRecordsAndMainFieldsLie) {
  TFRecordWriter writer(open_store("."), path());
  const std::string small = "small", large(100'000, 'x');
  const float label = 1;
  std::vector<std::uint64_t> mains;
  std::vector<RecordInfo> infos;
  for (const std::string* data : {&small, &large, &small}) {
    const Field fields[] = {{"txt", bytes_of("words"), FieldType::bytes, FieldRole::content},
                            {"jpg", bytes_of(*data), FieldType::bytes, FieldRole::content}};
    infos.push_back(writer.add({.key = "k", .labels = {&label, 1}, .fields = fields, .main_field = 1}));
    mains.push_back(writer.main_offset());
  }
  infos.push_back(writer.append("3", {}, {"data", bytes_of("raw"), FieldType::bytes, FieldRole::content}));
  mains.push_back(writer.main_offset());
  EXPECT_EQ(writer.records(), 4u);
  writer.finish();
  const std::string text = test::read_file(path());
  EXPECT_EQ(writer.bytes(), text.size());
  EXPECT_EQ(writer.crc32c(), crc32c(bytes_of(text)));
  const auto reader = open_records(path());
  Sample sample;
  std::string lines;
  for (std::size_t i = 0; i < 4; ++i) {
    reader->read(i, sample);
    EXPECT_EQ(reader->info(i).offset, infos[i].offset);
    EXPECT_EQ(reader->info(i).bytes, infos[i].bytes);
    EXPECT_EQ(mains[i],
              infos[i].offset + static_cast<std::uint64_t>(sample.main().data() - sample.buffer.data()));
    EXPECT_EQ(text.substr(mains[i], sample.main().size()), text_of(sample.main()));
    lines += std::to_string(infos[i].offset) + " " + std::to_string(infos[i].bytes) + "\n";
  }
  EXPECT_EQ(test::read_file(path() + ".idx"), lines);
  EXPECT_THAT(names(), testing::ElementsAre("x.tfrecord", "x.tfrecord.idx", "x.tfrecord.index"));
  EXPECT_THAT(check_indexes(path()), testing::IsEmpty());
}

TEST_F(TFRecordWrite, ItsIndexesFit) {
  for (const int records : {0, 1, 3, 40}) {
    TFRecordWriter writer(open_store("."), path());
    const std::string large(70'000, 'x');
    for (int i = 0; i < records; ++i)
      writer.append("k", {},
                    {"image", bytes_of(std::string_view(large).substr(0, 100u << i % 10)), FieldType::bytes,
                     FieldRole::content});
    writer.finish();
    const auto store = open_store(".");
    const auto file = store->open_read(path());
    const auto origin = [&] {
      return find_container_index(container_format(RecordFormat::tfrecord), *store, *file,
                                  folder_.path("none"))
          .origin;
    };
    EXPECT_EQ(origin(), IndexOrigin::record_index) << records;
    fs::remove(path() + ".index");
    EXPECT_EQ(origin(), IndexOrigin::text_index) << records;
  }
}

TEST_F(TFRecordWrite, TheSameSampleGivesTheSameBytes) {
  const float label = 3;
  const Field fields[] = {{"jpg", bytes_of("x"), FieldType::bytes, FieldRole::content},
                          {"json", bytes_of("{}"), FieldType::bytes, FieldRole::content}};
  const NewSample sample{.key = "k", .labels = {&label, 1}, .fields = fields};
  EXPECT_EQ(written(sample), written(sample));
}

TEST_F(TFRecordWrite, RecordsAtTheLimitAreRefusedBeforeAnythingIsWritten) {
  const std::string tiny = "x";
  // Memory that is never touched costs nothing: the length is checked first.
  const std::span<const std::byte> huge(bytes_of(tiny).data(), kTFRecordLimit);
  TFRecordWriter writer(open_store("."), path());
  for (const std::size_t bytes : {kTFRecordLimit, kTFRecordLimit - 1})
    EXPECT_TRUE(says(error_of([&] {
                       writer.append("photo.jpg", {},
                                     {"image", huge.first(bytes), FieldType::bytes, FieldRole::key});
                     }),
                     ErrorCode::invalid_argument, {"photo.jpg", "2 GiB"}));
  EXPECT_EQ(writer.bytes(), 0u);
  EXPECT_EQ(writer.records(), 0u);
}

TEST_F(TFRecordWrite, WhatNoExampleHoldsIsRefused) {
  TFRecordWriter writer(open_store("."), path());
  const auto refused = [&](std::initializer_list<Field> fields) {
    return error_of(
        [&] { writer.add({.key = "k", .labels = {}, .fields = {fields.begin(), fields.size()}}); });
  };
  const auto bytes = [](std::string name) {
    return Field{std::move(name), {}, FieldType::bytes, FieldRole::content};
  };
  EXPECT_TRUE(says(refused({bytes("a"), bytes("b"), bytes("a")}), ErrorCode::invalid_argument,
                   {"two fields called 'a'"}));
  EXPECT_TRUE(says(refused({bytes("caf\xe9")}), ErrorCode::invalid_argument, {"not UTF-8"}));
  EXPECT_TRUE(says(refused({{"n", bytes_of("abc"), FieldType::int64, FieldRole::content}}),
                   ErrorCode::invalid_argument, {"the field 'n'", "3 bytes"}));
  EXPECT_EQ(writer.bytes(), 0u);
}

TEST_F(TFRecordWrite, NothingAppearsBeforeFinishAndNothingStaysOfAFullDisk) {
  const std::string large(3 << 20, 'x');
  const Field image{"image", bytes_of(large), FieldType::bytes, FieldRole::content};
  {
    TFRecordWriter writer(open_store("."), path());
    writer.append("k", {}, image);
    for (const std::string& name : names()) EXPECT_EQ(name[0], '.') << name;
  }
  EXPECT_TRUE(names().empty());
  const auto store =
      std::make_shared<store::FaultyStore>(open_store("."), store::Faults{.space_bytes = 1 << 20});
  EXPECT_THAT(error_of([&] {
                TFRecordWriter writer(store, path());
                writer.append("k", {}, image);
                writer.finish();
              }).code(),
              testing::AnyOf(ErrorCode::out_of_resources, ErrorCode::io));
  EXPECT_TRUE(names().empty());
}

TEST_F(TFRecordWrite, IsOpenedByItsEnding) {
  for (const char* name : {"a.tfrecord", "a.tfrecord-00003-of-00005"}) {
    const auto writer = open_record_writer(folder_.path(name));
    writer->append("k", {}, {"image", bytes_of("x"), FieldType::bytes, FieldRole::content});
    writer->finish();
    EXPECT_EQ(open_records(folder_.path(name))->format(), RecordFormat::tfrecord);
    EXPECT_TRUE(fs::exists(folder_.path(name) + ".idx"));
  }
}

}  // namespace
}  // namespace stoker::record
