#include "bench/decode_picture.hpp"

#include <cctype>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

namespace stoker::bench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// "" where every tag of `page` is closed in turn and every & begins an entity, else where it is not.
std::string xml_fault(const std::string& page) {
  std::vector<std::string> open;
  for (std::size_t at = 0; at < page.size(); ++at) {
    if (page[at] == '&' && page.find(';', at) > at + 5) return "a bare & at " + page.substr(at, 20);
    if (page[at] != '<') continue;
    const std::size_t end = page.find('>', at);
    if (end == std::string::npos) return "a tag without end";
    const std::string tag = page.substr(at + 1, end - at - 1);
    at = end;
    if (tag.empty() || tag[0] == '!' || tag.back() == '/') continue;
    const std::string name = tag.substr(0, tag.find(' '));
    if (name[0] != '/') {
      open.push_back(name);
    } else if (open.empty() || open.back() != name.substr(1)) {
      return "</" + name.substr(1) + "> closes nothing";
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : "<" + open.back() + "> is not closed";
}

DecodeBenchReport report() {
  const auto row = [](const char* name, const char* baseline, double ratio, bool exact) {
    DecodeRow made;
    made.name = name;
    made.about = "some <way>";
    made.baseline = baseline;
    made.images_per_s = {90, 100, 110};
    made.ratio_to_turbo = {ratio * 0.9, ratio, ratio * 1.1};
    made.check.exact = exact;
    if (!exact) made.check.error = PixelError{0.25, 12, 54.1, 43.2, "a/b&c.jpg"};
    return made;
  };
  DecodeBenchReport made;
  made.rows = {row("turbo_full", "turbo_full", 1, true), row("stoker_full", "turbo_full", 1.8, true),
               row("turbo_full_resize", "turbo_full", 0.9, true),
               row("stoker_rrc_seek", "turbo_full_resize", 3.9, true),
               row("stoker_rrc_seek_fast", "turbo_full_resize", 4.4, false)};
  made.images = 1000;
  made.mean_bytes = 110'000;
  made.mean_megapixels = 0.2;
  made.runs = 5;
  made.output_size = 224;
  made.machine = {"A & B \"CPU\" <2>", 2, "AVX3", "2.1.5", "g++ 12.2.0", "2026-11-30"};
  return made;
}

TEST(DecodePicture, IsWellFormedWhateverNamesItHolds) {
  const std::string page = decode_picture(report(), "0.1");
  EXPECT_EQ(xml_fault(page), "");
  EXPECT_THAT(page, HasSubstr("A &amp; B &quot;CPU&quot; &lt;2&gt;"));
  EXPECT_NE(xml_fault("<p><b></p>"), "") << "the check itself";
  EXPECT_NE(xml_fault("<p>a & b</p>"), "") << "the check itself";
}

TEST(DecodePicture, ShowsEveryRouteItsSpreadAndWhereItWasTaken) {
  const std::string page = decode_picture(report(), "0.1");
  for (const DecodeRow& row : report().rows) EXPECT_THAT(page, HasSubstr("<td>" + row.name + "</td>"));
  EXPECT_THAT(page, HasSubstr("3.90×, 100 images/s"));
  EXPECT_THAT(page, HasSubstr("54.1 dB"));
  EXPECT_THAT(page, HasSubstr("2026-11-30"));
  EXPECT_THAT(page, HasSubstr("libjpeg-turbo 2.1.5"));
  EXPECT_THAT(page, HasSubstr("CPU time of one thread"));
  EXPECT_THAT(page, HasSubstr("prefers-color-scheme: dark"));
}

TEST(DecodePicture, NeedsNoNetworkAndNoScript) {
  const std::string page = decode_picture(report(), "0.1");
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("src=")));
  EXPECT_THAT(page, Not(HasSubstr("href=")));
  EXPECT_THAT(page, Not(HasSubstr("url(")));
}

TEST(DecodePicture, SaysWhatTheSamplesAreAndWhereTheyCameFrom) {
  DecodeBenchReport made = report();
  made.as = SampleForm::ycc420;
  EXPECT_THAT(decode_picture(made, "0.1"), HasSubstr("made 420 at quality 90"));
  made.from = SampleSource::cold;
  EXPECT_THAT(decode_picture(made, "0.1"), HasSubstr("page cache dropped"));
}

}  // namespace
}  // namespace stoker::bench
