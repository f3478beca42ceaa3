// Every line that README.md shows is run: the program's as they stand but for their amounts, the C++ ones in
// examples/.
#include <filesystem>
#include <gtest/gtest.h>
#include <regex>
#include <sstream>

#include "support/run_program.hpp"
#include "support/temp_dir.hpp"

namespace stoker {
namespace {

std::vector<std::string> block_lines(const std::string& language) {
  std::istringstream readme(test::read_file(STOKER_SOURCE "/README.md"));
  std::vector<std::string> lines;
  bool inside = false;
  for (std::string line; std::getline(readme, line);) {
    if (line.rfind("```", 0) == 0) {
      inside = line == "```" + language;
    } else if (inside && !line.empty()) {
      lines.push_back(line);
    }
  }
  return lines;
}

// The same command with less to do.
std::string shortened(std::string line) {
  if (line.find("stoker synth") != std::string::npos) line += " --images 20";
  line = std::regex_replace(line, std::regex("--seconds [0-9]+"), "--seconds 0.2");
  return std::regex_replace(line, std::regex("--num-epochs [0-9]+"), "--num-epochs 1");
}

TEST(Readme, ItsCommandsRunInTheirOrder) {
  const test::TempDir dir;
  const std::filesystem::path program = STOKER_PROGRAM;
  const bool trains = std::filesystem::exists(program.parent_path() / "libstoker_train_torch.so");
  const std::vector<std::string> lines = block_lines("console");
  ASSERT_GE(lines.size(), 5u);
  for (const std::string& line : lines) {
    ASSERT_EQ(line.rfind("$ stoker ", 0), 0u) << line;
    if (!trains && line.rfind("$ stoker train", 0) == 0) continue;
    const std::string command = "cd '" + dir.path() + "' && PATH='" + program.parent_path().string() +
                                "':$PATH && " + shortened(line.substr(2));
    const test::ProgramResult result = test::run_program({"/bin/sh", "-c", command});
    EXPECT_EQ(result.status, 0) << line << "\n" << result.err;
  }
}

TEST(Readme, ItsCppLinesAreThoseOfAnExampleThatRuns) {
  const std::string example = test::read_file(STOKER_SOURCE "/examples/load_batches.cpp");
  const std::vector<std::string> lines = block_lines("cpp");
  ASSERT_GE(lines.size(), 4u);
  for (const std::string& line : lines) EXPECT_NE(example.find(line), std::string::npos) << line;

  const test::TempDir dir;
  ASSERT_EQ(test::run_program({STOKER_PROGRAM, "synth", dir.path("photos"), "--images", "10"}).status, 0);
  ASSERT_EQ(
      test::run_program({STOKER_PROGRAM, "pack", dir.path("photos/train"), dir.path("train.rec")}).status, 0);
  const test::ProgramResult result = test::run_program({STOKER_EXAMPLE, dir.path("train.rec")});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "40 images\n");
}

}  // namespace
}  // namespace stoker
