#include "record/tar_names.hpp"

#include "record/record_fixture.hpp"

namespace stoker::record {
namespace {

// "KEY|FIELD", or "" of a member of no sample.
std::string split_of(std::string_view name) {
  const auto split = split_tar_name(name);
  return split ? std::string(split->key) + "|" + std::string(split->field) : "";
}

TEST(TarNames, KeyEndsAtTheFirstDotOfTheBaseName) {
  EXPECT_EQ(split_of("a.jpg"), "a|jpg");
  EXPECT_EQ(split_of("x.Left.JPG"), "x|Left.JPG");
  EXPECT_EQ(split_of("dir.with.dots/v1.0/k3.cls"), "dir.with.dots/v1.0/k3|cls");
  EXPECT_EQ(split_of("./UPPER5.JPEG"), "./UPPER5|JPEG");
  EXPECT_EQ(split_of("/abs/a.jpg"), "/abs/a|jpg");
  EXPECT_EQ(split_of("a."), "a|");
  EXPECT_EQ(split_of("__x__.jpg"), "__x__|jpg");
  EXPECT_EQ(split_of("___/a.jpg"), "___/a|jpg");
}

TEST(TarNames, MembersOfNoSample) {
  for (const char* name : {"", "noext", "dir/noext", ".hidden.jpg", "dir/.hidden.jpg", "./._a.jpg", "dir.x/",
                           "dir.x/noext", "__meta__", "__meta__/a.jpg", "____/a.jpg"})
    EXPECT_EQ(split_of(name), "") << name;
}

TEST(TarNames, ImagesAreToldByTheEnding) {
  EXPECT_EQ(image_name("jpg"), ImageName::whole);
  EXPECT_EQ(image_name("JPEG"), ImageName::whole);
  EXPECT_EQ(image_name("seg.png"), ImageName::by_its_end);
  EXPECT_EQ(image_name("json"), ImageName::none);
  EXPECT_EQ(image_name("jpg.gz"), ImageName::none);
  EXPECT_EQ(image_name(""), ImageName::none);
  EXPECT_TRUE(has_main_ending("eeg.npy"));
  EXPECT_FALSE(has_main_ending("image"));
}

TEST(TarNames, ContentTellsTheEnding) {
  using namespace std::string_literals;
  const std::pair<std::string, std::string> cases[] = {{"\xff\xd8\xff\xe0", "jpg"},
                                                       {"\x89PNG\r\n\x1a\n", "png"},
                                                       {"RIFF....WEBPVP8 ", "webp"},
                                                       {"RIFF....WAVEfmt ", ""},
                                                       {"GIF89a", "gif"},
                                                       {"BM....\0\0\0\0...."s, "bmp"},
                                                       {"BM is a word of many", ""},
                                                       {"\x93NUMPY\1\0"s, "npy"},
                                                       {"II*\0"s, "tif"},
                                                       {"P6\n1 1\n255\nabc", "ppm"},
                                                       {"P2 1 1 255 0", "pgm"},
                                                       {"P7\n", ""},
                                                       {"", ""},
                                                       {"{}", ""}};
  for (const auto& [content, ending] : cases)
    EXPECT_EQ(ending_of_content(bytes_of(content)), ending) << content;
}

TEST(TarNames, KeysOfPathsLoseTheirEnding) {
  EXPECT_EQ(tar_key("n01/x.JPEG"), "n01/x");
  EXPECT_EQ(tar_key("n01/x"), "n01/x");
  EXPECT_EQ(tar_key("./a b"), "./a b");
  EXPECT_EQ(tar_key("eeg/7.npy"), "eeg/7");
  EXPECT_EQ(tar_key("v1.0/x.jpg"), "v1.0/x");
  EXPECT_EQ(tar_key("gr\xc3\xbc\xc3\x9f.jpg"), "gr\xc3\xbc\xc3\x9f");
}

TEST(TarNames, DotsOfTheBaseNameAreEscapedAndPercentsBesideThem) {
  EXPECT_EQ(tar_key("a.b.c.jpg"), "a%2Eb%2Ec");
  EXPECT_EQ(tar_key("x.txt"), "x%2Etxt");
  EXPECT_EQ(tar_key("100%"), "100%");
  EXPECT_EQ(tar_key("100%/50%.5"), "100%25/50%25%2E5");
  EXPECT_EQ(tar_key(".jpg"), "%2Ejpg");
}

TEST(TarNames, KeysBecomeValidRelativePaths) {
  EXPECT_EQ(tar_key("/data//photos/a.jpg"), "data/photos/a");
  EXPECT_EQ(tar_key("../a.jpg"), "%2E%2E/a");
  EXPECT_EQ(tar_key(".."), "%2E%2E");
  EXPECT_EQ(tar_key("a\nb.jpg"), "a%0Ab");
  EXPECT_EQ(tar_key("caf\xe9.jpg"), "caf%E9");
  EXPECT_EQ(tar_key(std::string_view("a\0b", 3)), "a%00b");
  EXPECT_EQ(tar_key("__meta__/a.jpg"), "%5F_meta__/a");
  EXPECT_EQ(tar_key("__a__.jpg"), "__a__");
  for (const char* nothing : {"", "/", "///"}) EXPECT_EQ(tar_key(nothing), "") << nothing;
}

TEST(TarNames, WhatIsWrittenSplitsAgain) {
  for (const char* key : {"n01/x.JPEG", "a.b.c", ".hidden", "../..", "__m__/x", "a/", "%", "x.y/z.tar.gz"}) {
    const std::string made = tar_key(key);
    EXPECT_EQ(split_of(made + ".left.jpg"), made + "|left.jpg") << key;
  }
}

TEST(TarNames, FieldsBecomeEndings) {
  EXPECT_EQ(tar_field("json"), "json");
  EXPECT_EQ(tar_field("Left.JPG"), "left.jpg");
  EXPECT_EQ(tar_field("image/mask"), "image_mask");
  EXPECT_EQ(tar_field("a\tb\xff"), "a%09b%ff");
  EXPECT_EQ(tar_field(""), "bin");
}

}  // namespace
}  // namespace stoker::record
