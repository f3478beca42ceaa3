// What the verbs are made of: text, JSON, progress, statuses.
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/exit_status.hpp"
#include "cli/json.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/text.hpp"

namespace stoker::cli {
namespace {

TEST(Text, OneLineWhateverANameHolds) {
  EXPECT_EQ(printable("a\nb\x1b[31m\x7f"), "a\\x0ab\\x1b[31m\\x7f");
  EXPECT_EQ(printable("größe 中"), "größe 中");
}

TEST(Text, Figures) {
  EXPECT_EQ(short_number(1234.4), "1234");
  EXPECT_EQ(short_number(56.72), "56.7");
  EXPECT_EQ(short_number(1.2345), "1.23");
  EXPECT_EQ(short_number(0.98249), "0.982");
  EXPECT_EQ(short_number(9.9999), "10.0");
  EXPECT_EQ(short_number(std::nan("")), "-");
  EXPECT_EQ(percent(0.9731), "97.3 %");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(counted(1, "image"), "1 image");
  EXPECT_EQ(counted(0, "image"), "0 images");
  EXPECT_EQ(counted(1234567, "image"), "1,234,567 images");
}

TEST(Text, TablesSetNumbersToTheRight) {
  Table table({"name", "n"});
  table.row({"größe", "5"});
  table.row({"b", "-"});
  table.row({"c", "1000"});
  EXPECT_EQ(table.lines(),
            (std::vector<std::string>{"name      n", "größe     5", "b         -", "c      1000"}));
}

TEST(JsonParts, UnknownIsNullAndFloatsStayShort) {
  EXPECT_TRUE(measured(std::nan("")).is_null());
  EXPECT_TRUE(measured(std::optional<double>()).is_null());
  EXPECT_EQ(measured(1234.56789).dump(), "1234.57");
  EXPECT_EQ(exact(0.1F).dump(), "0.1");
  EXPECT_EQ(exact(1000001.0F).dump(), "1000001.0");
  EXPECT_EQ(exact(-1.25F).get<float>(), -1.25F);
  EXPECT_EQ(hex32(0xab), "000000ab");
}

TEST(JsonParts, BytesThatAreNoUtf8DoNotBreakTheLine) {
  Json json = json_object("ls");
  json["key"] = "caf\xe9\n";
  EXPECT_EQ(json_line(json), "{\"schema\":\"stoker.ls/1\",\"key\":\"caf\xEF\xBF\xBD\\n\"}");
}

OptionWords words_of_a_call() {
  static const std::vector<std::string> given{"classes", "--max-bad-share", "0.5"};
  return OptionWords({"--max-pixels", "--max-bad-share", "--on-error", "--classes", "--lr", "--enlarge"},
                     given);
}

TEST(OptionWords, WholeWordsOfSeveralPartsAreSpelledAsOptions) {
  const OptionWords words = words_of_a_call();
  EXPECT_EQ(words.spelled("raise max_pixels; or skip (on-error skip), max-bad-share: 0"),
            "raise --max-pixels; or skip (--on-error skip), --max-bad-share: 0");
  for (const char* stays : {"", " ", "a/max_pixels.txt", "max_pixels_2", "--max-pixels 5", "3 classes, lr",
                            "bad_sample skip", "(a) b;", "x  y "})
    EXPECT_EQ(words.spelled(stays), stays);
}

TEST(OptionWords, AnErrorsObjectMayBeAnOptionOfOneWord) {
  const Error option(ErrorCode::invalid_argument,
                     {.operation = "pack", .object = "enlarge", .found = "alone"});
  EXPECT_EQ(words_of_a_call().told(option), "pack --enlarge: alone");
  const Error folder(ErrorCode::invalid_argument, {.object = "classes", .found = "no sub-folders"});
  EXPECT_EQ(words_of_a_call().told(folder), "classes: no sub-folders") << "the user's own folder";
}

// A call is wrong by its options; all that its files and folders are is a failure.
TEST(ExitStatuses, InvalidArgumentsAreUsageWhereTheyNameAnOption) {
  const auto status = [](const char* object) {
    return exit_status(Error(ErrorCode::invalid_argument, {.object = object}), words_of_a_call());
  };
  EXPECT_EQ(status("--lr"), 2);
  EXPECT_EQ(status("max_pixels"), 2);
  EXPECT_EQ(status("enlarge"), 2);
  EXPECT_EQ(status("photos/train"), 1);
  EXPECT_EQ(status("classes"), 1) << "a folder that was given";
  EXPECT_EQ(status("step 3 (epoch 0)"), 1) << "a training that diverged";
  EXPECT_EQ(status(""), 1);
}

TEST(Text, PlacesOfBadRecords) {
  EXPECT_EQ(place_of({.container = "p/a/1.jpg", .offset = 0, .key = "a/1.jpg", .reason = ""}), "p/a/1.jpg");
  EXPECT_EQ(place_of({.container = "x.rec", .offset = 0, .key = "7", .reason = ""}),
            "x.rec at offset 0, key 7");
  EXPECT_EQ(place_of({.container = "x.bin", .offset = 8, .key = "", .reason = ""}), "x.bin at offset 8");
}

TEST(ExitStatuses, OneTable) {
  const auto exit_status = [](ErrorCode code) { return cli::exit_status(Error(code, {}), OptionWords()); };
  EXPECT_EQ(exit_status(ErrorCode::cancelled), 130);
  for (const ErrorCode code :
       {ErrorCode::not_found, ErrorCode::corrupt_data, ErrorCode::unsupported, ErrorCode::io,
        ErrorCode::unavailable, ErrorCode::out_of_resources, ErrorCode::internal})
    EXPECT_EQ(exit_status(code), 1) << to_string(code);
}

TEST(ProgressText, TellsDoneRateAndEta) {
  EXPECT_EQ(progress_line({512, 1000, 2.0, ""}, "images"),
            "512 of 1000 images, 51 %, 256 images/s, 1.9 s to go");
  EXPECT_EQ(progress_line({0, 1000, 0.0, ""}, "images"), "0 of 1000 images, 0 %");
  EXPECT_EQ(progress_line({7, 0, 1.0, "3 bad"}, "records"), "7 records, 7.00 records/s, 3 bad");
  EXPECT_EQ(progress_line({10, 10, 1.0, ""}, "runs"), "10 of 10 runs, 100 %, 10.0 runs/s");
}

TEST(ProgressText, TheBarFillsAndNeverWraps) {
  const std::string half = progress_bar({5, 10, 1.0, ""}, "runs", 200);
  EXPECT_EQ(half.rfind("[############............] 5/10, 50 %, 5.00 runs/s, 1.0 s to go", 0), 0U) << half;
  EXPECT_EQ(progress_bar({10, 10, 1.0, ""}, "runs", 200).rfind("[########################]", 0), 0U);
  EXPECT_EQ(progress_bar({20, 10, 1.0, ""}, "runs", 200).rfind("[########################]", 0), 0U)
      << "more than said";
  for (const std::size_t columns : {0U, 1U, 20U, 80U})
    EXPECT_LT(progress_bar({5, 10, 1.0, "x"}, "runs", columns).size(), columns + 1);
}

// What a Talk or Output writes, through a pipe.
class Piped : public testing::Test {
 protected:
  Piped() { EXPECT_EQ(pipe(ends_.data()), 0); }
  ~Piped() override {
    close(ends_[0]);
    if (ends_[1] >= 0) close(ends_[1]);
  }
  std::string read_all() {
    close(ends_[1]);
    ends_[1] = -1;
    std::string text;
    std::array<char, 4096> buffer;
    for (ssize_t n = 0; (n = read(ends_[0], buffer.data(), buffer.size())) > 0;)
      text.append(buffer.data(), static_cast<std::size_t>(n));
    return text;
  }
  std::array<int, 2> ends_{};
};

TEST_F(Piped, ProgressIsPlainLinesWhereNoTerminalIs) {
  Talk talk("pack", ends_[1]);
  {
    Progress progress(talk, "images", std::chrono::milliseconds(0));
    progress.update(1, 2);
    progress.update(2, 2);
  }
  const std::string text = read_all();
  EXPECT_EQ(text.rfind("1 of 2 images, 50 %", 0), 0U) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST_F(Piped, ProgressWaitsBetweenLines) {
  Talk talk("pack", ends_[1]);
  Progress progress(talk, "images", std::chrono::hours(1));
  for (std::uint64_t i = 0; i < 1000; ++i) progress.update(i, 1000);
  EXPECT_EQ(read_all(), "");
}

TEST_F(Piped, QuietSilencesAllButErrors) {
  Talk talk("pack", ends_[1]);
  talk.set_quiet(true);
  talk.note("note");
  talk.raw("raw");
  Progress(talk, "images", std::chrono::milliseconds(0)).update(1, 2);
  talk.error("bad\nthing");
  EXPECT_EQ(read_all(), "stoker pack: bad\\x0athing\n");
}

TEST_F(Piped, OutputKeepsLinesWhole) {
  {
    Output out(ends_[1]);
    out.line("one");
    out.line("two");
  }
  EXPECT_EQ(read_all(), "one\ntwo\n");
}

}  // namespace
}  // namespace stoker::cli
