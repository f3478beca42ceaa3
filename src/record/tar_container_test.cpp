#include "record/tar_container.hpp"

#include "record/container_reader.hpp"
#include "record/container_scanner.hpp"
#include "record/record_fixture.hpp"
#include "record/tar_fixture.hpp"
#include "store/faulty_store.hpp"

namespace stoker::record {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

const TarContainer kTar;

// "KEY{jpg=abc,*cls=1}[1]": the main field marked by a star, labels behind.
std::string told(const Sample& sample) {
  std::string text = sample.key + "{";
  for (std::size_t i = 0; i < sample.fields.size(); ++i)
    text += (i > 0 ? "," : "") + std::string(i == sample.main_field ? "*" : "") + sample.fields[i].name +
            "=" + text_of(sample.fields[i].bytes);
  text += "}";
  for (const float label : sample.labels) text += "[" + std::to_string(label).substr(0, 4) + "]";
  return text;
}

class Tar : public testing::Test {
 protected:
  std::unique_ptr<ReadableFile> file(std::string_view text) {
    return open_store(".")->open_read(folder_.write("x.tar", text));
  }
  // The whole scan: "OFFSET sample", "damage OFFSET reason".
  std::vector<std::string> scan(std::string_view text) {
    ContainerScanner scanner(kTar, file(text));
    std::vector<std::string> lines;
    Sample sample;
    RecordInfo info;
    BadRecord bad;
    for (;;) {
      const auto step = scanner.next(sample, info, bad);
      if (step == RecordScanner::Step::end) return lines;
      lines.push_back(step == RecordScanner::Step::record
                          ? std::to_string(info.offset) + " " + told(sample)
                          : "damage " + std::to_string(bad.offset) + " " + bad.reason);
    }
  }
  // Of a container that holds one sample and no damage.
  std::string sample_of(std::string_view text) {
    const auto lines = scan(text);
    EXPECT_EQ(lines.size(), 1u);
    return lines.empty() ? "" : lines[0].substr(lines[0].find(' ') + 1);
  }
  RecordOffsets walk(std::string_view text) { return walk_container(kTar, *file(text)); }

  test::TempDir folder_;
};

const std::string kA = tar_file("a.cls", "1") + tar_file("a.jpg", "pixels of a");
const std::string kB = tar_file("b.cls", "2") + tar_file("b.jpg", "pixels of b");
const std::string kC = tar_file("c.cls", "3") + tar_file("c.jpg", "pixels of c");
constexpr const char* kToldA = "a{cls=1,*jpg=pixels of a}[1.00]";
constexpr const char* kToldB = "b{cls=2,*jpg=pixels of b}[2.00]";
constexpr const char* kToldC = "c{cls=3,*jpg=pixels of c}[3.00]";

std::string line(std::size_t offset, const char* told) { return std::to_string(offset) + " " + told; }

TEST_F(Tar, NeighboursOfOneKeyAreOneSample) {
  EXPECT_THAT(scan(kA + kB + tar_end()), ElementsAre(line(0, kToldA), line(2048, kToldB)));
  EXPECT_THAT(walk(kA + kB + tar_end()).offsets, ElementsAre(0, 2048, 5120));
  EXPECT_THAT(scan(""), IsEmpty());
}

TEST_F(Tar, KeysThatAreNoNeighboursFallApart) {
  EXPECT_THAT(scan(tar_file("a.jpg", "x") + tar_file("b.jpg", "y") + tar_file("a.cls", "1")),
              ElementsAre("0 a{*jpg=x}", "1024 b{*jpg=y}", "2048 a{*cls=1}[1.00]"));
}

TEST_F(Tar, WhatBelongsToNoSampleBelongsToTheOneBefore) {
  const std::string noise = tar_folder("dir/") + tar_file("noext", "x") + tar_file(".hidden.jpg", "x") +
                            tar_file("__meta__/x.json", "{}");
  const std::string text = noise + kA + noise + kB + noise + tar_end();
  EXPECT_THAT(scan(text), ElementsAre(line(0, kToldA), line(2 * noise.size() + 2048, kToldB)));
  EXPECT_THAT(walk(text).offsets, ElementsAre(0, 2 * noise.size() + 2048, text.size()));
  EXPECT_EQ(sample_of(tar_file("a.jpg", "x") + noise + tar_file("a.cls", "7")), "a{*jpg=x,cls=7}[7.00]")
      << "inside a sample too";
}

TEST_F(Tar, WithoutSamplesThereAreNoRecords) {
  for (const std::string& text : {tar_end(), std::string(10240, '\0'), tar_folder("dir/") + tar_end()}) {
    EXPECT_THAT(scan(text), IsEmpty());
    EXPECT_THAT(walk(text).offsets, ElementsAre(text.size()));
  }
}

TEST_F(Tar, ARecordBeginsWithTheHeadersThatExtendItsFirstMember) {
  const std::string pax = tar_pax({{"path", "folder/b.cls"}}) + tar_file("x", "2");
  const std::string text = kA + pax + tar_long_name("folder/b.jpg") + tar_file("x", "y") + tar_end();
  EXPECT_THAT(scan(text), ElementsAre(line(0, kToldA), "2048 folder/b{cls=2,*jpg=y}[2.00]"));
}

TEST_F(Tar, ArchivesInARowAreReadOn) {
  EXPECT_THAT(scan(kA + tar_end() + kB + tar_end()), ElementsAre(line(0, kToldA), line(3072, kToldB)));
}

TEST_F(Tar, EveryRecordReadsFromItsExtentAlone) {
  const std::string text = tar_folder("d/") + kA + kB + tar_end() + kC;
  const RecordOffsets walked = walk(text);
  ASSERT_FALSE(walked.damage);
  const ContainerReader reader(kTar, file(text), walked.offsets, {});
  ASSERT_EQ(reader.size(), 3u);
  Sample sample;
  std::vector<std::string> all;
  for (std::size_t i = reader.size(); i-- > 0;) {
    reader.read(i, sample);
    all.push_back(told(sample));
  }
  EXPECT_THAT(all, ElementsAre(kToldC, kToldB, kToldA));
}

TEST_F(Tar, AnIndexThatLeavesRecordsOutGivesTheFirstOfEachExtent) {
  const ContainerReader reader(kTar, file(kA + kB), {0, 4096}, {});
  Sample sample;
  reader.read(0, sample);
  EXPECT_EQ(told(sample), kToldA);
}

TEST_F(Tar, MainFieldIsTheImage) {
  EXPECT_EQ(sample_of(tar_file("a.depth.png", "d") + tar_file("a.jpg", "x") + tar_file("a.seg.png", "s")),
            "a{depth.png=d,*jpg=x,seg.png=s}");
  EXPECT_EQ(sample_of(tar_file("a.json", "{}") + tar_file("a.Left.JPG", "x")), "a{json={},*left.jpg=x}");
  EXPECT_EQ(sample_of(tar_file("a.json", "{}") + tar_file("a.npy", "x")), "a{json={},*npy=x}");
  EXPECT_EQ(sample_of(tar_file("a.cls", "1") + tar_file("a.txt.gz", "x")), "a{cls=1,*txt.gz=x}[1.00]");
  EXPECT_EQ(sample_of(tar_file("a.cls", "1")), "a{*cls=1}[1.00]");
}

TEST_F(Tar, LabelsAreWholeNumbersOfCls) {
  const auto labels = [&](const std::string& cls) {
    const std::string sample = sample_of(tar_file("a.cls", cls) + tar_file("a.jpg", ""));
    return sample.substr(sample.rfind('}') + 1);
  };
  EXPECT_EQ(labels("7"), "[7.00]");
  EXPECT_EQ(labels(" 7\r\n"), "[7.00]");
  EXPECT_EQ(labels("-3"), "[-3.0]");
  EXPECT_EQ(labels("+3"), "[3.00]");
  EXPECT_EQ(labels("16777216"), "[1677]");
  for (const char* none : {"", "cat", "1.5", "1 2", "7x", "+-3", "0x10", "16777217", "9223372036854775807",
                           "99999999999999999999"})
    EXPECT_EQ(labels(none), "") << none;
}

TEST_F(Tar, LabelsAreTheNumbersOfLabelsJson) {
  const auto labels = [&](const std::string& json) {
    const std::string sample = sample_of(tar_file("a.jpg", "") + tar_file("a.labels.json", json));
    return sample.substr(sample.rfind('}') + 1);
  };
  EXPECT_EQ(labels("[1, 2.5,-1e2 ]\n"), "[1.00][2.50][-100]");
  EXPECT_EQ(labels("[ 3 ]"), "[3.00]");
  EXPECT_EQ(labels("[NaN, -Infinity]"), "[nan][-inf]");
  for (const char* none :
       {"", "[]", "[ ]", "[1,]", "[,1]", "[\"1\"]", "{\"a\": 1}", "1", "[1", "[1 2]", "[1, x]", "[1e99]"})
    EXPECT_EQ(labels(none), "") << none;
  EXPECT_EQ(sample_of(tar_file("a.cls", "3") + tar_file("a.jpg", "") + tar_file("a.labels.json", "[1]")),
            "a{cls=3,*jpg=,labels.json=[1]}[3.00]");
}

TEST_F(Tar, RolesAreThoseOfTheSampleInHand) {
  Sample sample;
  std::string text = tar_file("a.cls", "1") + tar_file("a.jpg", "x");
  const auto unpack = [&](std::string_view bytes) {
    sample.buffer.assign(bytes_of(bytes).begin(), bytes_of(bytes).end());
    return kTar.unpack(sample.buffer, 0, 0, sample);
  };
  ASSERT_FALSE(unpack(text));
  EXPECT_EQ(sample.fields[0].role, FieldRole::label);
  EXPECT_EQ(sample.fields[1].role, FieldRole::content);
  ASSERT_FALSE(unpack(tar_file("b.jpg", "x")));
  EXPECT_EQ(sample.fields.size(), 1u);
  EXPECT_EQ(sample.fields[0].role, FieldRole::content);
  EXPECT_TRUE(sample.labels.empty());
  ASSERT_FALSE(unpack(tar_file("c.cls", "no number") + tar_file("c.jpg", "x")));
  EXPECT_EQ(sample.fields[0].role, FieldRole::content);
}

TEST_F(Tar, AFieldThatStandsTwiceIsDamageOfItsSampleAlone) {
  const std::string twice = tar_file("b.jpg", "x") + tar_file("b.JPG", "y");
  EXPECT_THAT(scan(kA + twice + kC),
              ElementsAre(line(0, kToldA),
                          AllOf(StartsWith("damage 2048 the sample 'b' has two fields 'jpg'"),
                                HasSubstr("go on at offset 4096")),
                          line(4096, kToldC)));
  EXPECT_FALSE(walk(kA + twice + kC).damage) << "the others stay within reach";
  std::string many;
  for (int i = 0; i < 100; ++i) many += tar_file("a." + std::to_string(i), "");
  EXPECT_THAT(scan(many), ElementsAre(StartsWith("0 a{*0=,1=,")));
  EXPECT_THAT(scan(many + tar_file("a.42", "")), ElementsAre(HasSubstr("two fields '42'")));
}

TEST_F(Tar, CutInsideAMemberIsDamageOfItsSample) {
  const std::string text = kA + kB;
  EXPECT_THAT(
      scan(text.substr(0, 3590)),
      ElementsAre(line(0, kToldA), AllOf(StartsWith("damage 2048 'b.jpg' at offset 3072 has 11 bytes"),
                                         HasSubstr("no record follows"))));
  EXPECT_THAT(scan((kA + kB + tar_file("c.jpg", std::string(600, 'x'))).substr(0, 4700)),
              ElementsAre(line(0, kToldA), line(2048, kToldB),
                          StartsWith("damage 4096 'c.jpg' at offset 4096 has 600 bytes")));
}

TEST_F(Tar, AWrongChecksumIsDamageOfTheSampleThatItsNameTells) {
  const std::string bad_c = tar_file("c.cls", "3", {.sum_error = 1}) + tar_file("c.jpg", "pixels of c");
  const std::string d = tar_file("d.jpg", "x");
  EXPECT_THAT(scan(kA + bad_c + d),
              ElementsAre(line(0, kToldA),
                          AllOf(StartsWith("damage 2048 the header at offset 2048 has the checksum"),
                                HasSubstr("records go on at offset 4096")),
                          "4096 d{*jpg=x}"))
      << "a sample without its label is none";
  const std::string bad_b =
      tar_file("b.cls", "2") + tar_file("b.jpg", "pixels", {.sum_error = 1}) + tar_file("b.json", "{}");
  EXPECT_THAT(scan(kA + bad_b + kC),
              ElementsAre(line(0, kToldA), AllOf(StartsWith("damage 2048 "), HasSubstr("at offset 3072")),
                          line(2048 + bad_b.size(), kToldC)));
}

TEST_F(Tar, WhatMayHaveLostAFieldToDamageWithoutANameIsLostToo) {
  std::string noise = kA + std::string(512, '\xee') + kB + kC;
  EXPECT_THAT(scan(noise),
              ElementsAre(AllOf(StartsWith("damage 0 no header at offset 2048"),
                                HasSubstr("records go on at offset " + std::to_string(4096 + 512))),
                          line(4096 + 512, kToldC)));
  EXPECT_THAT(scan(kA + tar_end() + std::string(512, '\xee') + kB + kC),
              ElementsAre(line(0, kToldA), StartsWith("damage 3072 no header at offset 3072"),
                          line(3072 + 512 + 2048, kToldC)))
      << "an end of archive stands between";
}

TEST_F(Tar, DamagedExtendedHeaders) {
  std::string pax = tar_pax({{"path", "b.jpg"}}) + tar_file("b.jp", "y");
  pax[512] = 'x';
  EXPECT_THAT(scan(kA + pax + kC),
              ElementsAre(AllOf(StartsWith("damage 0 "), HasSubstr("LENGTH KEY=VALUE")), line(4096, kToldC)));
}

TEST_F(Tar, ResumesOnHeadersAlone) {
  const std::string text = std::string(512, 'x') + std::string(512, '\0') + kA;
  const auto opened = file(text);
  WindowReader window(*opened);
  EXPECT_EQ(kTar.find_record(window, 0, text.size()), 1024u);
  EXPECT_EQ(kTar.find_record(window, 1, 1024 + 511), std::nullopt);
  EXPECT_EQ(kTar.find_record(window, 1025, text.size()), 2048u);
  EXPECT_EQ(kTar.find_record(window, text.size(), text.size()), std::nullopt);
}

TEST_F(Tar, FindsTheNextRecordBehindMegabytesOfNoise) {
  for (const std::size_t before :
       {std::size_t{4096}, WindowReader::kLargestWindow, 3 * WindowReader::kLargestWindow + 512}) {
    const auto opened = file(std::string(before, 'x') + kA);
    WindowReader window(*opened);
    EXPECT_EQ(kTar.find_record(window, 0, opened->bytes()), before);
  }
}

TEST_F(Tar, NoiseEnds) {
  std::string noise(300'000, '\0');
  std::uint32_t state = 1;
  for (char& c : noise) c = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  EXPECT_THAT(scan(noise), ElementsAre(HasSubstr("300000 bytes lost")));
  std::string extensions;  // each extends the one behind it, and all end in nothing
  for (int i = 0; i < 5'000; ++i) extensions += tar_block("x", 0, {.type = 'x'});
  EXPECT_THAT(scan(extensions), ElementsAre(HasSubstr("a header without its member")));
}

TEST_F(Tar, ReusesTheSamplesMemory) {
  std::string text;
  for (int i = 0; i < 40; ++i) {
    const std::string key = "folder/of/a/long/name/" + std::to_string(100 + i);
    text += tar_file(key + ".cls", std::to_string(i)) +
            tar_file(key + ".jpg", std::string(static_cast<std::size_t>(997 * (40 - i)), 'x'));
  }
  const ContainerReader reader(kTar, file(text), walk(text).offsets, {});
  ASSERT_EQ(reader.size(), 40u);
  Sample sample;
  reader.read(0, sample);  // the largest
  const std::byte* buffer = sample.buffer.data();
  const char* key = sample.key.data();
  const Field* fields = sample.fields.data();
  for (std::size_t i = 0; i < reader.size(); ++i) reader.read(i, sample);
  EXPECT_EQ(sample.buffer.data(), buffer);
  EXPECT_EQ(sample.key.data(), key);
  EXPECT_EQ(sample.fields.data(), fields);
}

TEST_F(Tar, WalksManySmallSamplesInFewReads) {
  std::string text;
  for (int i = 0; i < 4'000; ++i)
    text += tar_pax({{"mtime", "1.5"}}) + tar_file(std::to_string(i) + ".jpg", "x");
  folder_.write("x.tar", text);
  store::FaultyStore store(open_store("."), {});
  const auto opened = store.open_read(folder_.path("x.tar"));
  EXPECT_EQ(walk_container(kTar, *opened).offsets.size(), 4'001u);
  EXPECT_LT(store.calls().reads, 80u);  // 8 MB
}

TEST_F(Tar, ReadsLittleOfLargeMembers) {
  std::string text;
  for (int i = 0; i < 10; ++i) text += tar_file(std::to_string(i) + ".jpg", std::string(1 << 20, 'x'));
  folder_.write("x.tar", text);
  store::FaultyStore store(open_store("."), {});
  const auto opened = store.open_read(folder_.path("x.tar"));
  EXPECT_EQ(walk_container(kTar, *opened).offsets.size(), 11u);
  EXPECT_LE(store.calls().bytes_read, 12u * 4096);  // about a page a member
}

}  // namespace
}  // namespace stoker::record
