#include "pack/class_names.hpp"

#include <filesystem>
#include <gtest/gtest.h>

#include "stoker/error.hpp"

#include "support/temp_dir.hpp"

namespace stoker::packing {
namespace {

template <class Call>
std::string refusal(Call&& call) {
  try {
    call();
    return "none";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    return error.what();
  }
}

TEST(ClassNames, PrintableIsExact) {
  EXPECT_EQ(printable("plain name"), "plain name");
  EXPECT_EQ(printable("caf\xe9\n\\"), "caf\\xe9\\x0a\\\\");
  EXPECT_TRUE(is_utf8("gr\xC3\xBC\xC3\x9F"));
  EXPECT_FALSE(is_utf8("caf\xe9"));
  EXPECT_FALSE(is_utf8("cut\xC3"));
}

TEST(ClassNames, TheFolderIsNamedWhateverElseIsThere) {
  const test::TempDir dir;
  dir.write("photos/ant/a.jpg", "");
  dir.write("photos/caf\xe9.txt", "a file is no class");
  const PackOptions options{.source = dir.path("photos"), .destination = dir.path("x.rec")};
  EXPECT_EQ(refusal([&] { check_class_folders(options); }), "none");
  std::filesystem::create_directory(dir.path("photos/caf\xe9"));
  const std::string message = refusal([&] { check_class_folders(options); });
  EXPECT_NE(message.find(dir.path("photos") + "/caf\\xe9: "), std::string::npos) << message;
  EXPECT_NE(message.find("UTF-8"), std::string::npos) << message;
}

TEST(ClassNames, SourcesWithoutClassFoldersPass) {
  const test::TempDir dir;
  for (const std::string& source : {dir.write("x.lst", "0\t0\ta.jpg\n"), dir.path("absent")})
    EXPECT_EQ(refusal([&] { check_class_folders({.source = source, .destination = "x.rec"}); }), "none");
}

TEST(ClassNames, ANameOfAClassFileIsToldWithItsLabel) {
  EXPECT_EQ(refusal([] { check_class_names({"ant", "bee"}, "photos"); }), "none");
  const std::string message = refusal([] { check_class_names({"ant", "caf\xe9"}, "photos"); });
  EXPECT_NE(message.find("class 1, 'caf\\xe9'"), std::string::npos) << message;
}

}  // namespace
}  // namespace stoker::packing
