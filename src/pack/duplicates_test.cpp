#include "pack/duplicates.hpp"

#include <gmock/gmock.h>

#include "support/temp_dir.hpp"

namespace stoker::packing {
namespace {

struct Duplicates : testing::Test {
  test::TempDir dir;
  std::vector<std::string> files;

  void write(const std::vector<Checksum>& checksums) {
    std::string bytes;
    for (const Checksum& checksum : checksums) append_checksum(checksum, bytes);
    files.push_back(dir.write(std::to_string(files.size()), bytes));
  }

  std::vector<std::pair<std::uint64_t, std::uint64_t>> found() {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs;
    find_duplicates(*open_store("."), files, [&](const DuplicateSample& duplicate) {
      pairs.emplace_back(duplicate.sample, duplicate.same_as);
    });
    return pairs;
  }
};

TEST_F(Duplicates, EachNamesTheFirstOfItsKind) {
  write({{7, 10, 0}, {8, 10, 1}, {7, 10, 2}});
  write({{7, 11, 3}, {8, 10, 4}, {7, 10, 5}});
  EXPECT_THAT(found(), testing::UnorderedElementsAre(std::pair(2, 0), std::pair(5, 0), std::pair(4, 1)));
}

TEST_F(Duplicates, NoneAndNothing) {
  EXPECT_TRUE(found().empty());
  write({});
  write({{1, 1, 0}, {1, 2, 1}, {2, 1, 2}});
  EXPECT_TRUE(found().empty());
}

TEST_F(Duplicates, MoreThanAreHeldAtOnceAreFoundInSeveralPasses) {
  constexpr std::uint32_t kMany = (1U << 22) + 10;
  std::vector<Checksum> checksums;
  for (std::uint32_t i = 0; i < kMany; ++i) checksums.push_back({i * 2'654'435'761U, 5, i});
  checksums.push_back({checksums[3].crc32c, 5, kMany});
  checksums.push_back({checksums[4'000'000].crc32c, 5, kMany + 1});
  write(checksums);
  EXPECT_THAT(found(),
              testing::UnorderedElementsAre(std::pair<std::uint64_t, std::uint64_t>(kMany, 3),
                                            std::pair<std::uint64_t, std::uint64_t>(kMany + 1, 4'000'000)));
}

TEST_F(Duplicates, ManyOfOneKindAreAllTold) {
  constexpr std::uint64_t kMany = (1U << 22) + 1000;
  std::vector<Checksum> checksums;
  for (std::uint64_t i = 0; i < kMany; ++i) checksums.push_back({9, 5, i});
  write(checksums);
  std::uint64_t told = 0, next = 1;
  find_duplicates(*open_store("."), files, [&](const DuplicateSample& duplicate) {
    ++told;
    EXPECT_EQ(duplicate.same_as, 0u);
    EXPECT_EQ(duplicate.sample, next++);
  });
  EXPECT_EQ(told, kMany - 1);
}

}  // namespace
}  // namespace stoker::packing
