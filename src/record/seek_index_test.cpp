#include "record/seek_index.hpp"

#include <random>

#include "base/crc.hpp"
#include "base/endian.hpp"
#include "record/seek_fixture.hpp"

namespace stoker::record {
namespace {

std::string entry_text(std::uint64_t record, const SeekEntry& entry, std::string_view packed) {
  std::vector<std::byte> bytes;
  append_entry(record, entry, bytes_of(packed), bytes);
  return text_of(bytes);
}

std::string hex_of(std::string_view text) {
  std::string hex;
  for (const char c : text) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    hex += kDigits[static_cast<unsigned char>(c) >> 4];
    hex += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return hex;
}

class SeekIndexFileTest : public testing::Test {
 protected:
  SeekIndexFileTest() {
    SeekIndexFile file(*store_, folder_.path("good"), header_);
    file.add(bytes_of(entry_text(0, {.offset = 32, .bytes = 500, .crc32c = 1, .points = 2}, "abcdefgh")));
    file.add({});
    file.add(bytes_of(entry_text(2, {.offset = 600, .bytes = 400, .crc32c = 2, .reason = 5}, "")));
    written_ = file.commit();
    good_ = test::read_file(folder_.path("good"));
  }
  Result<SeekIndex> open(const std::string& text) {
    return SeekIndex::open(store_->open_read(folder_.write("index", text)));
  }
  // Why the index in `text` is refused; "" if it is not.
  std::string refusal(const std::string& text, ErrorCode code = ErrorCode::corrupt_data) {
    const auto index = open(text);
    if (index) return "";
    EXPECT_EQ(index.error().code(), code);
    EXPECT_THAT(index.error().what(), testing::HasSubstr(folder_.path("index")));
    return index.error().parts().found;
  }
  // Makes the checksum of header and directory right again, so that the check behind it is reached.
  static std::string sealed(std::string text, std::size_t records = 3) {
    auto* bytes = reinterpret_cast<std::byte*>(text.data());
    const std::size_t directory = text.size() - 8 - 8 * (records + 1);
    const auto all = std::as_bytes(std::span(text));
    store_le(bytes + text.size() - 8,
             crc32c(all.subspan(directory, 8 * (records + 1)), crc32c(all.first(64))));
    return text;
  }
  static std::string with(std::string text, std::size_t at, auto value) {
    store_le(reinterpret_cast<std::byte*>(text.data()) + at, value);
    return sealed(text);
  }

  test::TempDir folder_;
  std::shared_ptr<Store> store_ = open_store(".");
  const SeekIndex::Header header_{
      .source = {.records = 3, .bytes = 1000, .head_crc32c = 0x11223344, .tail_crc32c = 0x55667788}};
  std::uint64_t written_ = 0;
  std::string good_;
};

TEST_F(SeekIndexFileTest, ReadsWhatItWrote) {
  const auto index = open(good_);
  ASSERT_TRUE(index) << index.error().what();
  EXPECT_EQ(index->header().source, header_.source);
  EXPECT_EQ(index->header().modified_ns, std::nullopt);
  EXPECT_EQ(index->records(), 3u);
  std::vector<std::byte> memory;
  const auto first = index->read(0, 500, memory);
  ASSERT_TRUE(first) << first.error();
  EXPECT_EQ(first->entry.offset, 32u);
  EXPECT_EQ(first->entry.bytes, 500u);
  EXPECT_EQ(first->entry.crc32c, 1u);
  EXPECT_EQ(first->entry.points, 2u);
  EXPECT_EQ(text_of(first->packed), "abcdefgh");
  EXPECT_FALSE(index->has_entry(1));
  EXPECT_EQ(index->read(1, 500, memory).error(), "no entry");
  EXPECT_TRUE(index->has_entry(2));
  EXPECT_FALSE(index->has_points(2));
  const auto last = index->read(2, 500, memory);
  ASSERT_TRUE(last) << last.error();
  EXPECT_EQ(last->entry.reason, 5);
  EXPECT_TRUE(last->packed.empty());
}

TEST_F(SeekIndexFileTest, HasTheLayoutOfItsSpecification) {
  EXPECT_EQ(written_, good_.size());
  ASSERT_EQ(good_.size(), 64u + (24 + 8 + 4) + 28 + 4 * 8 + 8);
  EXPECT_EQ(hex_of(good_.substr(0, 64)),
            "53544f4b5345454b"
            "0100000000000000"
            "0300000000000000"
            "e803000000000000"
            "0000000000000000"
            "4433221188776655" +
                std::string(32, '0'));
  EXPECT_EQ(hex_of(good_.substr(64, 32)),
            "2000000000000000"
            "f401000001000000"
            "0200000000000000"
            "6162636465666768");
  std::string numbered(8, '\0');
  EXPECT_EQ(load_le<std::uint32_t>(bytes_of(good_).data() + 96),
            crc32c(bytes_of(numbered + good_.substr(64, 32))));
  EXPECT_EQ(hex_of(good_.substr(128, 32)),
            "4000000000000000"
            "6400000000000000"
            "6400000000000000"
            "8000000000000000");
  EXPECT_EQ(load_le<std::uint32_t>(bytes_of(good_).data() + 160),
            crc32c(bytes_of(good_.substr(0, 64) + good_.substr(128, 32))));
}

TEST_F(SeekIndexFileTest, KeepsTimeAndKindOfItsSource) {
  const SeekIndex::Header header{.source = {.files = true, .records = 1, .head_crc32c = 9},
                                 .modified_ns = -5};
  SeekIndexFile file(*store_, folder_.path("dated"), header);
  file.add({});
  file.commit();
  const auto index = open(test::read_file(folder_.path("dated")));
  ASSERT_TRUE(index);
  EXPECT_EQ(index->header().source, header.source);
  EXPECT_EQ(index->header().modified_ns, -5);
}

TEST_F(SeekIndexFileTest, AnIndexOfNoRecordsIsAnIndex) {
  SeekIndexFile file(*store_, folder_.path("none"), {});
  file.commit();
  const auto index = open(test::read_file(folder_.path("none")));
  ASSERT_TRUE(index) << index.error().what();
  EXPECT_EQ(index->records(), 0u);
}

TEST_F(SeekIndexFileTest, NothingStandsBeforeCommit) {
  {
    SeekIndexFile file(*store_, folder_.path("half"), header_);
    file.add({});
    EXPECT_THROW(file.commit(), Error) << "one entry of three";
  }
  EXPECT_FALSE(store_->info(folder_.path("half")));
}

TEST_F(SeekIndexFileTest, RefusesWhatIsNoIndex) {
  EXPECT_EQ(refusal(""), "fewer than 64 bytes");
  EXPECT_EQ(refusal(good_.substr(0, 63)), "fewer than 64 bytes");
  EXPECT_EQ(refusal("x" + good_.substr(1)), "no magic STOKSEEK");
  EXPECT_EQ(refusal(with(good_, 8, 2u), ErrorCode::unsupported), "version 2 (this build reads 1)");
}

TEST_F(SeekIndexFileTest, RefusesMoreRecordsThanItsBytesCanHold) {
  EXPECT_EQ(refusal(with(good_, 16, std::uint64_t{1} << 60)), "168 bytes for 1152921504606846976 records");
  EXPECT_EQ(refusal(with(good_, 16, ~std::uint64_t{0})), "168 bytes for 18446744073709551615 records");
}

TEST_F(SeekIndexFileTest, RefusesACutIndex) {
  for (std::size_t bytes = 64; bytes < good_.size(); ++bytes) EXPECT_NE(refusal(good_.substr(0, bytes)), "");
  EXPECT_NE(refusal(good_ + "12345678"), "");
}

TEST_F(SeekIndexFileTest, RefusesAWrongChecksum) {
  std::string changed = good_;
  changed[41] ^= 1;
  EXPECT_EQ(refusal(changed), "a wrong checksum of header and directory");
}

TEST_F(SeekIndexFileTest, RefusesADirectoryThatDoesNotFit) {
  EXPECT_EQ(refusal(with(good_, 128, std::uint64_t{65})), "entries that leave bytes out");
  EXPECT_EQ(refusal(with(good_, 152, std::uint64_t{127})), "entries that leave bytes out");
  EXPECT_EQ(refusal(with(good_, 136, std::uint64_t{200})), "offsets that fall");
  EXPECT_EQ(refusal(with(good_, 136, std::uint64_t{70})), "an entry of 6 bytes");
}

TEST_F(SeekIndexFileTest, AFlippedBitOfAnEntryIsSeenWhenItIsRead) {
  std::vector<std::byte> memory;
  for (std::size_t bit = 0; bit < 36 * 8; bit += 7) {
    std::string changed = good_;
    changed[64 + bit / 8] ^= static_cast<char>(1 << bit % 8);
    const auto index = open(changed);
    ASSERT_TRUE(index);
    EXPECT_EQ(index->read(0, 500, memory).error(), "a wrong checksum");
    EXPECT_TRUE(index->read(2, 500, memory));
  }
}

TEST_F(SeekIndexFileTest, AnEntryInAnothersPlaceIsSeen) {
  const std::string entry = entry_text(0, {.bytes = 9, .reason = 1}, "");
  EXPECT_TRUE(parse_entry(0, bytes_of(entry)));
  EXPECT_EQ(parse_entry(1, bytes_of(entry)).error(), "a wrong checksum");
}

TEST_F(SeekIndexFileTest, EntriesThatContradictThemselvesAreRefused) {
  const auto refused = [](const SeekEntry& entry, std::string_view packed) {
    const auto parsed = parse_entry(7, bytes_of(entry_text(7, entry, packed)));
    return parsed ? "" : parsed.error();
  };
  EXPECT_EQ(refused({.bytes = 100, .points = 2}, ""), "2 points in 0 bytes");
  EXPECT_EQ(refused({.bytes = 100}, "abc"), "0 points in 3 bytes");
  EXPECT_EQ(refused({.bytes = 2, .points = 2}, "abc"), "3 bytes of points for an image of 2");
  EXPECT_EQ(parse_entry(7, bytes_of("abc")).error(), "an entry of 3 bytes");
  std::string reserved = entry_text(7, {.bytes = 100, .points = 2}, "abc");
  reserved[22] = 1;
  const std::string number("\7\0\0\0\0\0\0\0", 8);
  store_le(reinterpret_cast<std::byte*>(reserved.data()) + 27,
           crc32c(bytes_of(number + reserved.substr(0, 27))));
  EXPECT_EQ(parse_entry(7, bytes_of(reserved)).error(), "reserved bytes that are not 0");
}

TEST_F(SeekIndexFileTest, NoMoreIsReadThanWasAllowed) {
  const auto index = open(good_);
  std::vector<std::byte> memory;
  EXPECT_EQ(index->read(0, 7, memory).error(), "an entry of 36 bytes");
  EXPECT_TRUE(memory.empty());
}

TEST_F(SeekIndexFileTest, AFileThatIsCutWhileItIsOpenIsSeen) {
  const auto index = open(good_);
  ASSERT_TRUE(index);
  std::filesystem::resize_file(folder_.path("index"), 80);
  std::vector<std::byte> memory;
  EXPECT_EQ(index->read(0, 500, memory).error(), "it ends early");
}

TEST_F(SeekIndexFileTest, NoiseNeverCrashes) {
  std::mt19937 random(4);
  std::vector<std::byte> memory;
  for (int round = 0; round < 400; ++round) {
    std::string text = good_;
    for (unsigned flips = 1 + random() % 6; flips > 0; --flips)
      text[random() % text.size()] = static_cast<char>(random());
    if (random() % 4 == 0) text.resize(random() % text.size());
    if (text.size() > 120 && random() % 2 == 0) text = sealed(text);
    const auto index = open(text);
    if (!index) continue;
    for (std::size_t i = 0; i < index->records(); ++i) (void)index->read(i, 1000, memory);
  }
}

}  // namespace
}  // namespace stoker::record
