#include "record/tar_writer.hpp"

#include <filesystem>
#include <limits>

#include "stoker/image.hpp"

#include "base/crc.hpp"
#include "record/container_index.hpp"
#include "record/record_fixture.hpp"
#include "record/tar_example_json.hpp"
#include "record/tar_fixture.hpp"
#include "record/tar_format.hpp"
#include "store/faulty_store.hpp"

namespace stoker::record {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

const std::string kJpeg = "\xff\xd8\xff\xe0 rest";

template <class T>
std::string packed(std::initializer_list<T> numbers) {
  return {reinterpret_cast<const char*>(std::data(numbers)), numbers.size() * sizeof(T)};
}

std::string byte_list(std::initializer_list<std::string> runs) {
  std::string list;
  for (const std::string& run : runs) list += packed({static_cast<std::uint32_t>(run.size())}) + run;
  return list;
}

class TarWrite : public testing::Test {
 protected:
  std::string path() const { return folder_.path("x.tar"); }

  // Fields keep their bytes here, as a sample's views want.
  Field field(std::string name, std::string bytes, FieldType type = FieldType::bytes,
              FieldRole role = FieldRole::content) {
    kept_.push_back(std::make_unique<std::string>(std::move(bytes)));
    return {.name = std::move(name), .bytes = bytes_of(*kept_.back()), .type = type, .role = role};
  }
  // The members of what add() writes: "NAME=CONTENT".
  std::vector<std::string> members_of(const std::vector<NewSample>& samples) {
    TarWriter writer(open_store("."), path());
    for (const NewSample& sample : samples) writer.add(sample);
    writer.finish();
    const std::string text = test::read_file(path());
    TarMembers members(TarBytes(bytes_of(text), 0), 0);
    std::vector<std::string> all;
    while (members.next() == TarMembers::Step::member)
      all.push_back(std::string(members.member().name) + "=" +
                    text.substr(members.member().data, members.member().bytes));
    return all;
  }
  std::vector<std::string> members_of(const std::vector<Field>& fields, std::vector<float> labels = {},
                                      std::size_t main = 0, const ImageInfo* image = nullptr) {
    return members_of(
        {NewSample{.key = "k", .labels = labels, .fields = fields, .main_field = main, .image = image}});
  }
  std::vector<std::string> keys_of(const std::vector<std::string>& keys) {
    const Field image = field("image", kJpeg);
    std::vector<NewSample> samples;
    for (const std::string& key : keys) samples.push_back({.key = key, .fields = std::span(&image, 1)});
    std::vector<std::string> names = members_of(samples);
    for (std::string& name : names) name = name.substr(0, name.find('='));
    return names;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(folder_.path())) all.push_back(entry.path().filename());
    std::sort(all.begin(), all.end());
    return all;
  }

  test::TempDir folder_;
  std::vector<std::unique_ptr<std::string>> kept_;
};

TEST_F(TarWrite, BytesAreThoseOfTheFormat) {
  const float label = 7;
  TarWriter writer(open_store("."), path());
  writer.append("n01/x.JPEG", std::span(&label, 1), field("image", kJpeg));
  writer.finish();
  // As GNU tar --format=ustar --owner=0 --group=0 --mtime=@0 --mode=0644 writes it.
  const auto device = [](std::string header) {
    header.replace(108, 7, "0000000");
    header.replace(116, 7, "0000000");
    header.replace(136, 11, "00000000000");
    header.replace(329, 7, "0000000");
    header.replace(337, 7, "0000000");
    header.replace(148, 8, 8, ' ');
    int sum = 0;
    for (const char c : header) sum += static_cast<unsigned char>(c);
    header.replace(148, 6, octal(static_cast<std::uint64_t>(sum), 6));
    header[154] = '\0';
    return header;
  };
  std::string expected = device(tar_block("n01/x.cls", 1)) + in_blocks("7") +
                         device(tar_block("n01/x.jpg", 9)) + in_blocks(kJpeg);
  expected.resize(10240, '\0');
  EXPECT_TRUE(test::read_file(path()) == expected);
}

TEST_F(TarWrite, FieldsStandInOrderOfTheirNames) {
  EXPECT_THAT(
      members_of({field("png", "\x89PNG\r\n\x1a\n"), field("txt", "a cat"), field("json", "{}")}, {3}),
      ElementsAre("k.cls=3", "k.json={}", "k.png=\x89PNG\r\n\x1a\n", "k.txt=a cat"));
}

TEST_F(TarWrite, LabelsThatAreNoClassNumberGoIntoLabelsJson) {
  const auto label = [&](std::vector<float> labels) {
    const auto members = members_of({field("image", kJpeg)}, std::move(labels));
    return members.size() == 2 ? members[members[0].ends_with(kJpeg) ? 1 : 0] : "none";
  };
  EXPECT_EQ(label({}), "none");
  EXPECT_EQ(label({0}), "k.cls=0");
  EXPECT_EQ(label({-1}), "k.cls=-1");
  EXPECT_EQ(label({16777216}), "k.cls=16777216");
  EXPECT_EQ(label({16777218}), "k.labels.json=[16777218.0]\n");
  EXPECT_EQ(label({-0.0f}), "k.labels.json=[-0.0]\n");
  EXPECT_EQ(label({0.1f}), "k.labels.json=[0.1]\n");
  EXPECT_EQ(label({1, 2.5f, 1e-7f}), "k.labels.json=[1.0, 2.5, 1e-07]\n");
  EXPECT_EQ(label({std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}),
            "k.labels.json=[NaN, -Infinity]\n");
}

TEST_F(TarWrite, MainFieldIsNamedByItsContentUnlessItsNameTellsMore) {
  const auto name = [&](std::string of, std::string bytes) {
    const auto members = members_of({field(std::move(of), std::move(bytes))});
    return members.at(0).substr(0, members[0].find('='));
  };
  EXPECT_EQ(name("image", kJpeg), "k.jpg");
  EXPECT_EQ(name("image/encoded", kJpeg), "k.jpg");
  EXPECT_EQ(name("jpeg", kJpeg), "k.jpeg");
  EXPECT_EQ(name("Left.JPG", kJpeg), "k.left.jpg");
  EXPECT_EQ(name("npy", "no array"), "k.npy");
  EXPECT_EQ(name("data", "text"), "k.bin");
  EXPECT_EQ(name("mp3", "sound"), "k.mp3");
  EXPECT_EQ(name("img", kJpeg), "k.jpg");
}

TEST_F(TarWrite, FieldsOfOtherRolesAreWrittenOnce) {
  EXPECT_THAT(members_of({field("label", packed<std::int64_t>({3}), FieldType::int64, FieldRole::label),
                          field("name", "x.jpg", FieldType::bytes, FieldRole::key), field("image", kJpeg)},
                         {3}, 2),
              ElementsAre("k.cls=3", "k.jpg=" + kJpeg));
  EXPECT_THAT(members_of({field("cls", "5", FieldType::bytes, FieldRole::label)}, {5}),
              ElementsAre("k.cls=5"));
}

TEST_F(TarWrite, NamesThatClashGetANumberInFront) {
  EXPECT_THAT(
      members_of({field("image", kJpeg), field("jpg", "b"), field("JPG", "c"), field("cls", "a cat")}, {1}),
      ElementsAre("k.1.cls=a cat", "k.1.jpg=b", "k.2.jpg=c", "k.cls=1", "k.jpg=" + kJpeg));
}

TEST_F(TarWrite, FeaturesGoIntoOneJson) {
  EXPECT_THAT(members_of({field("image/encoded", kJpeg),
                          field("image/width", packed<std::int64_t>({500}), FieldType::int64),
                          field("image/object/bbox/xmin", packed<float>({0.1f, 1}), FieldType::float32),
                          field("image/class/text", "a \"cat\"\n"),
                          field("tags", byte_list({"a", "", "b"}), FieldType::bytes_list),
                          field("none", "", FieldType::int64), field("empty", "", FieldType::bytes_list),
                          field("txt", "plain")}),
              ElementsAre("k.example.json={\"empty\": [], \"image/class/text\": \"a \\\"cat\\\"\\n\", "
                          "\"image/object/bbox/xmin\": [0.1, 1.0], \"image/width\": [500], \"none\": [], "
                          "\"tags\": [\"a\", \"\", \"b\"]}\n",
                          "k.jpg=" + kJpeg, "k.txt=plain"));
}

TEST_F(TarWrite, BytesThatAreNoTextBecomeMembers) {
  EXPECT_THAT(members_of({field("image/encoded", kJpeg), field("image/mask", "\x89\xff"),
                          field("thumbs", byte_list({"\xff", "b"}), FieldType::bytes_list)}),
              ElementsAre("k.0.thumbs=\xff", "k.1.thumbs=b", "k.image_mask=\x89\xff", "k.jpg=" + kJpeg));
}

TEST_F(TarWrite, AMainFieldOfNumbersIsInTheJson) {
  TarWriter writer(open_store("."), path());
  const std::vector<Field> fields = {field("a", packed<std::int64_t>({1}), FieldType::int64)};
  writer.add({.key = "k", .fields = fields});
  writer.finish();
  EXPECT_EQ(test::read_file(path()).substr(writer.main_offset(), 11), "{\"a\": [1]}\n");
}

TEST_F(TarWrite, FactsThatNoLongerHoldOfTheImageAreLeftOut) {
  const ImageInfo image{.width = 100, .height = 50, .components = 3};
  const auto fact = [&](std::string name, std::int64_t value) {
    return field(std::move(name), packed({value}), FieldType::int64, FieldRole::image_fact);
  };
  const std::vector<Field> fields = {field("image/encoded", kJpeg), fact("image/width", 100),
                                     fact("image/height", 400)};
  EXPECT_THAT(members_of(fields, {}, 0, &image),
              ElementsAre("k.example.json={\"image/width\": [100]}\n", "k.jpg=" + kJpeg));
  EXPECT_THAT(members_of(fields),
              testing::Contains("k.example.json={\"image/height\": [400], \"image/width\": [100]}\n"));
}

TEST_F(TarWrite, WhatIsRefusedIsRefusedBeforeAnythingIsWritten) {
  TarWriter writer(open_store("."), path());
  const auto error = [&](std::string key, std::vector<Field> fields) {
    return error_of([&] { writer.add({.key = key, .fields = fields}); });
  };
  const ErrorCode code = ErrorCode::invalid_argument;
  EXPECT_TRUE(says(error("a", {field("jpg", kJpeg), field("n", "1234567", FieldType::int64)}), code,
                   {"'a'", "'n' of 7 bytes"}));
  EXPECT_TRUE(
      says(error("b", {field("jpg", kJpeg), field("n", packed<std::uint32_t>({9}), FieldType::bytes_list)}),
           code, {"'n' of 4 bytes"}));
  EXPECT_TRUE(says(error("c", {field("jpg", kJpeg), field("a/b", "1"), field("a/b", "2")}), code,
                   {"two fields 'a/b'"}));
  EXPECT_TRUE(
      says(error(std::string(4093, 'n'), {field("jpg", kJpeg)}), code, {"a name of 4097 bytes", "4096"}));
  EXPECT_EQ(writer.bytes(), 0u);
  EXPECT_EQ(writer.records(), 0u);
}

TEST_F(TarWrite, KeysThatFallTogetherAreToldApart) {
  EXPECT_THAT(keys_of({"a.jpg", "a.png", "b", "a", "a~1"}),
              ElementsAre("a.jpg", "a~1.jpg", "b.jpg", "a~2.jpg", "a~1~1.jpg"));
  EXPECT_THAT(keys_of({"a~1", "a", "a"}), ElementsAre("a~1.jpg", "a.jpg", "a~2.jpg"));
  EXPECT_THAT(keys_of({"", "x", "/"}), ElementsAre("0.jpg", "x.jpg", "2.jpg"))
      << "no key: the record's number";
}

TEST_F(TarWrite, ManyOfOneKeyCostNoMoreThanOthers) {
  const std::vector<std::string> keys(20'000, "same");
  const std::vector<std::string> written = keys_of(keys);
  EXPECT_EQ(written.size(), keys.size());
  EXPECT_EQ(written.back(), "same~19999.jpg");
}

TEST_F(TarWrite, TellsWhereEachRecordAndItsMainFieldLie) {
  TarWriter writer(open_store("."), path());
  const float label = 1;
  const RecordInfo first = writer.append("a", std::span(&label, 1), field("image", kJpeg));
  EXPECT_EQ(first.offset, 0u);
  EXPECT_EQ(first.bytes, 2048u);
  EXPECT_EQ(writer.main_offset(), 1536u);
  const RecordInfo second = writer.append(std::string(300, 'n'), {}, field("image", kJpeg));
  EXPECT_EQ(second.offset, 2048u);
  EXPECT_EQ(second.bytes, 2048u) << "with a PAX header";
  EXPECT_EQ(writer.main_offset(), 3584u);
  EXPECT_EQ(writer.records(), 2u);
  writer.finish();
  const std::string text = test::read_file(path());
  EXPECT_EQ(writer.bytes(), text.size());
  EXPECT_EQ(writer.crc32c(), crc32c(bytes_of(text)));
  EXPECT_EQ(text.substr(3584, kJpeg.size()), kJpeg);
  EXPECT_THAT(names(), ElementsAre("x.tar", "x.tar.index"));
}

TEST_F(TarWrite, ItsRecordIndexFitsAtAnySize) {
  const std::string large(200'000, 'x');
  for (const std::size_t records : {0u, 1u, 3u, 40u}) {
    TarWriter writer(open_store("."), path());
    for (std::size_t i = 0; i < records; ++i)
      writer.append(
          std::to_string(i), {},
          {"data", bytes_of(std::string_view(large).substr(0, i % 3 == 0 ? 20 : 66'000u * (i % 3)))});
    writer.finish();
    EXPECT_EQ(fs::file_size(path()) % 10240, 0u);
    const auto store = open_store(".");
    const auto file = store->open_read(path());
    const auto index = read_record_index(*store->open_read(path() + ".index"));
    ASSERT_TRUE(index) << index.error().what();
    EXPECT_EQ(index->fingerprint, fingerprint_of(*file)) << records;
    EXPECT_THAT(index->offsets, testing::ElementsAreArray(
                                    walk_container(container_format(RecordFormat::tar), *file).offsets));
    EXPECT_THAT(check_indexes(path()), IsEmpty());
    EXPECT_EQ(open_records(path())->size(), records);
  }
}

TEST_F(TarWrite, NothingAppearsBeforeFinishAndAFullDiskLeavesNothing) {
  const std::string large(3 << 20, 'x');
  for (const store::Faults& faults :
       {store::Faults{.space_bytes = 1 << 20}, store::Faults{.commits = {.first = 1}},
        store::Faults{.commits = {.first = 2}}, store::Faults{.syncs = {.first = 1}}}) {
    const auto store = std::make_shared<store::FaultyStore>(open_store("."), faults);
    EXPECT_THROW(
        {
          TarWriter writer(store, path());
          writer.append("k", {}, {"data", bytes_of(large)});
          for (const std::string& name : names()) EXPECT_EQ(name[0], '.') << name;
          writer.finish();
        },
        Error);
    EXPECT_TRUE(names().empty()) << names().front();
  }
}

TEST_F(TarWrite, PrepareEndsTheArchiveOnce) {
  TarWriter writer(open_store("."), path());
  writer.append("k", {}, field("image", kJpeg));
  writer.prepare();
  writer.prepare();
  EXPECT_EQ(writer.bytes(), 10240u);
  EXPECT_EQ(error_of([&] { writer.append("l", {}, field("image", kJpeg)); }).code(), ErrorCode::internal);
  writer.finish();
  EXPECT_EQ(fs::file_size(path()), 10240u);
}

}  // namespace
}  // namespace stoker::record
