#include "record/tfrecord_format.hpp"

#include "record/tfrecord_fixture.hpp"

namespace stoker::record {
namespace {

using testing::HasSubstr;

std::string hex(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", static_cast<unsigned char>(c));
    digits += two;
  }
  return digits;
}

std::optional<std::string> wrong(std::string_view text, std::uint64_t offset = 0) {
  return wrong_with_head(bytes_of(text.substr(0, kTFRecordHead)), offset, text.size());
}

TFRecordData data_of(std::string& text, std::uint64_t offset = 0) {
  return data_of_record(std::as_writable_bytes(std::span(text)), offset);
}

// Source: what TensorFlow 2.21's TFRecordWriter wrote of "", "a" and "stoker".
TEST(TFRecordFormat, BytesAreTensorFlows) {
  EXPECT_EQ(hex(tf::record("")), "000000000000000029039807d8ea82a2");
  EXPECT_EQ(hex(tf::record("a")), "01000000000000000175de4161786ee428");
  EXPECT_EQ(hex(tf::record("stoker")), "06000000000000007369d53773746f6b6572cc6d7ff2");
}

TEST(TFRecordFormat, ReadsWhatItWrote) {
  for (const std::size_t size : {0, 1, 7, 8, 4'096, 100'000}) {
    const std::string data(size, 'x');
    std::string text = tf::record(data) + "what follows";
    const TFRecordData read = data_of(text);
    EXPECT_FALSE(read.damage);
    EXPECT_EQ(text_of(read.data), data);
    EXPECT_EQ(length_of_head(bytes_of(text)), size);
  }
}

TEST(TFRecordFormat, EveryFlippedBitIsFound) {
  const std::string sound = tf::record("some data");
  for (std::size_t bit = 0; bit < 8 * sound.size(); ++bit) {
    std::string text = sound;
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ 1 << bit % 8);
    EXPECT_TRUE(data_of(text).damage) << bit;
    EXPECT_EQ(wrong(text).has_value(), bit < 8 * kTFRecordHead) << bit;
  }
}

TEST(TFRecordFormat, DamageIsToldWithPlaceAndValues) {
  std::string text = tf::record("some data");
  EXPECT_EQ(wrong(text, 100), std::nullopt);
  EXPECT_THAT(*wrong(text.substr(0, 5), 100),
              HasSubstr("ends at offset 105, 5 bytes into a record's head of 12"));
  EXPECT_THAT(*wrong(text.substr(0, 24), 100),
              HasSubstr("a record of 9 bytes at offset 100, where 8 bytes of data could follow"));
  EXPECT_THAT(*wrong(text.substr(0, 12), 100), HasSubstr("where 0 bytes of data could follow"));
  text[12] = 'S';
  EXPECT_THAT(*data_of(text, 100).damage, HasSubstr("its 9 bytes of data have the masked CRC-32C 0x"));
  EXPECT_THAT(*data_of(text, 100).damage, HasSubstr("as stored at offset 121"));
  text[0] = 8;
  EXPECT_THAT(*wrong(text, 100), HasSubstr("the length 8 has the masked CRC-32C"));
  EXPECT_THAT(*wrong(text, 100), HasSubstr("as stored at offset 108"));
}

TEST(TFRecordFormat, LengthsBeyondAnyFileAreRefused) {
  for (const std::uint64_t length : {std::uint64_t{1} << 40, ~std::uint64_t{0}, ~std::uint64_t{0} - 15}) {
    std::string text = text_of(tfrecord_head(length)) + std::string(100, 'x');
    EXPECT_THAT(*wrong(text), HasSubstr("where 96 bytes of data could follow"));
    EXPECT_TRUE(data_of(text).damage);
    EXPECT_EQ(find_head(bytes_of(text), text.size()), text.size());
  }
}

TEST(TFRecordFormat, FindsHeadsAtAnyPlaceWhoseRecordFits) {
  const std::string record = tf::record("abc");
  for (std::size_t before = 0; before < 40; ++before) {
    const std::string text = std::string(before, '\0') + record;
    EXPECT_EQ(find_head(bytes_of(text), text.size()), before);
    EXPECT_EQ(find_head(bytes_of(text), text.size() - 1), text.size()) << "its end is cut";
    EXPECT_EQ(find_head(bytes_of(text.substr(0, before + 12)), text.size()), before)
        << "only the head is there";
    EXPECT_EQ(find_head(bytes_of(text.substr(0, before + 11)), text.size()), before + 11);
  }
  EXPECT_EQ(find_head({}, 0), 0u);
}

}  // namespace
}  // namespace stoker::record
