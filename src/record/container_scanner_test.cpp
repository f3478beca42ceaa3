#include "record/container_scanner.hpp"

#include "record/record_fixture.hpp"
#include "store/faulty_store.hpp"

namespace stoker::record {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::vector<std::string> story_of(std::string_view text) {
  const test::TempDir folder;
  ContainerScanner scanner(container_format(RecordFormat::recordio),
                           open_store(".")->open_read(folder.write("x.rec", text)));
  return story(scanner);
}

std::string record_line(std::size_t offset, std::string_view data) {
  return "record " + std::to_string(offset) + " '" + std::string(data) + "'";
}

TEST(RecordIOScan, GivesRecordsInOrder) {
  EXPECT_THAT(
      story_of(part(0, "a") + part(1, "abcd") + part(3, "x") + part(0, "")),
      ElementsAre(record_line(0, "a"), record_line(12, "abcd" + kMagicText + "x"), record_line(36, "")));
  EXPECT_THAT(story_of(""), ElementsAre());
}

TEST(RecordIOScan, TruncatedPayloadIsTheLastDamage) {
  const std::string text = part(0, "a") + part(0, "abcdefgh").substr(0, 11);
  EXPECT_THAT(story_of(text),
              ElementsAre(record_line(0, "a"), AllOf(StartsWith("damage 12 "), HasSubstr("beyond the end"),
                                                     HasSubstr("11 bytes lost, no record follows"))));
}

TEST(RecordIOScan, TruncatedHeader) {
  EXPECT_THAT(
      story_of(part(0, "a") + kMagicText),
      ElementsAre(record_line(0, "a"), AllOf(StartsWith("damage 12 "), HasSubstr("4 bytes into a header"))));
  EXPECT_THAT(story_of("abc"),
              ElementsAre(AllOf(StartsWith("damage 0 "), HasSubstr("3 bytes into a header"))));
}

TEST(RecordIOScan, GoesOnBehindABadMagic) {
  std::string text = part(0, "abcd") + part(0, "efgh") + part(0, "ijkl");
  text[12] = 'X';
  EXPECT_THAT(story_of(text),
              ElementsAre(record_line(0, "abcd"),
                          AllOf(StartsWith("damage 12 "), HasSubstr("0xced72358 instead of the magic"),
                                HasSubstr("12 bytes lost, records go on at offset 24")),
                          record_line(24, "ijkl")));
}

TEST(RecordIOScan, GoesOnBehindALengthBeyondTheEnd) {
  std::string text = part(0, "abcd") + part(0, "efgh");
  text[6] = '\x7f';
  EXPECT_THAT(story_of(text), ElementsAre(AllOf(StartsWith("damage 0 "), HasSubstr("beyond the end")),
                                          record_line(12, "efgh")));
}

TEST(RecordIOScan, LengthThatSwallowsRecordsIsTold) {
  std::string text = part(0, "abcd") + part(0, "efgh") + part(0, "ijklmnop") + part(0, "qrst");
  text[4] = 20;  // instead of 4: it ends inside the third record
  EXPECT_THAT(story_of(text),
              ElementsAre(AllOf(StartsWith("damage 0 "), HasSubstr("past one that begins at 12")),
                          record_line(12, "efgh"), record_line(24, "ijklmnop"), record_line(40, "qrst")));
}

TEST(RecordIOScan, MagicInsideDataIsNoDamageWhereTheNextRecordStandsInItsPlace) {
  // A writer that does not escape: the record's length is right, so the original reader takes it, and so does
  // this one.
  const std::string data = "abcd" + part(0, "") + "efgh";
  EXPECT_THAT(story_of(part(0, data) + part(0, "x")),
              ElementsAre(record_line(0, data), record_line(24, "x")));
  EXPECT_THAT(story_of(part(0, data)), ElementsAre(record_line(0, data)));
}

TEST(RecordIOScan, PartsWithoutBeginningOrEnd) {
  EXPECT_THAT(
      story_of(part(2, "abcd") + part(3, "e") + part(0, "x")),
      ElementsAre(AllOf(StartsWith("damage 0 "), HasSubstr("a middle part"), HasSubstr("go on at offset 24")),
                  record_line(24, "x")));
  EXPECT_THAT(story_of(part(1, "abcd") + part(2, "abcd") + part(0, "x")),
              ElementsAre(AllOf(StartsWith("damage 0 "), HasSubstr("no last part")), record_line(24, "x")));
}

TEST(RecordIOScan, NumbersGoOnBehindDamage) {
  const test::TempDir folder;
  std::string text = part(0, "a") + part(0, "b") + part(0, "c");
  text[12] = 'X';
  ContainerScanner scanner(container_format(RecordFormat::recordio),
                           open_store(".")->open_read(folder.write("x.rec", text)));
  Sample sample;
  RecordInfo info;
  BadRecord bad;
  std::vector<std::string> keys;
  while (true) {
    const auto step = scanner.next(sample, info, bad);
    if (step == RecordScanner::Step::end) break;
    keys.push_back(step == RecordScanner::Step::record ? sample.key : "damage");
    if (step == RecordScanner::Step::damage) {
      EXPECT_EQ(bad.container, folder.path("x.rec"));
    }
  }
  EXPECT_THAT(keys, ElementsAre("0", "damage", "2"));
}

TEST(RecordIOScan, NoiseEnds) {
  std::string noise(300'000, '\0');
  std::uint32_t state = 1;
  for (char& c : noise) c = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  EXPECT_THAT(story_of(noise), ElementsAre(HasSubstr("300000 bytes lost")));
  // Magics everywhere, and no record: each damage moves on.
  std::string magics;
  for (int i = 0; i < 20'000; ++i) magics += kMagicText;
  EXPECT_LE(story_of(magics).size(), 2u);
}

TEST(RecordIOScan, ReadErrorsAreThrown) {
  const test::TempDir folder;
  folder.write("x.rec", part(0, "abcd"));
  store::FaultyStore store(open_store("."), {.reads = {.first = 1}});
  ContainerScanner scanner(container_format(RecordFormat::recordio), store.open_read(folder.path("x.rec")));
  Sample sample;
  RecordInfo info;
  BadRecord bad;
  EXPECT_EQ(error_of([&] { scanner.next(sample, info, bad); }).code(), ErrorCode::io);
}

}  // namespace
}  // namespace stoker::record
