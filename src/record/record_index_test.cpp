#include "record/record_index.hpp"

#include <cstdlib>

#include "base/crc.hpp"
#include "base/endian.hpp"
#include "record/record_fixture.hpp"

namespace stoker::record {
namespace {

using Offsets = std::vector<std::uint64_t>;

class RecordIndexFile : public testing::Test {
 protected:
  std::string written(const Fingerprint& fingerprint, const Offsets& offsets) {
    write_record_index(*store_, folder_.path("x.index"), RecordFormat::recordio, fingerprint, offsets);
    return test::read_file(folder_.path("x.index"));
  }
  Result<RecordIndex> read(const std::string& text) {
    return read_record_index(*store_->open_read(folder_.write("y.index", text)));
  }
  // Makes the checksum right again, so that the check behind it is reached.
  static std::string sealed(std::string text) {
    store_le(reinterpret_cast<std::byte*>(text.data()) + text.size() - 8,
             crc32c(bytes_of(text).first(text.size() - 8)));
    return text;
  }
  static std::string with(std::string text, std::size_t at, auto value) {
    store_le(reinterpret_cast<std::byte*>(text.data()) + at, value);
    return sealed(text);
  }

  test::TempDir folder_;
  std::shared_ptr<Store> store_ = open_store(".");
  const Fingerprint print_{.container_bytes = 40, .head_crc32c = 0x12345678, .tail_crc32c = 0x9abcdef0};
};

TEST_F(RecordIndexFile, ReadsWhatItWrote) {
  for (const std::optional<std::int64_t> modified :
       {std::optional<std::int64_t>{}, std::optional<std::int64_t>{-5}}) {
    Fingerprint print = print_;
    print.modified_ns = modified;
    const auto index = read(written(print, {0, 12, 32, 40}));
    ASSERT_TRUE(index) << index.error().what();
    EXPECT_EQ(index->fingerprint, print);
    EXPECT_EQ(index->offsets, (Offsets{0, 12, 32, 40}));
  }
  const auto empty = read(written({}, {0}));
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->offsets, Offsets{0});
}

TEST_F(RecordIndexFile, HasTheLayoutOfItsSpecification) {
  const std::string text = written(print_, {0, 12, 40});
  ASSERT_EQ(text.size(), 64u + 3 * 8 + 8);
  EXPECT_EQ(text.substr(0, 8), "STOKRECI");
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  EXPECT_EQ(load_le<std::uint32_t>(bytes + 8), 1u);
  EXPECT_EQ(load_le<std::uint32_t>(bytes + 12), 0u);
  EXPECT_EQ(load_le<std::uint64_t>(bytes + 16), 2u);
  EXPECT_EQ(load_le<std::uint64_t>(bytes + 24), 40u);
  EXPECT_EQ(load_le<std::int64_t>(bytes + 32), 0);
  EXPECT_EQ(load_le<std::uint32_t>(bytes + 40), 0x12345678u);
  EXPECT_EQ(load_le<std::uint32_t>(bytes + 44), 0x9abcdef0u);
  EXPECT_EQ(load_le<std::uint64_t>(bytes + 72), 12u);
  EXPECT_EQ(load_le<std::uint32_t>(bytes + 88), crc32c_reference(bytes_of(text).first(88)));
}

TEST_F(RecordIndexFile, EveryFlippedByteIsNoticed) {
  const std::string text = written(print_, {0, 12, 32, 40});
  for (std::size_t i = 0; i + 4 < text.size(); ++i) {  // the four bytes behind the checksum are free
    std::string flipped = text;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x10);
    EXPECT_FALSE(read(flipped)) << i;
  }
}

TEST_F(RecordIndexFile, EveryCutIsNoticed) {
  const std::string text = written(print_, {0, 12, 32, 40});
  for (std::size_t bytes = 0; bytes < text.size(); ++bytes)
    EXPECT_FALSE(read(text.substr(0, bytes))) << bytes;
  EXPECT_FALSE(read(text + '\0'));
  EXPECT_FALSE(read(text + std::string(8, '\0')));
}

TEST_F(RecordIndexFile, SealedNonsenseIsNoticed) {
  const std::string text = written(print_, {0, 12, 32, 40});
  EXPECT_TRUE(read(sealed(text)));
  const auto error = [&](const std::string& changed) {
    const auto index = read(changed);
    return index ? Error(ErrorCode::internal, {.found = "it was taken"}) : index.error();
  };
  EXPECT_TRUE(
      says(error(with(text, 8, 2u)), ErrorCode::unsupported, {"version 2", "y.index", "remove the file"}));
  // A claim of 2^60 records must not be believed, also where its product overflows.
  for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{4}, std::uint64_t{1} << 60,
                                    std::uint64_t{1} << 61, (std::uint64_t{1} << 61) + 3, ~std::uint64_t{0}})
    EXPECT_TRUE(says(error(with(text, 16, count)), ErrorCode::corrupt_data, {"records"})) << count;
  EXPECT_TRUE(says(error(with(text, 64, std::uint64_t{4})), ErrorCode::corrupt_data, {"first record at 4"}));
  EXPECT_TRUE(says(error(with(text, 72, std::uint64_t{32})), ErrorCode::corrupt_data, {"do not rise"}));
  EXPECT_TRUE(says(error(with(text, 72, std::uint64_t{28})), ErrorCode::corrupt_data, {"do not rise"}));
  EXPECT_TRUE(says(error(with(text, 72, std::uint64_t{4})), ErrorCode::corrupt_data, {"do not rise"}));
  EXPECT_TRUE(says(error(with(text, 72, ~std::uint64_t{3})), ErrorCode::corrupt_data, {"do not rise"}));
  EXPECT_TRUE(says(error(with(text, 72, std::uint64_t{13})), ErrorCode::corrupt_data, {"multiples of 4"}));
  EXPECT_TRUE(says(error(with(text, 88, std::uint64_t{44})), ErrorCode::corrupt_data, {"end at 44"}));
}

TEST_F(RecordIndexFile, FingerprintsSeeSizeBeginningAndEnd) {
  const auto print_of = [&](const std::string& text) {
    return fingerprint_of(*store_->open_read(folder_.write("c", text)));
  };
  std::string text(3 * kFingerprintRun, 'x');
  const Fingerprint print = print_of(text);
  EXPECT_EQ(print.container_bytes, text.size());
  EXPECT_EQ(print_of(text), print);
  EXPECT_NE(print_of(text + 'x'), print);
  text[0] = 'y';
  EXPECT_NE(print_of(text).head_crc32c, print.head_crc32c);
  EXPECT_EQ(print_of(text).tail_crc32c, print.tail_crc32c);
  text[0] = 'x';
  text.back() = 'y';
  EXPECT_NE(print_of(text).tail_crc32c, print.tail_crc32c);
  const Fingerprint small = print_of("abc");
  EXPECT_EQ(small.head_crc32c, crc32c(bytes_of("abc")));
  EXPECT_EQ(small.tail_crc32c, small.head_crc32c);
  EXPECT_EQ(print_of("").head_crc32c, 0u);
}

TEST_F(RecordIndexFile, FailedWriteLeavesNothing) {
  EXPECT_THROW(
      write_record_index(*store_, "/dev/null/x.index", RecordFormat::recordio, print_, Offsets{0, 40}),
      Error);
}

TEST(RecordIndexPaths, CachesTellContainersOfOneNameApart) {
  const std::string a = cached_index_path("/cache", "/data/a/x.rec");
  const std::string b = cached_index_path("/cache", "/data/b/x.rec");
  EXPECT_NE(a, b);
  EXPECT_EQ(a, cached_index_path("/cache", "/data/b/../a/./x.rec"));
  EXPECT_THAT(a, testing::MatchesRegex("/cache/x\\.rec-[0-9a-f]{16}\\.index"));
  EXPECT_LT(cached_index_path("/cache", "/data/" + std::string(250, 'n')).size(), 200u);
  EXPECT_EQ(record_index_path("a/x.rec"), "a/x.rec.index");
}

TEST(RecordIndexPaths, UserFolderFollowsTheXdgRules) {
  const auto restore = [name = "XDG_CACHE_HOME", old = std::getenv("XDG_CACHE_HOME")
                                                           ? std::string(std::getenv("XDG_CACHE_HOME"))
                                                           : ""] {
    old.empty() ? ::unsetenv(name) : ::setenv(name, old.c_str(), 1);
  };
  ::setenv("XDG_CACHE_HOME", "/somewhere", 1);
  EXPECT_EQ(user_index_folder(), "/somewhere/stoker/records");
  const char* home = std::getenv("HOME");
  const std::string expected = home && *home == '/' ? std::string(home) + "/.cache/stoker/records" : "";
  ::setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(user_index_folder(), expected);
  ::unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(user_index_folder(), expected);
  restore();
}

}  // namespace
}  // namespace stoker::record
