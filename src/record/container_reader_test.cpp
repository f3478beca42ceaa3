#include "record/container_reader.hpp"

#include <atomic>
#include <thread>

#include "record/record_fixture.hpp"
#include "store/faulty_store.hpp"

namespace stoker::record {
namespace {

class RecordIORead : public testing::Test {
 protected:
  ContainerReader open(std::string_view text, std::vector<std::uint64_t> offsets, store::Faults faults = {}) {
    store_ = std::make_unique<store::FaultyStore>(open_store("."), faults);
    return ContainerReader(container_format(RecordFormat::recordio),
                           store_->open_read(folder_.write("x.rec", text)), std::move(offsets), {"a", "b"});
  }

  test::TempDir folder_;
  std::unique_ptr<store::FaultyStore> store_;
};

TEST_F(RecordIORead, ReadsInAnyOrder) {
  const std::string text =
      part(0, image_header(0, 2, 9) + "jpeg") + part(1, "abcd") + part(3, "") + part(0, "");
  const ContainerReader reader = open(text, {0, 36, 56, 64});
  EXPECT_EQ(reader.size(), 3u);
  EXPECT_THAT(reader.classes(), testing::ElementsAre("a", "b"));
  EXPECT_THAT(payloads(reader), testing::ElementsAre("jpeg", "abcd" + kMagicText, ""));
  Sample sample;
  reader.read(2, sample);
  EXPECT_EQ(sample.key, "2");
  EXPECT_TRUE(sample.labels.empty());
  reader.read(0, sample);
  EXPECT_EQ(sample.key, "9");
  EXPECT_THAT(sample.labels, testing::ElementsAre(2.0f));
  const RecordInfo info = reader.info(1);
  EXPECT_EQ(info.container, folder_.path("x.rec"));
  EXPECT_EQ(info.offset, 36u);
  EXPECT_EQ(info.bytes, 20u);
}

TEST_F(RecordIORead, OneReadARecord) {
  const ContainerReader reader = open(image_container(1) + part(1, "abcd") + part(3, ""), {0, 44, 64});
  Sample sample;
  reader.read(0, sample);
  reader.read(1, sample);
  EXPECT_EQ(store_->calls().reads, 2u);
  EXPECT_EQ(store_->calls().bytes_read, 64u);
}

TEST_F(RecordIORead, ReusesTheSamplesMemory) {
  std::string text;
  std::vector<std::uint64_t> offsets;
  for (int i = 0; i < 50; ++i) {
    offsets.push_back(text.size());
    text += part(0, image_header(0, 1, 10'000'000'000'000'000'000u) +
                        std::string(static_cast<std::size_t>(997 * (50 - i)), 'x'));
  }
  offsets.push_back(text.size());
  const ContainerReader reader = open(text, offsets);
  Sample sample;
  reader.read(0, sample);  // the largest
  const std::byte* buffer = sample.buffer.data();
  const char* key = sample.key.data();
  const float* labels = sample.labels.data();
  const Field* fields = sample.fields.data();
  for (std::size_t i = 0; i < reader.size(); ++i) reader.read(i, sample);
  EXPECT_EQ(sample.buffer.data(), buffer);
  EXPECT_EQ(sample.key.data(), key);
  EXPECT_EQ(sample.labels.data(), labels);
  EXPECT_EQ(sample.fields.data(), fields);
}

TEST_F(RecordIORead, MovedSamplesKeepTheirViews) {
  const ContainerReader reader = open(image_container(1), {0, 44});
  Sample sample;
  reader.read(0, sample);
  const Sample moved = std::move(sample);
  EXPECT_EQ(text_of(moved.main()), "payload 0");
}

TEST_F(RecordIORead, DamageIsNamedAndDoesNotTouchItsNeighbours) {
  std::string text = image_container(3);
  text[44] = 'X';  // the magic of record 1
  const ContainerReader reader = open(text, {0, 44, 88, 132});
  Sample sample;
  EXPECT_TRUE(says(error_of([&] { reader.read(1, sample); }), ErrorCode::corrupt_data,
                   {folder_.path("x.rec"), "at offset 44", "(record 1)", "instead of the magic"}));
  reader.read(0, sample);
  EXPECT_EQ(text_of(sample.main()), "payload 0");
  reader.read(2, sample);
  EXPECT_EQ(text_of(sample.main()), "payload 2");
}

TEST_F(RecordIORead, LengthBeyondTheRecordsPlaceIsDamage) {
  std::string text = image_container(2);
  text[4] = '\x7f';
  const ContainerReader reader = open(text, {0, 44, 88});
  Sample sample;
  EXPECT_TRUE(says(error_of([&] { reader.read(0, sample); }), ErrorCode::corrupt_data, {"beyond the end"}));
}

TEST_F(RecordIORead, ShortReadIsDamageOfThisReadAlone) {
  const ContainerReader reader = open(image_container(1), {0, 44}, {.short_reads = {.first = 1}});
  Sample sample;
  EXPECT_EQ(error_of([&] { reader.read(0, sample); }).code(), ErrorCode::corrupt_data);
  reader.read(0, sample);
  EXPECT_EQ(text_of(sample.main()), "payload 0");
}

TEST_F(RecordIORead, StoreErrorsPassThrough) {
  const ContainerReader reader =
      open(image_container(1), {0, 44}, {.reads = {.first = 1, .code = ErrorCode::unavailable}});
  Sample sample;
  EXPECT_EQ(error_of([&] { reader.read(0, sample); }).code(), ErrorCode::unavailable);
  reader.read(0, sample);
}

TEST_F(RecordIORead, IndexBeyondTheEndIsInvalid) {
  const ContainerReader reader = open(image_container(1), {0, 44});
  Sample sample;
  EXPECT_TRUE(says(error_of([&] { reader.read(1, sample); }), ErrorCode::invalid_argument,
                   {"record 1", "less than 1"}));
  EXPECT_EQ(error_of([&] { reader.info(~std::size_t{0}); }).code(), ErrorCode::invalid_argument);
}

TEST_F(RecordIORead, LargeRecordsAreAskedForTheirOwnSize) {
  // An index that leaves out records makes the first one look 20 MB large; its header says otherwise.
  std::string text = part(0, "small");
  while (text.size() < 20'000'000) text += part(0, std::string(1'000'000, 'x'));
  const std::string large =
      part(1, std::string(3'000'000, 'y')) + part(2, std::string(2'000'000, 'z')) + part(3, "end");
  const std::uint64_t at = text.size();
  text += large;
  const ContainerReader reader = open(text, {0, at, text.size()});
  Sample sample;
  reader.read(0, sample);
  EXPECT_EQ(text_of(sample.main()), "small");
  EXPECT_LT(sample.buffer.size(), 1'000u);
  reader.read(1, sample);
  EXPECT_EQ(sample.main().size(), 3'000'000u + 4 + 2'000'000 + 4 + 3);
  EXPECT_EQ(text_of(sample.main().last(3)), "end");
}

TEST_F(RecordIORead, LargeDamagedRecordAllocatesNothing) {
  std::string text = part(1, std::string(5'000'000, 'y')) + part(0, "x");
  const ContainerReader reader = open(text, {0, text.size()});
  Sample sample;
  EXPECT_TRUE(says(error_of([&] { reader.read(0, sample); }), ErrorCode::corrupt_data, {"no last part"}));
  EXPECT_EQ(sample.buffer.size(), 0u);
}

TEST_F(RecordIORead, ManyThreadsReadAtOnce) {
  std::string text;
  std::vector<std::uint64_t> offsets;
  for (int i = 0; i < 200; ++i) {
    offsets.push_back(text.size());
    text += part(0, image_header(0, static_cast<float>(i), static_cast<unsigned>(i)) + std::to_string(i));
  }
  offsets.push_back(text.size());
  const ContainerReader reader = open(text, offsets);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      Sample sample;
      for (std::size_t i = 0; i < 2'000; ++i) {
        const std::size_t index = (i * 37 + t * 11) % reader.size();
        reader.read(index, sample);
        if (text_of(sample.main()) != std::to_string(index)) ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace stoker::record
