#include "record/listing.hpp"

#include "record/folder_reader.hpp"
#include "record/list_reader.hpp"
#include "record/record_fixture.hpp"

namespace stoker::record {
namespace {

struct Listing : testing::Test {
  test::TempDir dir;
  std::shared_ptr<Store> store = open_store(".");

  ListingReader listed(RecordFormat format, const std::string& source, const ListingOptions& options = {}) {
    write_listing(*store, format, source, options, *store, dir.path("listing"));
    return ListingReader(store, store->open_read(dir.path("listing")));
  }

  static void expect_same(const RecordReader& a, const RecordReader& b) {
    ASSERT_EQ(a.size(), b.size());
    EXPECT_EQ(a.classes(), b.classes());
    EXPECT_EQ(a.format(), b.format());
    EXPECT_EQ(a.source_path(), b.source_path());
    EXPECT_EQ(a.fingerprint(), b.fingerprint());
    Sample left, right;
    for (std::size_t i = 0; i < a.size(); ++i) {
      a.read(i, left);
      b.read(i, right);
      EXPECT_EQ(left.key, right.key);
      EXPECT_EQ(left.labels, right.labels);
      EXPECT_EQ(text_of(left.main()), text_of(right.main()));
      EXPECT_EQ(a.known_id(i), b.known_id(i));
      EXPECT_EQ(a.info(i).container, b.info(i).container);
    }
  }
};

TEST_F(Listing, OfAFolderReadsAsTheFolder) {
  for (const char* name : {"b/2.jpg", "b/1.jpg", "a/x/9.jpg", "a/a-b/3.png", "a/0.JPEG", "c d/\xe9.jpg"})
    dir.write(std::string("set/") + name, std::string("bytes of ") + name);
  dir.write("set/a/readme.txt", "no image");
  expect_same(listed(RecordFormat::folder, dir.path("set/")), FolderReader(store, dir.path("set"), {}));
}

TEST_F(Listing, OfAListReadsAsTheList) {
  for (const char* name : {"1.jpg", "two words.jpg", "tab\there.jpg"}) dir.write(name, name);
  const std::string list = dir.write(
      "x.lst", "7\t1\t1.jpg\n900000000000\t0.5\t-2\ttwo words.jpg\n# comment\n3\t0\ttab\\there.jpg\n");
  expect_same(listed(RecordFormat::list, list), ListReader(store, list, "", {}));
  expect_same(listed(RecordFormat::list, list, {.root = dir.path(), .classes = {"n", "y"}}),
              ListReader(store, list, dir.path(), {"n", "y"}));
}

TEST_F(Listing, KnowsSizesOnlyWhereTheyWereAskedFor) {
  dir.write("set/a/1.jpg", "12345");
  EXPECT_EQ(listed(RecordFormat::folder, dir.path("set")).info(0).bytes, 0u);
  EXPECT_EQ(listed(RecordFormat::folder, dir.path("set"), {.with_sizes = true}).info(0).bytes, 5u);
}

TEST_F(Listing, DamageIsNamedAndAllocatesNothingMuch) {
  dir.write("set/a/1.jpg", "12345");
  dir.write("set/a/2.jpg", "123");
  listed(RecordFormat::folder, dir.path("set"));
  const std::string whole = test::read_file(dir.path("listing"));
  Sample sample;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string path = dir.write("cut", whole.substr(0, size));
    EXPECT_TRUE(says(error_of([&] { ListingReader(store, store->open_read(path)); }), ErrorCode::corrupt_data,
                     {"cut"}));
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0xFF);
    const std::string path = dir.write("flipped", bytes);
    try {
      const ListingReader reader(store, store->open_read(path));
      for (std::size_t i = 0; i < std::min<std::size_t>(reader.size(), 4); ++i) reader.read(i, sample);
    } catch (const Error&) {
      continue;  // told; anything else, or a crash, would fail this test
    }
  }
}

TEST_F(Listing, ASampleBeyondItsEndIsRefused) {
  dir.write("set/a/1.jpg", "x");
  const ListingReader reader = listed(RecordFormat::folder, dir.path("set"));
  Sample sample;
  EXPECT_TRUE(says(error_of([&] { reader.read(1, sample); }), ErrorCode::invalid_argument,
                   {"sample 1", "less than 1"}));
}

}  // namespace
}  // namespace stoker::record
