#include "record/tfrecord_container.hpp"

#include "record/container_index.hpp"
#include "record/tfrecord_fixture.hpp"
#include "store/faulty_store.hpp"

namespace stoker::record {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class TFRecords : public testing::Test {
 protected:
  std::string path() const { return folder_.path("x.tfrecord"); }
  std::unique_ptr<RecordReader> open(std::string_view text) {
    folder_.write("x.tfrecord", text);
    return open_records(path(), {.index_dir = folder_.path("indexes")});
  }
  // The only sample of a container of one record.
  const Sample& read(std::string_view data) {
    open(tf::record(data))->read(0, sample_);
    return sample_;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const Field& field : sample_.fields) all.push_back(field.name);
    return all;
  }
  std::vector<std::string> of_role(FieldRole role) const {
    std::vector<std::string> all;
    for (const Field& field : sample_.fields)
      if (field.role == role) all.push_back(field.name);
    return all;
  }
  std::vector<std::string> scan(std::string_view text) {
    folder_.write("x.tfrecord", text);
    return story(*scan_records(path()));
  }

  test::TempDir folder_;
  Sample sample_;
};

TEST_F(TFRecords, AnImageNetExample) {
  read(tf::example(
      {tf::entry("image/width", tf::integers({30})), tf::entry("image/class/label", tf::integers({7})),
       tf::entry("image/encoded", tf::strings({"jpeg"})), tf::entry("image/format", tf::strings({"JPEG"})),
       tf::entry("image/class/text", tf::strings({"tench"})),
       tf::entry("image/filename", tf::strings({"a.jpg"}))}));
  EXPECT_EQ(sample_.key, "a.jpg");
  EXPECT_THAT(sample_.labels, ElementsAre(7));
  EXPECT_EQ(text_of(sample_.main()), "jpeg");
  EXPECT_THAT(names(), ElementsAre("image/width", "image/class/label", "image/encoded", "image/format",
                                   "image/class/text", "image/filename"));
  EXPECT_THAT(of_role(FieldRole::image_fact), ElementsAre("image/width", "image/format"));
  EXPECT_THAT(of_role(FieldRole::label), ElementsAre("image/class/label"));
  EXPECT_THAT(of_role(FieldRole::key), ElementsAre("image/filename"));
}

TEST_F(TFRecords, AnExampleOfTFDS) {
  read(tf::example({tf::entry("file_name", tf::strings({"b.png"})), tf::entry("image", tf::strings({"png"})),
                    tf::entry("label", tf::loose_floats({0.5f, -1}))}));
  EXPECT_EQ(sample_.key, "b.png");
  EXPECT_THAT(sample_.labels, ElementsAre(0.5f, -1));
  EXPECT_EQ(text_of(sample_.main()), "png");
}

TEST_F(TFRecords, TheBetterNameIsTaken) {
  read(tf::example(
      {tf::entry("label", tf::integers({1})), tf::entry("image", tf::strings({"thumbnail"})),
       tf::entry("file_name", tf::strings({"b"})), tf::entry("image/class/label", tf::integers({2})),
       tf::entry("image/encoded", tf::strings({"jpeg"})), tf::entry("image/filename", tf::strings({"a"}))}));
  EXPECT_EQ(sample_.key, "a");
  EXPECT_THAT(sample_.labels, ElementsAre(2));
  EXPECT_EQ(text_of(sample_.main()), "jpeg");
  EXPECT_THAT(of_role(FieldRole::label), ElementsAre("image/class/label"));
  EXPECT_THAT(of_role(FieldRole::key), ElementsAre("image/filename"));
}

TEST_F(TFRecords, NamesOfTheWrongKindTellNothing) {
  read(tf::example({tf::entry("label", tf::strings({"cat"})), tf::entry("image/filename", tf::integers({3})),
                    tf::entry("image/encoded", tf::strings({"a", "b"})),
                    tf::entry("text", tf::strings({"words"}))}));
  EXPECT_EQ(sample_.key, "0");
  EXPECT_TRUE(sample_.labels.empty());
  EXPECT_EQ(text_of(sample_.main()), "words");
  EXPECT_THAT(of_role(FieldRole::content), ElementsAre("label", "image/filename", "image/encoded", "text"));
  read(tf::example({tf::entry("image/filename", tf::strings({""})), tf::entry("x", tf::floats({1}))}));
  EXPECT_EQ(sample_.key, "0");
}

TEST_F(TFRecords, WithoutKnownNamesTheFirstByteStringByNameIsMain) {
  read(tf::example({tf::entry("a", tf::integers({1})), tf::entry("c", tf::strings({"c"})),
                    tf::entry("b", tf::strings({"b"})),
                    tf::entry("image/class/text", tf::strings({"tench"}))}));
  EXPECT_EQ(text_of(sample_.main()), "b");
  read(tf::example({tf::entry("z", tf::integers({1})), tf::entry("y", tf::floats({2}))}));
  EXPECT_EQ(sample_.fields[sample_.main_field].name, "y");
}

TEST_F(TFRecords, WhatIsNoExampleIsARawRecord) {
  for (const std::string& data :
       {std::string(), std::string("a"), std::string("some words"), tf::field(1, "")}) {
    read(data);
    EXPECT_EQ(sample_.key, "0");
    EXPECT_TRUE(sample_.labels.empty());
    EXPECT_THAT(names(), ElementsAre("data"));
    EXPECT_EQ(text_of(sample_.main()), data);
  }
  const auto reader = open(tf::record("a") + tf::record("b"));
  reader->read(1, sample_);
  EXPECT_EQ(sample_.key, "1");
}

TEST_F(TFRecords, ASampleIsReusedWithoutTraces) {
  const auto reader =
      open(tf::record(tf::example({tf::entry("image/encoded", tf::strings({std::string(5'000, 'x')})),
                                   tf::entry("image/class/label", tf::integers({1, 2, 3})),
                                   tf::entry("image/filename", tf::strings({"a"}))})) +
           tf::record("raw") + tf::record(tf::example({tf::entry("n", tf::integers({9}))})));
  reader->read(0, sample_);
  reader->read(1, sample_);
  EXPECT_EQ(sample_.key, "1");
  EXPECT_TRUE(sample_.labels.empty());
  EXPECT_EQ(sample_.fields.size(), 1u);
  EXPECT_EQ(sample_.fields[0].role, FieldRole::content);
  reader->read(2, sample_);
  EXPECT_EQ(sample_.fields[0].type, FieldType::int64);
  reader->read(0, sample_);
  EXPECT_THAT(sample_.labels, ElementsAre(1, 2, 3));
  const std::byte* const memory = sample_.buffer.data();
  for (std::size_t i : {2, 1, 0}) reader->read(i, sample_);
  EXPECT_EQ(sample_.buffer.data(), memory) << "no memory is taken once the largest was met";
}

TEST_F(TFRecords, IntegersMakeTheBufferGrowUnderTheViews) {
  // More room than the record itself has: the buffer moves while the image is already viewed.
  const std::string image(300, 'x');
  read(tf::example({tf::entry("image", tf::strings({image})),
                    tf::entry("label", tf::integers(std::vector<std::int64_t>(20'000, 5)))}));
  EXPECT_EQ(text_of(sample_.main()), image);
  EXPECT_EQ(sample_.labels, std::vector<float>(20'000, 5));
  for (const Field& field : sample_.fields) {
    EXPECT_GE(field.bytes.data(), sample_.buffer.data());
    EXPECT_LE(field.bytes.data() + field.bytes.size(), sample_.buffer.data() + sample_.buffer.size());
  }
}

TEST_F(TFRecords, DamagedDataIsToldAndTheWalkGoesOnBehindIt) {
  std::string text = tf::record("first") + tf::record("second") + tf::record("third");
  text[21 + 12] = 'S';
  EXPECT_THAT(scan(text), ElementsAre("record 0 'first'",
                                      testing::AllOf(HasSubstr("damage 21 its 6 bytes of data have"),
                                                     HasSubstr("22 bytes lost, records go on at offset 43")),
                                      "record 43 'third'"));
  const auto reader = open(text);
  ASSERT_EQ(reader->size(), 3u) << "the lengths are sound";
  EXPECT_TRUE(says(error_of([&] { reader->read(1, sample_); }), ErrorCode::corrupt_data,
                   {"at offset 21 (record 1)"}));
  reader->read(2, sample_);
  EXPECT_EQ(sample_.key, "2");
}

TEST_F(TFRecords, ADamagedLengthIsToldAndTheNextRecordFound) {
  std::string text = tf::record("first") + tf::record("second") + tf::record("third");
  text[21] ^= 1;
  EXPECT_THAT(scan(text),
              ElementsAre("record 0 'first'",
                          testing::AllOf(HasSubstr("damage 21 the length 7 has the masked CRC-32C"),
                                         HasSubstr("records go on at offset 43")),
                          "record 43 'third'"));
  EXPECT_TRUE(says(error_of([&] { open(text); }), ErrorCode::corrupt_data,
                   {"x.tfrecord at offset 21", "stoker verify"}));
}

TEST_F(TFRecords, ACutContainerLosesItsLastRecordAlone) {
  const std::string text = tf::record("first") + tf::record("second");
  for (const std::size_t kept : {22, 30, 33, 36, 40}) {
    const auto told = scan(std::string_view(text).substr(0, kept));
    ASSERT_EQ(told.size(), 2u) << kept;
    EXPECT_EQ(told[0], "record 0 'first'");
    EXPECT_THAT(told[1], testing::AllOf(HasSubstr("damage 21 "), HasSubstr("no record follows")));
  }
}

TEST_F(TFRecords, RubbishBetweenRecordsIsPassedOver) {
  const std::string text =
      "rubbish" + tf::record("first") + std::string(3'000'000, '\0') + tf::record("second");
  EXPECT_THAT(scan(text),
              ElementsAre(HasSubstr("records go on at offset 7"), "record 7 'first'",
                          HasSubstr("records go on at offset 3000028"), "record 3000028 'second'"));
}

TEST_F(TFRecords, EmptyContainersAreValidByTheirName) {
  EXPECT_EQ(open("")->size(), 0u);
  EXPECT_EQ(open("")->format(), RecordFormat::tfrecord);
  folder_.write("train.tfrecord-00000-of-00001", "");
  EXPECT_EQ(
      open_records(folder_.path("train.tfrecord-00000-of-00001"), {.index_dir = folder_.path("i")})->size(),
      0u);
}

TEST_F(TFRecords, FoundByContentWhateverTheName) {
  folder_.write("train-00000-of-00001", tf::record("a"));
  EXPECT_EQ(open_records(folder_.path("train-00000-of-00001"), {.index_dir = folder_.path("i")})->format(),
            RecordFormat::tfrecord);
  EXPECT_TRUE(says(error_of([&] { open("damaged from its first byte on"); }), ErrorCode::corrupt_data,
                   {"at offset 0"}));
}

TEST_F(TFRecords, AWrongIndexMakesReadsFailAndNothingElse) {
  const std::string text = tf::record("first") + tf::record("second");
  for (const std::size_t begin : {0, 3, 21, 30})
    for (std::size_t size = 0; begin + size <= text.size(); ++size) {
      std::span<std::byte> extent = room_in(sample_, size);
      std::memcpy(extent.data(), text.data() + begin, size);
      const auto damage = TFRecordContainer().unpack(extent, begin, 0, sample_);
      EXPECT_EQ(!damage, (begin == 0 && size >= 21) || (begin == 21 && size >= 22)) << begin << " " << size;
    }
}

TEST_F(TFRecords, WalkReadsLittleOfLargeRecords) {
  std::string text;
  for (int i = 0; i < 10; ++i) text += tf::record(std::string(1 << 20, 'x'));
  folder_.write("x.tfrecord", text);
  store::FaultyStore store(open_store("."), {});
  const auto file = store.open_read(path());
  EXPECT_EQ(walk_container(TFRecordContainer(), *file).offsets.size(), 11u);
  EXPECT_LE(store.calls().bytes_read, 12u * 4096);
}

TEST_F(TFRecords, FindsTheNextRecordAcrossTheWindowsEdge) {
  constexpr std::size_t kWindow = WindowReader::kLargestWindow;
  for (const std::size_t before : {std::size_t{0}, std::size_t{1}, kWindow - 12, kWindow - 11, kWindow - 1,
                                   kWindow, kWindow + 1, 2 * kWindow - 5}) {
    folder_.write("x.tfrecord", std::string(before, 'x') + tf::record("abc"));
    const auto file = open_store(".")->open_read(path());
    WindowReader window(*file);
    EXPECT_EQ(TFRecordContainer().find_record(window, 0, file->bytes()), before);
    EXPECT_EQ(TFRecordContainer().find_record(window, before + 1, file->bytes()), std::nullopt);
  }
}

}  // namespace
}  // namespace stoker::record
