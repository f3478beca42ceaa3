// The help pages, word for word. To write them anew after a change: STOKER_UPDATE_GOLDEN=1
// build/tests/cli/cli_tests
// --gtest_filter='*HelpGolden*', then read the difference.
#include "cli/help.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "cli/stoker_program.hpp"
#include "cli/text.hpp"

namespace stoker::test {
namespace {

struct Page {
  const char* name;
  std::vector<std::string> arguments;
};

class HelpGolden : public testing::TestWithParam<Page> {};

TEST_P(HelpGolden, EqualsTheFileAndFitsAScreen) {
  const ProgramResult result = stoker(GetParam().arguments);
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
  const std::string path = std::string(STOKER_GOLDEN) + "/" + GetParam().name + ".txt";
  if (std::getenv("STOKER_UPDATE_GOLDEN")) std::ofstream(path) << result.out;
  EXPECT_EQ(result.out, read_file(path));
  std::istringstream stream(result.out);
  std::size_t lines = 0;
  for (std::string line; std::getline(stream, line); ++lines)
    EXPECT_LE(cli::display_width(line), 80U) << line;
  EXPECT_LE(lines, 24U);
  EXPECT_EQ(result.out.rfind("Example: stoker ", 0), 0U) << "the example comes first";
}

INSTANTIATE_TEST_SUITE_P(
    EveryVerb, HelpGolden,
    testing::Values(Page{"stoker", {"--help"}}, Page{"pack", {"pack", "--help"}},
                    Page{"index", {"index", "--help"}}, Page{"ls", {"ls", "--help"}},
                    Page{"verify", {"verify", "--help"}}, Page{"inspect", {"inspect", "--help"}},
                    Page{"synth", {"synth", "--help"}}, Page{"bench", {"bench", "--help"}},
                    Page{"bench_decode", {"bench", "decode", "--help"}},
                    Page{"bench_load", {"bench", "load", "--help"}},
                    Page{"bench_pack", {"bench", "pack", "--help"}},
                    Page{"bench_start", {"bench", "start", "--help"}}, Page{"train", {"train", "--help"}},
                    Page{"doctor", {"doctor", "--help"}}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(Help, IsSpelledInSeveralWays) {
  const std::string overview = stoker({"--help"}).out;
  EXPECT_EQ(stoker({"help"}).out, overview);
  EXPECT_EQ(stoker({"-h"}).out, overview);
  EXPECT_EQ(stoker({"help", "bench"}).out, stoker({"bench", "-h"}).out);
  const std::string pack = stoker({"pack", "--help"}).out;
  EXPECT_EQ(stoker({"help", "pack"}).out, pack);
  EXPECT_EQ(stoker({"pack", "-h"}).out, pack);
  EXPECT_EQ(stoker({"pack", "a", "--quality", "--help"}).out, pack) << "help wins over what is wrong besides";
  EXPECT_EQ(stoker({"help", "bench", "load"}).out, stoker({"bench", "load", "--help"}).out);
}

TEST(Help, NamesEveryVerb) {
  const std::string overview = stoker({"help"}).out;
  for (const char* verb : {"pack", "index", "ls", "verify", "inspect", "synth", "train", "doctor",
                           "bench decode", "bench load", "bench pack", "bench start"}) {
    EXPECT_NE(overview.find(std::string("\n  ") + verb + " "), std::string::npos) << verb;
  }
}

TEST(Help, NamesNoOptionThatTheDocumentLacks) {
  const std::string document = read_file(STOKER_COMMAND_LINE_DOCUMENT);
  for (const auto& entry : std::filesystem::directory_iterator(STOKER_GOLDEN)) {
    const std::string page = read_file(entry.path());
    for (std::size_t at = page.find(" --"); at != std::string::npos; at = page.find(" --", at + 1)) {
      const std::string option = page.substr(at + 1, page.find_first_of(" .|)\n", at + 1) - at - 1);
      EXPECT_NE(document.find(option), std::string::npos) << option << " of " << entry.path();
    }
  }
}

TEST(HelpText, LongPagesGoTwoToALine) {
  cli::HelpPage page{
      .verb = "x", .example = "stoker x", .purpose = "Does it.", .positionals = "A", .entries = {}};
  for (int i = 0; i < 30; ++i) page.entries.push_back({"--o" + std::to_string(i), "short", "1"});
  const std::string text = cli::help_text(page);
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 24);
  for (int i = 0; i < 30; ++i)
    EXPECT_NE(text.find("--o" + std::to_string(i) + (i < 10 ? "   " : "  ") + "short [1]"), std::string::npos)
        << i;
}

TEST(HelpText, RareOptionsFollowEachOther) {
  cli::HelpPage page{
      .verb = "x", .example = "stoker x", .purpose = "Does it.", .positionals = "A", .entries = {}};
  page.entries.push_back({"--common N", "told", "1"});
  for (int i = 0; i < 60; ++i)
    page.entries.push_back({"--rare" + std::to_string(i) + " N", "not told", "7", true});
  const std::string text = cli::help_text(page);
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 24);
  EXPECT_NE(text.find("--common N  told [1]\n  --rare0 N [7]  --rare1 N [7]"), std::string::npos) << text;
  EXPECT_EQ(text.find("not told"), std::string::npos);
}

TEST(HelpText, WrapsAtBlanks) {
  EXPECT_EQ(cli::wrap("aa bb cc", 5), (std::vector<std::string>{"aa bb", "cc"}));
  EXPECT_EQ(cli::wrap("longer-than-it", 5), (std::vector<std::string>{"longer-than-it"}));
  EXPECT_EQ(cli::wrap("", 5), (std::vector<std::string>{""}));
}

}  // namespace
}  // namespace stoker::test
