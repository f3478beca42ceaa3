#include "record/example_encoder.hpp"

#include "record/tfrecord_fixture.hpp"

namespace stoker::record {
namespace {

using testing::HasSubstr;
using testing::Optional;

class Encode : public testing::Test {
 protected:
  // The pieces joined; each view that is not the encoder's own is counted.
  std::string encoded() {
    std::string all;
    encoder_.put_pieces([&](std::span<const std::byte> piece) { all += text_of(piece); });
    EXPECT_EQ(all.size(), encoder_.bytes());
    return all;
  }
  void add(std::string_view name, FieldType type, std::string_view bytes) {
    EXPECT_EQ(encoder_.add(name, type, bytes_of(bytes)), std::nullopt);
  }

  ExampleEncoder encoder_;
};

TEST_F(Encode, BytesAreThoseOfTheFormat) {
  add("s", FieldType::bytes, "text");
  add("i", FieldType::int64, tf::raw(std::vector<std::int64_t>{1, -1, 300}));
  add("f", FieldType::float32, tf::raw(std::vector<float>{1, 2}));
  add("l", FieldType::bytes_list, std::string("\x02\0\0\0ab\0\0\0\0", 10));
  EXPECT_EQ(encoded(),
            tf::example({tf::entry("s", tf::strings({"text"})), tf::entry("i", tf::integers({1, -1, 300})),
                         tf::entry("f", tf::floats({1, 2})), tf::entry("l", tf::strings({"ab", ""}))}));
}

TEST_F(Encode, EmptyListsKeepTheirKind) {
  add("", FieldType::bytes, "");
  add("i", FieldType::int64, "");
  add("f", FieldType::float32, "");
  add("l", FieldType::bytes_list, "");
  EXPECT_EQ(encoded(), tf::example({tf::entry("", tf::strings({""})), tf::entry("i", tf::integers({})),
                                    tf::entry("f", tf::floats({})), tf::entry("l", tf::strings({}))}));
}

TEST_F(Encode, NothingIsAnExampleWithoutFeatures) {
  EXPECT_EQ(encoded(), tf::example({}));
  EXPECT_EQ(encoder_.bytes(), 2u);
}

TEST_F(Encode, TellsWhereByteStringsBegin) {
  for (const std::size_t size : {3, 4'000, 100'000}) {
    encoder_.clear();
    const std::string first(size, 'a'), second(size / 2, 'b');
    add("first", FieldType::bytes, first);
    const std::uint64_t at_first = encoder_.value_offset();
    add("second", FieldType::bytes, second);
    const std::uint64_t at_second = encoder_.value_offset();
    const std::string all = encoded();
    EXPECT_EQ(all.substr(encoder_.header_bytes() + at_first, first.size()), first);
    EXPECT_EQ(all.substr(encoder_.header_bytes() + at_second, second.size()), second);
    EXPECT_EQ(all, tf::example({tf::entry("first", tf::strings({first})),
                                tf::entry("second", tf::strings({second}))}));
  }
}

TEST_F(Encode, LargeValuesAreNotCopied) {
  const std::string large(50'000, 'x');
  add("image", FieldType::bytes, large);
  std::size_t seen = 0;
  encoder_.put_pieces([&](std::span<const std::byte> piece) {
    if (piece.data() == bytes_of(large).data()) seen = piece.size();
  });
  EXPECT_EQ(seen, large.size());
}

TEST_F(Encode, WhatIsNoFeatureIsTold) {
  EXPECT_THAT(encoder_.add("i", FieldType::int64, bytes_of("seven..")),
              Optional(HasSubstr("7 bytes that are no values")));
  EXPECT_TRUE(encoder_.add("f", FieldType::float32, bytes_of("abc")));
  EXPECT_TRUE(encoder_.add("l", FieldType::bytes_list, bytes_of("ab")));
  for (const char* name :
       {"\xff", "caf\xe9", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "a\xe2\x82", "\x80"})
    EXPECT_THAT(encoder_.add(name, FieldType::bytes, {}), Optional(HasSubstr("not UTF-8"))) << name;
  EXPECT_EQ(encoded(), tf::example({})) << "what is refused leaves nothing";
  for (const char* name :
       {"caf\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xee\x80\x80", "\xf4\x8f\xbf\xbf"})
    add(name, FieldType::bytes, "");
}

}  // namespace
}  // namespace stoker::record
