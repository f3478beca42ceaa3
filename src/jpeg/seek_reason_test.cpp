#include "jpeg/seek_reason.hpp"

#include <gtest/gtest.h>
#include <set>
#include <string>

namespace stoker::jpeg {
namespace {

TEST(SeekReason, EachHasWordsOfItsOwn) {
  std::set<std::string_view> words;
  for (int i = 0; i <= 10; ++i) words.insert(to_string(static_cast<SeekReason>(i)));
  EXPECT_EQ(words.size(), 11u);
}

TEST(SeekReason, ANumberOfALaterFormatIsNotSaid) {
  EXPECT_EQ(to_string(static_cast<SeekReason>(200)), "not said");
}

TEST(SeekReason, NamesWhatTheDecoderSays) {
  for (const NotMine reason : {NotMine::process, NotMine::precision, NotMine::components, NotMine::scans,
                               NotMine::tables, NotMine::sampling, NotMine::structure, NotMine::entropy})
    EXPECT_EQ(to_string(seek_reason(reason)), to_string(reason));
}

}  // namespace
}  // namespace stoker::jpeg
