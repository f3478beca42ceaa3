#include <gtest/gtest.h>

#include "stoker/error.hpp"

#include "store/local_store.hpp"

namespace stoker::store {
namespace {

ErrorCode code_of(std::string_view url) {
  try {
    local_path(url);
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << url << " was taken";
  return ErrorCode::internal;
}

TEST(LocalPath, PlainPathsStayAsTheyAre) {
  EXPECT_EQ(local_path("a/b c%20.rec"), "a/b c%20.rec");
  EXPECT_EQ(local_path("/a"), "/a");
  EXPECT_EQ(local_path("a:b"), "a:b");
  EXPECT_EQ(local_path("2020://x"), "2020://x");  // a scheme begins with a letter
}

TEST(LocalPath, FileUrlsAreDecoded) {
  EXPECT_EQ(local_path("file:///a/b%20c%C3%A9"), "/a/b c\xC3\xA9");
  EXPECT_EQ(local_path("file://localhost/a"), "/a");
  EXPECT_EQ(local_path("file:///50%"), "/50%");
  EXPECT_EQ(local_path("file:///50%zz"), "/50%zz");
}

TEST(LocalPath, OtherSchemesAreUnsupported) {
  EXPECT_EQ(code_of("s3://bucket/x.rec"), ErrorCode::unsupported);
  EXPECT_EQ(code_of("https://host/x.rec"), ErrorCode::unsupported);
  EXPECT_EQ(code_of("file://host/x.rec"), ErrorCode::unsupported);
  try {
    open_store("s3://bucket/x.rec");
    FAIL();
  } catch (const Error& error) {
    const std::string_view text = error.what();
    EXPECT_NE(text.find("s3://bucket/x.rec"), text.npos);
    EXPECT_NE(text.find("file:///path"), text.npos);
  }
}

TEST(LocalPath, EmptyAndZeroBytesAreInvalid) {
  EXPECT_EQ(code_of(""), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of("file://"), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of(std::string_view("a\0b", 3)), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of("file:///a%00b"), ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace stoker::store
