#include "record/example_format.hpp"

#include <sstream>

#include "record/protobuf_wire.hpp"
#include "record/tfrecord_fixture.hpp"

namespace stoker::record {
namespace {

using testing::ElementsAre;

std::string_view name_of(FieldType type) {
  switch (type) {
    case FieldType::bytes:
      return "bytes";
    case FieldType::int64:
      return "int64";
    case FieldType::float32:
      return "float32";
    case FieldType::bytes_list:
      return "bytes_list";
  }
  return "?";
}

template <class T>
std::string values(std::span<const std::byte> bytes) {
  std::string text;
  for (std::size_t i = 0; i + sizeof(T) <= bytes.size(); i += sizeof(T)) {
    std::ostringstream one;
    one << load_le<T>(bytes.data() + i);
    text += " " + one.str();
  }
  return text;
}

std::string told(const Field& field) {
  std::string text = field.name + " " + std::string(name_of(field.type));
  if (field.type == FieldType::bytes) return text + " " + text_of(field.bytes);
  if (field.type == FieldType::int64) return text + values<std::int64_t>(field.bytes);
  if (field.type == FieldType::float32) return text + values<float>(field.bytes);
  EXPECT_TRUE(for_each_string(field.bytes, [&](auto one) { text += " [" + text_of(one) + "]"; }));
  return text;
}

// Parses in a buffer that `before` bytes stand in already.
ParsedExample parse(std::string_view data, Sample& sample, std::size_t before = 12) {
  sample.buffer.assign(before + data.size(), std::byte{});
  if (!data.empty()) std::memcpy(sample.buffer.data() + before, data.data(), data.size());
  return parse_example(std::span(sample.buffer).subspan(before), sample);
}

std::vector<std::string> features(std::string_view data) {
  Sample sample;
  if (parse(data, sample) != ParsedExample::example) return {"no example"};
  std::vector<std::string> all;
  for (const Field& field : sample.fields) {
    const std::byte* const begin = sample.buffer.data();
    EXPECT_TRUE(field.bytes.empty() ||
                (field.bytes.data() >= begin &&
                 field.bytes.data() + field.bytes.size() <= begin + sample.buffer.size()));
    EXPECT_EQ(field.role, FieldRole::content);
    all.push_back(told(field));
  }
  EXPECT_TRUE(may_be_example(bytes_of(data)));
  return all;
}

TEST(ExampleFormat, EveryKindInStoredOrder) {
  EXPECT_THAT(
      features(tf::example({tf::entry("z", tf::strings({"jpeg"})), tf::entry("b", tf::floats({1.5f, -2})),
                            tf::entry("c", tf::integers({3, -4, 1ll << 62})),
                            tf::entry("a", tf::strings({"x", "", "yz"})), tf::entry("", tf::strings({}))})),
      ElementsAre("z bytes jpeg", "b float32 1.5 -2", "c int64 3 -4 4611686018427387904",
                  "a bytes_list [x] [] [yz]", " bytes_list"));
}

TEST(ExampleFormat, PackedLooseAndMixedAreTheSame) {
  const std::string mixed_integers =
      tf::field(3, tf::field(1, tf::packed_integers({1, 2})) + tf::varint(8) + tf::varint(3) +
                       tf::field(1, "") + tf::field(1, tf::packed_integers({-1})));
  const std::string mixed_floats =
      tf::field(2, tf::field(1, tf::raw(std::vector<float>{1, 2})) + tf::varint(13) +
                       tf::raw(std::vector<float>{3}) + tf::field(1, ""));
  EXPECT_THAT(
      features(tf::example({tf::entry("i", tf::loose_integers({1, -2})), tf::entry("j", mixed_integers),
                            tf::entry("f", tf::loose_floats({1, -2})), tf::entry("g", mixed_floats)})),
      ElementsAre("i int64 1 -2", "j int64 1 2 3 -1", "f float32 1 -2", "g float32 1 2 3"));
}

TEST(ExampleFormat, EmptyListsKeepTheirKind) {
  EXPECT_THAT(features(tf::example({tf::entry("s", tf::strings({})), tf::entry("f", tf::floats({})),
                                    tf::entry("i", tf::integers({})),
                                    tf::entry("p", tf::field(2, tf::field(1, "")))})),
              ElementsAre("s bytes_list", "f float32", "i int64", "p float32"));
}

TEST(ExampleFormat, LargeValuesAreViewsAndTheRestLiesBehindTheData) {
  const std::string image(10'000, 'x');
  const std::string data = tf::example({tf::entry("image", tf::strings({image})),
                                        tf::entry("floats", tf::floats(std::vector<float>(100))),
                                        tf::entry("label", tf::integers({7}))});
  Sample sample;
  ASSERT_EQ(parse(data, sample, 3), ParsedExample::example);
  const std::byte* const begin = sample.buffer.data();
  EXPECT_LT(sample.fields[0].bytes.data(), begin + 3 + data.size());
  EXPECT_LT(sample.fields[1].bytes.data(), begin + 3 + data.size());
  EXPECT_EQ((sample.fields[2].bytes.data() - begin) % 8, 0);
  EXPECT_GE(sample.fields[2].bytes.data(), begin + 3 + data.size());
  EXPECT_LT(sample.buffer.size(), data.size() + 64);
}

TEST(ExampleFormat, LastOneWinsAsProtobufSays) {
  EXPECT_THAT(features(tf::example({tf::entry("a", tf::strings({"old"})), tf::entry("b", tf::integers({1})),
                                    tf::entry("a", tf::integers({2}))})),
              ElementsAre("a int64 2", "b int64 1"));
  EXPECT_THAT(features(tf::example({tf::entry("a", tf::strings({"old"})), tf::entry("b", tf::integers({1})),
                                    tf::entry("a", "")})),
              ElementsAre("b int64 1"))
      << "the last one has no kind";
  EXPECT_THAT(
      features(tf::example({tf::entry("a", tf::integers({1, 2}) + tf::strings({"x"}) + tf::strings({"y"}))})),
      ElementsAre("a bytes_list [x] [y]"))
      << "the last member of the oneof, which stands twice";
  EXPECT_THAT(
      features(tf::example({tf::entry("a", tf::integers({1, 2}) + tf::strings({"x"}) + tf::integers({3}))})),
      ElementsAre("a int64 3"));
  EXPECT_THAT(features(tf::example({tf::field(1, tf::field(1, "no") + tf::field(2, tf::floats({1})) +
                                                     tf::field(2, tf::floats({2})) + tf::field(1, "name"))})),
              ElementsAre("name float32 1 2"));
  EXPECT_THAT(features(tf::example({tf::entry("a", tf::integers({1}))}) +
                       tf::example({tf::entry("b", tf::integers({2}))})),
              ElementsAre("a int64 1", "b int64 2"))
      << "a message that stands twice is both";
}

TEST(ExampleFormat, RepeatedNamesAmongManyFeatures) {
  std::vector<std::string> entries;
  std::vector<std::string> expected;
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < 200; ++i) {
      const std::string name = "f" + std::to_string(i * 7 % 200);
      entries.push_back(tf::entry(name, tf::integers({round * 1000 + i})));
      if (round == 1) expected.push_back(name + " int64 " + std::to_string(1000 + i));
    }
  EXPECT_THAT(features(tf::example(entries)), testing::ElementsAreArray(expected));
}

TEST(ExampleFormat, UnknownFieldsAreSkipped) {
  const std::string unknown = tf::field(9, "text") + tf::varint(10 << 3) + tf::varint(300) +
                              tf::varint(11 << 3 | 1) + "8 bytes." + tf::varint(12 << 3 | 5) + "four";
  const std::string list = tf::field(3, unknown + tf::field(1, "\x05") + tf::varint(13) + "four");
  EXPECT_THAT(features(unknown +
                       tf::field(1, unknown + tf::field(1, unknown + tf::field(1, "a") +
                                                               tf::field(2, unknown + list))) +
                       unknown),
              ElementsAre("a int64 5"));
}

TEST(ExampleFormat, WhatBreaksTheRulesIsNoExample) {
  const std::string sound =
      tf::example({tf::entry("a", tf::integers({1, 2})), tf::entry("b", tf::strings({"x"})),
                   tf::entry("c", tf::floats({1, 2}))});
  for (std::size_t cut = 1; cut < sound.size(); ++cut)
    EXPECT_THAT(features(sound.substr(0, cut)), ElementsAre("no example")) << cut;
  const std::string cases[] = {
      "",
      "a",
      "hello world, this is no message",
      tf::field(1, ""),                                                      // no features
      tf::example({tf::entry("a", "")}),                                     // none of a kind
      tf::example({tf::entry("a", tf::field(2, tf::field(1, "seven..")))}),  // floats of 7 bytes
      tf::example({tf::entry("a", tf::field(3, tf::field(1, "\xff")))}),     // a cut varint
      tf::example({tf::entry("a", tf::field(3, tf::field(1, std::string(11, '\xff'))))}),
      std::string("\x0a\xff\xff\xff\xff\x0f", 6),  // a length of 4 GiB
      std::string("\x0a\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 12),
      sound + std::string("\x02\x00", 2),  // field number 0
      sound + "\x0b",                      // a group
      sound + "\x0e",                      // a wire type that does not exist
  };
  for (const std::string& data : cases) EXPECT_THAT(features(data), ElementsAre("no example")) << data;
}

TEST(ExampleFormat, ManyFeaturesEndSoon) {
  std::string entries;
  for (std::size_t i = 0; i < kMostFeatures; ++i) entries += tf::field(1, tf::field(2, tf::integers({1})));
  Sample sample;
  EXPECT_EQ(parse(tf::field(1, entries), sample), ParsedExample::example) << "all are called \"\"";
  EXPECT_EQ(sample.fields.size(), 1u);
  entries += tf::field(1, tf::field(2, tf::integers({1})));
  EXPECT_EQ(parse(tf::field(1, entries), sample), ParsedExample::too_many);
}

TEST(ExampleFormat, IntegersTakeNoMoreRoomThanTheyHave) {
  const std::string data = tf::example({tf::entry("i", tf::integers(std::vector<std::int64_t>(1000, 1)))});
  Sample sample;
  ASSERT_EQ(parse(data, sample), ParsedExample::example);
  EXPECT_EQ(sample.fields[0].bytes.size(), 8'000u);
  EXPECT_LT(sample.buffer.size(), data.size() + 8'000 + 32);
}

TEST(ProtobufWire, VarintsOfAnySizeComeBack) {
  for (int bits = 0; bits < 64; ++bits)
    for (const std::uint64_t value :
         {std::uint64_t{1} << bits, (std::uint64_t{1} << bits) - 1, ~(std::uint64_t{1} << bits)}) {
      std::byte bytes[kLongestVarint + 1];
      const std::size_t stored = store_varint(bytes, value);
      EXPECT_EQ(stored, varint_bytes(value));
      std::span<const std::byte> left(bytes, stored);
      EXPECT_EQ(take_varint(left), value);
      EXPECT_TRUE(left.empty());
      left = std::span<const std::byte>(bytes, stored - 1);
      EXPECT_EQ(take_varint(left), std::nullopt);
    }
}

TEST(BytesList, CutOnesAreTold) {
  const std::string list = std::string("\x02\0\0\0", 4) + "ab" + std::string("\0\0\0\0", 4);
  std::vector<std::string> strings;
  const auto keep = [&](std::span<const std::byte> one) { strings.push_back(text_of(one)); };
  EXPECT_TRUE(for_each_string(bytes_of(list), keep));
  EXPECT_THAT(strings, ElementsAre("ab", ""));
  for (const std::size_t cut : {1, 3, 5, 7, 9})
    EXPECT_FALSE(for_each_string(bytes_of(std::string_view(list).substr(0, cut)), [](auto) {})) << cut;
}

}  // namespace
}  // namespace stoker::record
