#include "image/sniff.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

namespace stoker::image {
namespace {

using namespace std::string_view_literals;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

TEST(Sniff, KnowsEveryKindByItsFirstBytes) {
  EXPECT_EQ(sniff(bytes_of("\xff\xd8\xff\xe0"sv)), ImageKind::jpeg);
  EXPECT_EQ(sniff(bytes_of("\x89PNG\r\n\x1a\n\0\0"sv)), ImageKind::png);
  EXPECT_EQ(sniff(bytes_of("RIFF\x10\0\0\0WEBPVP8 "sv)), ImageKind::webp);
  EXPECT_EQ(sniff(bytes_of("GIF89a"sv)), ImageKind::gif);
  EXPECT_EQ(sniff(bytes_of("GIF87a"sv)), ImageKind::gif);
  EXPECT_EQ(sniff(bytes_of("BM\x36"sv)), ImageKind::bmp);
  EXPECT_EQ(sniff(bytes_of("II*\0"sv)), ImageKind::tiff);
  EXPECT_EQ(sniff(bytes_of("MM\0*"sv)), ImageKind::tiff);
  EXPECT_EQ(sniff(bytes_of("P6\n10 10\n"sv)), ImageKind::pnm);
}

TEST(Sniff, IsNotTakenInByBeginnings) {
  for (const auto text : {""sv, "\xff"sv, "\x89PN"sv, "RIFF\x10\0\0\0WAVE"sv, "RIFF\x10\0\0\0WEB"sv,
                          "GIF90a"sv, "P7\n"sv, "P6"sv, "PNG"sv, "\xff\x00\xff"sv}) {
    EXPECT_EQ(sniff(bytes_of(text)), ImageKind::unknown) << text;
  }
}

TEST(Describe, SaysWhatPeopleWouldLookFor) {
  EXPECT_EQ(describe({}), "no bytes");
  EXPECT_THAT(describe(bytes_of("version https://git-lfs.github.com/spec/v1\noid sha256:0\n"sv)),
              testing::HasSubstr("git-LFS"));
  EXPECT_EQ(describe(bytes_of("<html>Not found</html>\n"sv)), "text");
  EXPECT_EQ(describe(bytes_of("\x00\x01\xfe\xff\x33"sv)), "bytes that begin with 00 01 fe ff");
  EXPECT_EQ(describe(bytes_of("\x07"sv)), "bytes that begin with 07");
}

TEST(ImageKind, HasANameForEach) {
  EXPECT_EQ(to_string(ImageKind::jpeg), "jpeg");
  EXPECT_EQ(to_string(ImageKind::pnm), "pnm");
  EXPECT_EQ(to_string(ImageKind::unknown), "unknown");
}

}  // namespace
}  // namespace stoker::image
