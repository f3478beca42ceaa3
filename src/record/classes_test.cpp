#include "record/classes.hpp"

#include "record/record_fixture.hpp"

namespace stoker::record {
namespace {

std::vector<std::string> classes_of(std::string_view text) {
  const test::TempDir folder;
  return read_classes_file(folder.write("classes.txt", text));
}

TEST(ClassesFile, OneNameALine) {
  EXPECT_THAT(classes_of("roses\nwild daisy\r\ntulips"),
              testing::ElementsAre("roses", "wild daisy", "tulips"));
  EXPECT_THAT(classes_of("roses\n\n\n"), testing::ElementsAre("roses"));
}

TEST(ClassesFile, WrongFilesAreNamed) {
  EXPECT_TRUE(
      says(error_of([] { classes_of(""); }), ErrorCode::invalid_argument, {"classes.txt", "no name"}));
  EXPECT_TRUE(says(error_of([] { classes_of("\n\n"); }), ErrorCode::invalid_argument, {"no name"}));
  EXPECT_TRUE(
      says(error_of([] { classes_of("a\n\nb\n"); }), ErrorCode::invalid_argument, {"line 2", "blank line"}));
  EXPECT_TRUE(says(error_of([] { classes_of("a\nb\na\n"); }), ErrorCode::invalid_argument,
                   {"line 3", "'a', as in line 1"}));
  EXPECT_EQ(error_of([] { read_classes_file("/no/such/file"); }).code(), ErrorCode::not_found);
}

}  // namespace
}  // namespace stoker::record
