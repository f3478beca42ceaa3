#include "record/tar_header.hpp"

#include "record/record_fixture.hpp"
#include "record/tar_format.hpp"

namespace stoker::record {
namespace {

TEST(TarHeader, LongNamesArePartedAtASlashOrGetAPaxHeader) {
  const auto headers = [](const std::string& name, std::uint64_t bytes = 0) {
    std::vector<std::byte> made;
    append_tar_header(made, name, bytes);
    return text_of(made);
  };
  const std::string folder(150, 'f'), base(95, 'b');
  EXPECT_EQ(headers(base + ".jpg").size(), 512u);
  EXPECT_EQ(headers(folder + "/" + base + ".jpg").size(), 512u);
  EXPECT_EQ(headers(folder + "/" + base + ".jpg").substr(345, 151), folder + std::string(1, '\0'));
  for (const std::string& name : {folder + "/" + base + "12.webp", std::string(156, 'f') + "/" + base,
                                  "gr\xc3\xbc\xc3\x9f.jpg" + std::string(), folder + "/" + folder + "/a.jpg"})
    EXPECT_EQ(headers(name).size(), 1536u) << name;
  EXPECT_EQ(headers("gr\xc3\xbc\xc3\x9f.jpg").substr(512, 19), "19 path=gr\xc3\xbc\xc3\x9f.jpg\n");
  EXPECT_EQ(headers("gr\xc3\xbc\xc3\x9f.jpg").substr(1024, 11), std::string("gr????.jpg\0", 11));
  // Lengths around those where the count of their own digits changes.
  for (std::size_t bytes = 101; bytes < 1100; ++bytes) {
    const std::string name(bytes, 'n');
    const std::string text = headers(name);
    TarMembers members(TarBytes(bytes_of(text), 0), 0);
    ASSERT_EQ(members.next(), TarMembers::Step::member) << members.fault().reason;
    ASSERT_EQ(members.member().name, name);
  }
}

TEST(TarHeader, SizesBeyondOctalGetAPaxHeader) {
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 33;
  for (const std::uint64_t bytes : {kLimit - 1, kLimit}) {
    std::vector<std::byte> made;
    append_tar_header(made, "a.bin", bytes);
    EXPECT_EQ(made.size(), bytes < kLimit ? 512u : 1536u);
    TarMembers members(TarBytes(made, 0), 0);
    ASSERT_EQ(members.next(), TarMembers::Step::fault);
    EXPECT_THAT(members.fault().reason, testing::HasSubstr(" has " + std::to_string(bytes) + " bytes"));
  }
}

}  // namespace
}  // namespace stoker::record
