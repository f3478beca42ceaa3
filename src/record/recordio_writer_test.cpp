#include "record/recordio_writer.hpp"

#include <filesystem>

#include "base/crc.hpp"
#include "record/container_index.hpp"
#include "record/record_fixture.hpp"
#include "record/recordio_format.hpp"
#include "store/faulty_store.hpp"

namespace stoker::record {
namespace {

namespace fs = std::filesystem;

class RecordIOWrite : public testing::Test {
 protected:
  std::string path() const { return folder_.path("x.rec"); }
  std::string written(std::span<const float> labels, std::string_view data,
                      std::optional<std::uint64_t> id = {}) {
    RecordIOWriter writer(open_store("."), path());
    writer.append("k", labels, {"image", bytes_of(data)}, id);
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

TEST_F(RecordIOWrite, BytesAreThoseOfTheFormat) {
  EXPECT_EQ(written({}, ""), part(0, ""));
  EXPECT_EQ(written({}, "abcde"), part(0, "abcde"));
  const float labels[] = {2.5f, -1, 7};
  EXPECT_EQ(written(std::span(labels).first(1), "jpeg"), part(0, image_header(0, 2.5f, 0) + "jpeg"));
  EXPECT_EQ(
      written(labels, "jpeg", 77),
      part(0, image_header(3, 2.5f, 77) + std::string(reinterpret_cast<const char*>(labels), 12) + "jpeg"));
}

TEST_F(RecordIOWrite, MagicsAreTakenOut) {
  const std::string& m = kMagicText;
  EXPECT_EQ(written({}, m), part(1, "") + part(3, ""));
  EXPECT_EQ(written({}, m + m), part(1, "") + part(2, "") + part(3, ""));
  EXPECT_EQ(written({}, "abcd" + m + "efgh" + m + "ij"), part(1, "abcd") + part(2, "efgh") + part(3, "ij"));
  EXPECT_EQ(written({}, "abc" + m + "d"), part(0, "abc" + m + "d")) << "not aligned";
}

TEST_F(RecordIOWrite, MagicInTheHeaderIsTakenOutToo) {
  const float label = 1;
  const std::string record = image_header(0, 1, 0xced7230a) + "jpeg";
  EXPECT_EQ(written(std::span(&label, 1), "jpeg", 0xced7230a),
            part(1, record.substr(0, 8)) + part(3, record.substr(12)));
  const auto reader = open_records(path());
  Sample sample;
  reader->read(0, sample);
  EXPECT_EQ(sample.key, "3470205706");
  EXPECT_EQ(text_of(sample.main()), "jpeg");
}

TEST_F(RecordIOWrite, TellsWhereEachRecordLies) {
  RecordIOWriter writer(open_store("."), path());
  const float label = 1;
  EXPECT_EQ(writer.append("a", std::span(&label, 1), {"image", bytes_of("abcde")}, 9).bytes, 40u);
  const RecordInfo second = writer.append("b", {}, {"data", bytes_of("abcd")}, std::nullopt);
  EXPECT_EQ(second.offset, 40u);
  EXPECT_EQ(second.bytes, 12u);
  EXPECT_EQ(second.container, path());
  EXPECT_EQ(writer.records(), 2u);
  EXPECT_EQ(writer.bytes(), 52u);
  writer.finish();
  const std::string text = test::read_file(path());
  EXPECT_EQ(writer.crc32c(), crc32c(bytes_of(text)));
  EXPECT_EQ(test::read_file(folder_.path("x.idx")), "9\t0\n1\t40\n");
  EXPECT_THAT(names(), testing::ElementsAre("x.idx", "x.rec", "x.rec.index"));
}

TEST_F(RecordIOWrite, ItsRecordIndexFitsAtAnySize) {
  const std::string large(200'000, 'x');
  for (const int records : {0, 1, 3, 40}) {
    RecordIOWriter writer(open_store("."), path());
    for (int i = 0; i < records; ++i)
      writer.append(
          "k", {}, {"data", bytes_of(std::string_view(large).substr(0, i % 3 == 0 ? 20 : 66'000u * (i % 3)))},
          {});
    writer.finish();
    const auto store = open_store(".");
    const auto file = store->open_read(path());
    const auto index = read_record_index(*store->open_read(path() + ".index"));
    ASSERT_TRUE(index) << index.error().what();
    EXPECT_EQ(index->fingerprint, fingerprint_of(*file)) << records;
    EXPECT_EQ(writer.crc32c(), crc32c(bytes_of(test::read_file(path()))));
    EXPECT_THAT(check_indexes(path()), testing::IsEmpty());
    EXPECT_EQ(
        find_container_index(container_format(RecordFormat::recordio), *store, *file, folder_.path("none"))
            .origin,
        IndexOrigin::record_index);
  }
}

TEST_F(RecordIOWrite, NothingAppearsBeforeFinish) {
  {
    RecordIOWriter writer(open_store("."), path());
    const std::string large(3 << 20, 'x');
    writer.append("k", {}, {"data", bytes_of(large)}, {});
    for (const std::string& name : names()) EXPECT_EQ(name[0], '.') << name;
  }
  EXPECT_TRUE(names().empty());
}

TEST_F(RecordIOWrite, RecordsAtTheLimitAreRefusedBeforeAnythingIsWritten) {
  // Memory that is never touched costs nothing: the length is checked first.
  const std::string tiny = "x";
  const std::span<const std::byte> huge(bytes_of(tiny).data(), kRecordLimit);
  RecordIOWriter writer(open_store("."), path());
  const float label = 1;
  EXPECT_TRUE(says(error_of([&] { writer.append("photo.jpg", {}, {"data", huge}, {}); }),
                   ErrorCode::invalid_argument, {"photo.jpg", "512 MiB"}));
  EXPECT_EQ(error_of([&] {
              writer.append("k", std::span(&label, 1), {"image", huge.first(kRecordLimit - 24)}, {});
            }).code(),
            ErrorCode::invalid_argument);
  EXPECT_EQ(writer.bytes(), 0u);
}

TEST_F(RecordIOWrite, FullDiskAndFailedCommitsLeaveNothing) {
  const std::string large(3 << 20, 'x');
  const store::Faults cases[] = {{.torn_appends = {.first = 1}}, {.space_bytes = 1 << 20},
                                 {.creates = {.first = 2}},      {.commits = {.first = 1}},
                                 {.commits = {.first = 2}},      {.commits = {.first = 3}},
                                 {.syncs = {.first = 1}},        {.syncs = {.first = 3}}};
  for (const store::Faults& faults : cases) {
    const auto store = std::make_shared<store::FaultyStore>(open_store("."), faults);
    EXPECT_THROW(
        {
          RecordIOWriter writer(store, path());
          writer.append("k", {}, {"data", bytes_of(large)}, {});
          writer.finish();
        },
        Error);
    EXPECT_TRUE(names().empty()) << names().front();
  }
}

TEST_F(RecordIOWrite, APreparedSetIsHiddenUntilFinish) {
  const auto store = std::make_shared<store::FaultyStore>(open_store("."));
  RecordIOWriter writer(store, path());
  writer.append("k", {}, {"data", bytes_of("abc")}, {});
  writer.prepare();
  writer.prepare();
  EXPECT_EQ(store->calls().syncs, 3u);
  EXPECT_EQ(writer.records(), 1u);
  for (const std::string& name : names()) EXPECT_EQ(name[0], '.') << name;
  EXPECT_EQ(error_of([&] { writer.append("k", {}, {"data", bytes_of("abc")}, {}); }).code(),
            ErrorCode::internal);
  const std::uint64_t appended = store->calls().bytes_appended;
  writer.finish();
  EXPECT_EQ(store->calls().bytes_appended, appended) << "finish only renames";
  EXPECT_THAT(names(), testing::ElementsAre("x.idx", "x.rec", "x.rec.index"));
}

TEST_F(RecordIOWrite, WhatFailsBeforeFinishLeavesTheOldSetUntouched) {
  const auto write = [&](const std::shared_ptr<Store>& store, std::string_view data) {
    RecordIOWriter writer(store, path());
    writer.append("k", {}, {"data", bytes_of(data)}, {});
    writer.finish();
  };
  write(open_store("."), "old");
  const auto all = [&] {
    std::string text;
    for (const char* name : {"x.rec", "x.idx", "x.rec.index"}) text += test::read_file(folder_.path(name));
    return text;
  };
  const std::string old = all();
  const store::Faults cases[] = {{.appends = {.first = 1}}, {.appends = {.first = 2}},
                                 {.creates = {.first = 3}}, {.syncs = {.first = 1}},
                                 {.syncs = {.first = 3}},   {.commits = {.first = 1}}};
  for (const store::Faults& faults : cases) {
    EXPECT_THROW(write(std::make_shared<store::FaultyStore>(open_store("."), faults), "newer"), Error);
    EXPECT_EQ(all(), old);
    EXPECT_EQ(names().size(), 3u);
  }
}

TEST_F(RecordIOWrite, OtherEndingsAreUnsupported) {
  EXPECT_TRUE(says(error_of([&] { open_record_writer(folder_.path("x.zip")); }), ErrorCode::unsupported,
                   {"x.zip", ".rec"}));
}

}  // namespace
}  // namespace stoker::record
