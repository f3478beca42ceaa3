#include "record/tar_format.hpp"

#include "record/record_fixture.hpp"
#include "record/tar_fixture.hpp"

namespace stoker::record {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// What the members are, one line each: "name bytes@data", "(name)" of what is no file, "fault BEGIN/HEADER
// reason", "end".
std::vector<std::string> members_of(TarMembers members) {
  std::vector<std::string> lines;
  for (;;) {
    switch (members.next()) {
      case TarMembers::Step::member: {
        const TarMember& member = members.member();
        const std::string name(member.name);
        lines.push_back(member.is_file
                            ? name + " " + std::to_string(member.bytes) + "@" + std::to_string(member.data)
                            : "(" + name + ")");
        break;
      }
      case TarMembers::Step::fault:
        lines.push_back("fault " + std::to_string(members.fault().begin) + "/" +
                        std::to_string(members.fault().header) + " [" + std::string(members.fault().name) +
                        "] " + members.fault().reason);
        return lines;
      case TarMembers::Step::end:
        return lines;
    }
  }
}

// From memory and through a window, which must agree.
std::vector<std::string> members_of(const std::string& text) {
  const auto in_memory = members_of(TarMembers(TarBytes(bytes_of(text), 0), 0));
  const test::TempDir folder;
  const auto file = open_store(".")->open_read(folder.write("x.tar", text));
  WindowReader window(*file);
  EXPECT_EQ(members_of(TarMembers(TarBytes(window, text.size()), 0)), in_memory);
  return in_memory;
}

std::optional<std::uint64_t> number(std::string_view field) { return tar_number(bytes_of(field)); }

TEST(TarNumber, OctalInItsManySpellings) {
  EXPECT_EQ(number(std::string_view("0000644\0", 8)), 0644u);
  EXPECT_EQ(number("  644 \0"), 0644u);
  EXPECT_EQ(number("77777777777 "), 077777777777u);
  EXPECT_EQ(number("777777777777"), 0777777777777u) << "no end";
  EXPECT_EQ(number(std::string_view("\0\0\0\0", 4)), 0u);
  EXPECT_EQ(number("    "), 0u);
  EXPECT_EQ(number(std::string_view("12\0 9", 5)), 012u) << "what lies behind NUL is not looked at";
  for (const char* wrong : {"12x4", "8", "-12", "+1", "0x10", "1 2"})
    EXPECT_EQ(number(wrong), std::nullopt) << wrong;
}

TEST(TarNumber, Base256) {
  EXPECT_EQ(number(std::string_view("\x80\0\0\0\0\0\0\2\0\0\0\1", 12)), (std::uint64_t{1} << 33) + 1);
  EXPECT_EQ(number(std::string_view("\x80\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff", 12)), 0x7fffffffffffffffu);
  EXPECT_EQ(number(std::string_view("\x80\0\0\0\x80\0\0\0\0\0\0\0", 12)), std::nullopt) << "2^63";
  EXPECT_EQ(number(std::string_view("\x80\1\0\0\0\0\0\0\0\0\0\0", 12)), std::nullopt);
  EXPECT_EQ(number("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), std::nullopt) << "-1";
}

TEST(TarFormat, MembersOfEveryKindOfHeader) {
  const std::string v7 = tar_file("v7.jpg", "abc", {.type = '\0', .magic = ""});
  const std::string gnu = tar_file("gnu.jpg", "", {.magic = std::string("ustar  \0", 8), .prefix = "123456"});
  EXPECT_THAT(members_of(v7 + gnu + tar_file("b.jpg", std::string(513, 'x'), {.prefix = "long/folder"}) +
                         tar_file("last.jpg", "x", {.type = '7'}) + tar_end()),
              ElementsAre("v7.jpg 3@512", "gnu.jpg 0@1536", "long/folder/b.jpg 513@2048", "last.jpg 1@3584"));
}

TEST(TarFormat, WhatIsNoFile) {
  EXPECT_THAT(members_of(tar_folder("dir/") + tar_file("old/", "", {.type = '\0', .magic = ""}) +
                         tar_block("link", 77, {.type = '1'}) + tar_block("symlink", 77, {.type = '2'}) +
                         tar_block("device", 5, {.type = '3'}) + tar_file("volume", "text", {.type = 'V'}) +
                         tar_file("a.jpg", "x")),
              ElementsAre("(dir/)", "(old/)", "(link)", "(symlink)", "(device)", "(volume)", "a.jpg 1@4096"));
}

TEST(TarFormat, ExtendedHeadersReplaceNameAndSize) {
  const std::string name = std::string(300, 'n') + ".jpg";
  EXPECT_THAT(members_of(tar_pax({{"mtime", "1.5"}, {"path", name}, {"comment", "a=b\nc"}}) +
                         tar_file("short", "abc")),
              ElementsAre(name + " 3@1536"));
  EXPECT_THAT(
      members_of(tar_pax({{"size", "3"}}) + tar_block("a.jpg", 0) + in_blocks("abc") + tar_file("b.jpg", "")),
      ElementsAre("a.jpg 3@1536", "b.jpg 0@2560"));
  EXPECT_THAT(members_of(tar_long_name(name) + tar_file("short", "abc")), ElementsAre(name + " 3@1536"));
  EXPECT_THAT(
      members_of(tar_file("././@LongLink", "target", {.type = 'K'}) + tar_block("link", 0, {.type = '2'})),
      ElementsAre("(link)"));
  EXPECT_THAT(
      members_of(tar_long_name("of GNU.jpg") + tar_pax({{"path", "of PAX.jpg"}}) + tar_file("short", "")),
      ElementsAre("of PAX.jpg 0@2560"));
  EXPECT_THAT(
      members_of(tar_pax({{"path", "of PAX.jpg"}}) + tar_long_name("of GNU.jpg") + tar_file("short", "")),
      ElementsAre("of PAX.jpg 0@2560"));
  EXPECT_THAT(members_of(tar_pax({{"path", "a.jpg"}}) + tar_file("x", "") + tar_file("b.jpg", "")),
              ElementsAre("a.jpg 0@1536", "b.jpg 0@2048"))
      << "they hold for one member";
}

TEST(TarFormat, GlobalHeadersArePassedOverUnlessTheyNameMembers) {
  EXPECT_THAT(members_of(tar_pax({{"comment", "a commit"}}, 'g') + tar_file("a.jpg", "")),
              ElementsAre("a.jpg 0@1536"));
  EXPECT_THAT(members_of(tar_pax({{"path", "x"}}, 'g')),
              ElementsAre(HasSubstr("all members that follow one path")));
}

TEST(TarFormat, SizesOfEveryKind) {
  const std::string base_256 = std::string("\x80\0\0\0\0\0\0\0\0\0\0\3", 12);
  EXPECT_THAT(
      members_of(tar_block("a.jpg", 0, {.size = base_256}) + in_blocks("abc") + tar_file("b.jpg", "")),
      ElementsAre("a.jpg 3@512", "b.jpg 0@1536"));
}

TEST(TarFormat, ChecksumsOfSignedBytes) {
  EXPECT_THAT(members_of(tar_file("gr\xc3\xbc\xc3\x9f.jpg", "abc", {.signed_sum = true})),
              ElementsAre("gr\xc3\xbc\xc3\x9f.jpg 3@512"));
  EXPECT_THAT(members_of(tar_file("a.jpg", "abc", {.sum_error = 256})), ElementsAre(StartsWith("fault")));
}

TEST(TarFormat, EndBlocksAreAMatterOfTaste) {
  const std::string a = tar_file("a.jpg", "abc");
  for (const std::string& end :
       {std::string(), std::string(512, '\0'), tar_end(), std::string(10240, '\0'), std::string(100, '\0')})
    EXPECT_THAT(members_of(a + end), ElementsAre("a.jpg 3@512")) << end.size();
  EXPECT_THAT(members_of(tar_block("a.jpg", 3) + "abc"), ElementsAre("a.jpg 3@512")) << "padding that lacks";
  EXPECT_THAT(members_of(a + tar_end() + a), ElementsAre("a.jpg 3@512", "a.jpg 3@2560"))
      << "two archives in a row";
  EXPECT_THAT(members_of(""), ElementsAre());
  TarMembers members(TarBytes(bytes_of(a), 0), 0);
  members.next();
  EXPECT_FALSE(members.behind_end_blocks());
  const std::string behind = tar_end() + a;
  TarMembers later(TarBytes(bytes_of(behind), 0), 0);
  later.next();
  EXPECT_TRUE(later.behind_end_blocks());
}

TEST(TarFormat, CutsAreTold) {
  EXPECT_THAT(members_of(tar_file("a.jpg", std::string(600, 'x')).substr(0, 1000)),
              ElementsAre("fault 0/0 [a.jpg] 'a.jpg' at offset 0 has 600 bytes, 112 of them beyond the end"));
  EXPECT_THAT(members_of(tar_file("a.jpg", "") + tar_block("b.jpg", 0).substr(0, 200)),
              ElementsAre("a.jpg 0@512",
                          "fault 512/512 [] the archive ends 200 bytes into the header at offset 512"));
  EXPECT_THAT(members_of(tar_pax({{"path", "a.jpg"}})),
              ElementsAre(AllOf(StartsWith("fault 0/1024 [] "), HasSubstr("a header without its member"))));
  EXPECT_THAT(members_of(tar_long_name("a.jpg").substr(0, 514)),
              ElementsAre(HasSubstr("the archive ends 2 bytes into")));
  EXPECT_THAT(members_of(tar_pax({{"path", "a.jpg"}}) + tar_end()),
              ElementsAre(HasSubstr("zeros at offset 1024")));
}

TEST(TarFormat, SizesThatTheArchiveCannotHoldAreTold) {
  EXPECT_THAT(members_of(tar_block("a.jpg", 0,
                                   {.size = std::string("\x80\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff", 12)})),
              ElementsAre(HasSubstr("9223372036854775807 of them beyond the end")));
  EXPECT_THAT(members_of(tar_block("a.jpg", 0, {.size = std::string(12, '\xff')})),
              ElementsAre(HasSubstr("is no number")));
  EXPECT_THAT(members_of(tar_block("x", 1 << 20, {.type = 'x'}) + std::string(1 << 20, 'x')),
              ElementsAre(HasSubstr("extends a member by 1048576 bytes (allowed: 262144)")));
  EXPECT_THAT(members_of(tar_long_name(std::string(5000, 'n'))), ElementsAre(HasSubstr("(allowed: 4097)")));
  EXPECT_THAT(members_of(tar_pax({{"path", std::string(5000, 'n')}}) + tar_file("x", "")),
              ElementsAre(HasSubstr("longer than 4096 bytes")));
}

TEST(TarFormat, WrongChecksumsKeepANameThatCanBeBelieved) {
  EXPECT_THAT(members_of(tar_file("a.jpg", "", {.sum_error = 1})),
              ElementsAre(AllOf(StartsWith("fault 0/0 [a.jpg] the header at offset 0 has the checksum "),
                                HasSubstr("its bytes add up to"))));
  EXPECT_THAT(members_of(tar_file("a.jpg", "", {.magic = "", .sum_error = 1})),
              ElementsAre(StartsWith("fault 0/0 [] ")));
  EXPECT_THAT(members_of(tar_file("a\x01.jpg", "", {.sum_error = 1})),
              ElementsAre(StartsWith("fault 0/0 [] ")));
  EXPECT_THAT(members_of(tar_file("./PaxHeaders/a.jpg", "", {.type = 'x', .sum_error = 1})),
              ElementsAre(StartsWith("fault 0/0 [] ")));
  EXPECT_THAT(members_of(std::string(2000, 'x')),
              ElementsAre("fault 0/0 [] no header at offset 0: its checksum is wrong"));
}

TEST(TarFormat, ExtendedHeadersThatHoldNoRecords) {
  for (const char* records :
       {"x", "5 a=b\n", "7 a=b\n", "6 a=bc", "99 path=x\n", "0 a=b\n", "6 abcd", "-6 a=b\n"})
    EXPECT_THAT(members_of(tar_file("x", records, {.type = 'x'}) + tar_file("a.jpg", "")),
                ElementsAre(HasSubstr("LENGTH KEY=VALUE")))
        << records;
  EXPECT_THAT(members_of(tar_pax({{"size", "1x"}}) + tar_file("a.jpg", "")),
              ElementsAre(HasSubstr("is no number")));
  EXPECT_THAT(members_of(tar_pax({{"path", ""}}) + tar_file("a.jpg", "")), ElementsAre("a.jpg 0@1536"));
  EXPECT_THAT(members_of(tar_long_name("b.jpg") + tar_pax({{"path", ""}}) + tar_file("a.jpg", "")),
              ElementsAre("b.jpg 0@2560"));
}

TEST(TarFormat, SparseFilesAreRefusedNotCut) {
  EXPECT_THAT(members_of(tar_file("a.jpg", "abc", {.type = 'S'})),
              ElementsAre(HasSubstr("'a.jpg' at offset 0 is a sparse file")));
  EXPECT_THAT(members_of(tar_pax({{"GNU.sparse.major", "1"}}) + tar_file("a.jpg", "abc")),
              ElementsAre(HasSubstr("sparse file")));
}

TEST(TarFormat, BytesAreFoundByTheirPlaceInTheArchive) {
  TarBytes bytes(bytes_of("0123456789"), 100);
  EXPECT_EQ(text_of(bytes.at(102, 3)), "234");
  EXPECT_EQ(text_of(bytes.at(108, 10)), "89");
  EXPECT_TRUE(bytes.at(110, 1).empty());
  EXPECT_EQ(bytes.end(), 110u);
}

}  // namespace
}  // namespace stoker::record
