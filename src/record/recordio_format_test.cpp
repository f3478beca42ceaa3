#include "record/recordio_format.hpp"

#include "record/container_format.hpp"
#include "record/record_fixture.hpp"

namespace stoker::record {
namespace {

Unframed unframe_text(std::string& text, std::uint64_t offset = 0) {
  return unframe(std::as_writable_bytes(std::span(text)), offset);
}

std::string damage_of(std::string text, std::uint64_t offset = 0) {
  const Unframed record = unframe_text(text, offset);
  return record.damage.value_or("");
}

TEST(RecordIOFormat, TakesWholeRecordsOutOfTheirFraming) {
  for (const std::string_view data : {"", "a", "ab", "abc", "abcd", "abcde"}) {
    std::string text = part(0, data) + part(0, "behind");
    const Unframed record = unframe_text(text);
    EXPECT_FALSE(record.damage);
    EXPECT_EQ(text_of(record.data), data);
    EXPECT_EQ(record.framed, part(0, data).size());
  }
}

TEST(RecordIOFormat, PutsTheMagicBackBetweenParts) {
  std::string text = part(1, "") + part(2, "abcd") + part(2, "") + part(3, "xyz") + part(0, "behind");
  const Unframed record = unframe_text(text);
  EXPECT_FALSE(record.damage);
  EXPECT_EQ(text_of(record.data), kMagicText + "abcd" + kMagicText + kMagicText + "xyz");
  EXPECT_EQ(record.framed, 8u + 12 + 8 + 12);
}

TEST(RecordIOFormat, NamesWhatBreaksTheRules) {
  using testing::HasSubstr;
  EXPECT_THAT(damage_of("", 40), HasSubstr("ends at offset 40, 0 bytes into a header"));
  EXPECT_THAT(damage_of(part(0, "").substr(0, 6), 40), HasSubstr("ends at offset 46, 6 bytes into a header"));
  EXPECT_THAT(damage_of("XXXXXXXX", 40),
              HasSubstr("0x58585858 instead of the magic 0xced7230a at offset 40"));
  EXPECT_THAT(damage_of(part(2, "abcd")), HasSubstr("a middle part where a record should begin"));
  EXPECT_THAT(damage_of(part(3, "abcd")), HasSubstr("a last part where a record should begin"));
  EXPECT_THAT(damage_of(part(5, "abcd")), HasSubstr("part kind 5"));
  EXPECT_THAT(damage_of(part(1, "abcd") + part(0, "x"), 40),
              HasSubstr("no last part: another record begins at offset 52"));
  EXPECT_THAT(damage_of(part(1, "abcd") + part(1, "x")), HasSubstr("no last part"));
  EXPECT_THAT(damage_of(part(1, "abcd")), HasSubstr("ends at offset 12, 0 bytes into a header"));
  EXPECT_THAT(damage_of(part(1, "abc") + part(3, "x")), HasSubstr("3 bytes that is not the last"));
  EXPECT_THAT(damage_of(part(0, "abcdefgh").substr(0, 12), 40),
              HasSubstr("at offset 40 of 8 bytes, with padding, goes 4 bytes beyond the end"));
  // Data whole, padding cut: the original reader refuses it as well.
  EXPECT_THAT(damage_of(part(0, "abcde").substr(0, 13)), HasSubstr("goes 3 bytes beyond the end"));
}

TEST(RecordIOFormat, RefusesRecordsBeyondTheLimitByTheirHeadersAlone) {
  PartSequence parts;
  const std::uint64_t container = std::uint64_t{1} << 40;
  std::string header = part(1, "");
  const std::uint32_t word = 1u << 29 | (kLengthMask & ~3u);
  std::memcpy(header.data() + 4, &word, sizeof word);
  EXPECT_FALSE(parts.add(bytes_of(header), 0, container));
  const std::uint32_t last = 3u << 29 | 64;
  std::memcpy(header.data() + 4, &last, sizeof last);
  EXPECT_THAT(parts.add(bytes_of(header), parts.framed_bytes(), container).value_or(""),
              testing::HasSubstr("512 MiB"));
}

TEST(RecordIOFormat, FindsTheMagicAtEveryAlignedPlaceAndNowhereElse) {
  for (std::size_t bytes = 0; bytes < 600; bytes += bytes < 20 ? 1 : 37) {
    const std::string blank(bytes, '\x0a');
    EXPECT_EQ(find_magic(bytes_of(blank)), bytes);
    for (std::size_t at = 0; at + 4 <= bytes; ++at) {
      std::string text = blank;
      text.replace(at, 4, kMagicText);
      EXPECT_EQ(find_magic(bytes_of(text)), at % 4 == 0 ? at : bytes) << at << " of " << bytes;
    }
  }
  const std::string twice = kMagicText + kMagicText;
  EXPECT_EQ(find_magic(bytes_of(twice), 4), 4u);
  EXPECT_EQ(find_magic(bytes_of(twice), 8), 8u);
}

TEST(RecordIOFormat, KnowsWhereARecordMayBegin) {
  EXPECT_TRUE(begins_record(bytes_of(part(0, ""))));
  EXPECT_TRUE(begins_record(bytes_of(part(1, ""))));
  EXPECT_FALSE(begins_record(bytes_of(part(2, ""))));
  EXPECT_FALSE(begins_record(bytes_of(part(3, ""))));
  EXPECT_FALSE(begins_record(bytes_of(kMagicText)));
}

TEST(RecordIOFormat, DescribesImageRecords) {
  Sample sample;
  std::string data = image_header(0, 2.5f, 77) + "jpeg";
  describe_record(bytes_of(data), 5, sample);
  EXPECT_EQ(sample.key, "77");
  EXPECT_THAT(sample.labels, testing::ElementsAre(2.5f));
  EXPECT_EQ(sample.fields[0].name, "image");
  EXPECT_EQ(text_of(sample.main()), "jpeg");

  const float labels[] = {1, -2};
  data =
      image_header(2, 9, ~std::uint64_t{0}) + std::string(reinterpret_cast<const char*>(labels), 8) + "png";
  describe_record(bytes_of(data), 5, sample);
  EXPECT_EQ(sample.key, "18446744073709551615");
  EXPECT_THAT(sample.labels, testing::ElementsAre(1.0f, -2.0f));
  EXPECT_EQ(text_of(sample.main()), "png");

  data = image_header(0, 1, 3);
  describe_record(bytes_of(data), 5, sample);
  EXPECT_EQ(sample.fields[0].name, "image");
  EXPECT_TRUE(sample.main().empty());
}

TEST(RecordIOFormat, RecordsWhoseHeaderDoesNotFitAreRaw) {
  Sample sample;
  for (const std::string& data :
       {std::string(), std::string(23, '\0'), image_header(1, 0, 3), image_header(0xffffffff, 0, 3) + "x",
        image_header(0x40000000, 0, 3) + "x"}) {
    describe_record(bytes_of(data), 5, sample);
    EXPECT_EQ(sample.key, "5");
    EXPECT_TRUE(sample.labels.empty());
    EXPECT_EQ(sample.fields[0].name, "data");
    EXPECT_EQ(text_of(sample.main()), data);
  }
}

TEST(RecordIOFormat, BufferOnlyGrows) {
  Sample sample;
  room_in(sample, 100)[99] = std::byte{7};
  EXPECT_EQ(room_in(sample, 10).size(), 10u);
  EXPECT_EQ(sample.buffer.size(), 100u);
  EXPECT_EQ(room_in(sample, 100)[99], std::byte{7});  // not zeroed again
  EXPECT_TRUE(
      says(error_of([&] { room_in(sample, ~std::uint64_t{0}); }), ErrorCode::out_of_resources, {"memory"}));
}

}  // namespace
}  // namespace stoker::record
