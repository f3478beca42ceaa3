// index.json: what it may say.
#include "record/mds_index.hpp"

#include "record/mds_fixture.hpp"

namespace stoker::record {
namespace {

using nlohmann::json;
using testing::ElementsAre;

class MdsIndexTest : public testing::Test {
 protected:
  // Of one shard with these columns.
  static MdsFixture fixture(std::vector<TestColumn> columns, const std::string& compression = "") {
    MdsFixture set(std::move(columns));
    const test::TempDir dir;
    set.add(dir, "mds", std::string(400, 'x'), 3, compression);
    return set;
  }
  static MdsColumns columns(std::vector<TestColumn> of) {
    return *value_or_throw(parse_mds_index(fixture(std::move(of)).text(), "index.json")).shards.at(0).columns;
  }
  static Error refusal(const std::string& text) {
    const auto index = parse_mds_index(text, "index.json");
    if (index) {
      ADD_FAILURE() << "taken: " << text;
      return Error(ErrorCode::internal, {});
    }
    return index.error();
  }
  // The refusal of an index whose only shard has another value for a key.
  static Error refusal_with(const char* key, const json& value, const std::string& compression = "") {
    MdsFixture set = fixture({{"image", "jpeg"}}, compression);
    set.shard_entry(0)[key] = value;
    return refusal(set.text());
  }
};

TEST_F(MdsIndexTest, ShardsWithTheirFiles) {
  MdsFixture set(TestColumns{{"x", "bytes"}});
  const test::TempDir dir;
  set.add(dir, "mds", std::string(100, 'x'), 3);
  set.add(dir, "mds", std::string(200, 'x'), 4, "zstd:7");
  set.add(dir, "mds", std::string(300, 'x'), 5, "gz");
  const MdsIndex index = value_or_throw(parse_mds_index(set.text(), "index.json"));
  ASSERT_EQ(index.shards.size(), 3u);
  EXPECT_EQ(index.shards[0].raw, "shard.0.mds");
  EXPECT_EQ(index.shards[0].packed, "");
  EXPECT_EQ(index.shards[1].packed, "shard.1.mds.zstd");
  EXPECT_EQ(index.shards[1].compression, Compression::zstd);
  EXPECT_EQ(index.shards[2].compression, Compression::gzip);
  EXPECT_EQ(index.shards[2].raw_bytes, 300u);
  EXPECT_EQ(index.shards[2].samples, 5u);
  EXPECT_EQ(index.shards[0].columns, index.shards[2].columns);  // one for all that share it
}

TEST_F(MdsIndexTest, RolesFollowNamesAndEncodings) {
  MdsColumns all = columns({{"image", "png"}, {"label", "int", 8}, {"name", "str"}});
  EXPECT_EQ(all.main, 0u);
  EXPECT_EQ(all.label, 1u);
  EXPECT_EQ(all.key, 2u);
  EXPECT_EQ(all.columns[1].role, FieldRole::label);
  all = columns({{"a", "bytes"}, {"cls", "uint16", 2}, {"image", "bytes"}, {"y", "int32", 4}});
  EXPECT_EQ(all.main, 2u);   // `image`
  EXPECT_EQ(all.label, 3u);  // y comes before cls
  EXPECT_FALSE(all.key);
  all = columns({{"a", "int", 8}, {"b", "str"}, {"c", "bytes"}});
  EXPECT_EQ(all.main, 2u);
  EXPECT_FALSE(all.label);
  EXPECT_EQ(columns({{"a", "int", 8}, {"b", "str"}}).main, 1u);
  EXPECT_EQ(columns({{"a", "int", 8}, {"b", "float32", 4}}).main, 0u);
  all = columns({{"id", "str"}, {"key", "bytes"}, {"label", "float32", 4}, {"__key__", "str"}});
  EXPECT_EQ(all.key, 3u);
  EXPECT_FALSE(all.label);  // no integers
}

TEST_F(MdsIndexTest, UnsafeAndUnknownEncodingsAreRefusedByName) {
  EXPECT_TRUE(says(refusal(fixture({{"x", "pkl"}}).text()), ErrorCode::unsupported,
                   {"index.json", "'x'", "'pkl'", "run code"}));
  for (const char* encoding : {"pil", "ndarray", "list[jpeg]", "jpg"})
    EXPECT_TRUE(says(refusal(fixture({{"x", encoding}}).text()), ErrorCode::unsupported, {encoding, "jpeg"}));
}

TEST_F(MdsIndexTest, CompressionsThatAreNotReadAreRefusedByName) {
  for (const char* name : {"br", "bz2:5", "snappy", "zstd7"})
    EXPECT_TRUE(says(refusal_with("compression", name, "gz"), ErrorCode::unsupported, {name, "zstd"}));
}

TEST_F(MdsIndexTest, SizesHaveToFit) {
  const ErrorCode bad = ErrorCode::corrupt_data;
  EXPECT_TRUE(says(refusal(fixture({{"x", "int", 4}}).text()), bad, {"'x'", "size 4"}));
  EXPECT_TRUE(says(refusal(fixture({{"x", "jpeg", 9}}).text()), bad, {"'x'", "size 9"}));
  EXPECT_TRUE(says(refusal_with("samples", 101), bad, {"101 samples in a shard of 400 bytes"}));
  EXPECT_TRUE(says(refusal_with("samples", ~std::uint64_t{0}), bad, {"samples"}));
  EXPECT_TRUE(says(refusal_with("samples", -1), bad, {"samples"}));
  EXPECT_TRUE(says(refusal_with("column_sizes", json::array()), bad, {"1 column names", "0 sizes"}));
  EXPECT_TRUE(
      says(refusal_with("raw_data", {{"basename", "x.mds"}, {"bytes", 1ull << 33}}), bad, {"32 bits"}));
  EXPECT_TRUE(says(refusal_with("raw_data", {{"basename", "x.mds"}}), bad, {"raw_data"}));
  EXPECT_TRUE(says(refusal_with("raw_data", nullptr), bad, {"raw_data"}));
}

TEST_F(MdsIndexTest, FilesStayInTheFolder) {
  for (const char* path : {"../x.mds", "/etc/passwd", "", "a/../../x"})
    EXPECT_TRUE(says(refusal_with("raw_data", {{"basename", path}, {"bytes", 400}}), ErrorCode::corrupt_data,
                     {"basename", "below"}));
}

TEST_F(MdsIndexTest, WhatIsNoMdsIsNamed) {
  EXPECT_TRUE(says(refusal("{"), ErrorCode::corrupt_data, {"no JSON"}));
  EXPECT_TRUE(says(refusal("[]"), ErrorCode::corrupt_data, {"no object"}));
  EXPECT_TRUE(says(refusal("{}"), ErrorCode::corrupt_data, {"shards"}));
  EXPECT_TRUE(says(refusal(R"({"shards": 3})"), ErrorCode::corrupt_data, {"shards"}));
  EXPECT_TRUE(says(refusal(R"({"shards": [3]})"), ErrorCode::corrupt_data, {"shards[0]"}));
  EXPECT_TRUE(says(refusal_with("format", "xsv"), ErrorCode::unsupported, {"xsv"}));
  EXPECT_TRUE(says(refusal_with("version", 3), ErrorCode::unsupported, {"version 3"}));
  EXPECT_TRUE(says(refusal_with("column_names", {1}), ErrorCode::corrupt_data, {"column 0"}));
}

}  // namespace
}  // namespace stoker::record
