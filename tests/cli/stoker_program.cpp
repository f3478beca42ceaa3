#include "cli/stoker_program.hpp"

#include <cstdlib>
#include <gtest/gtest.h>
#include <sstream>

namespace stoker::test {

ProgramResult stoker(const std::vector<std::string>& arguments, const RunOptions& options) {
  const char* chosen = std::getenv("STOKER_PROGRAM");  // an installed program, or one of another build
  std::vector<std::string> all{chosen ? chosen : STOKER_PROGRAM};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return run_program(all, options);
}

std::vector<nlohmann::json> json_lines(const std::string& text) {
  std::vector<nlohmann::json> objects;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    const nlohmann::json object = nlohmann::json::parse(line, nullptr, false);
    EXPECT_TRUE(object.is_object()) << "not a JSON object: " << line;
    if (object.is_object()) objects.push_back(object);
  }
  EXPECT_TRUE(text.empty() || text.back() == '\n') << "a cut line";
  return objects;
}

nlohmann::json json_of(const ProgramResult& result, int status) {
  EXPECT_EQ(result.status, status) << result.err;
  const auto objects = json_lines(result.out);
  EXPECT_EQ(objects.size(), 1U) << result.out << result.err;
  return objects.empty() ? nlohmann::json::object() : objects.front();
}

std::vector<std::string> keys_of(const nlohmann::json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

bool sanitized() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return true;
#else
  return false;
#endif
}

std::string make_photos(const TempDir& dir, int classes, int images) {
  const std::string root = dir.path("photos");
  const ProgramResult made = stoker({"synth", root, "--classes", std::to_string(classes), "--images",
                                     std::to_string(images), "--width", "80", "--height", "60", "--quiet"});
  EXPECT_EQ(made.status, 0) << made.err;
  return root;
}

std::string make_pack(const TempDir& dir, int classes, int images) {
  const std::string rec = dir.path("train.rec");
  const ProgramResult packed = stoker({"pack", make_photos(dir, classes, images) + "/train", rec, "--quiet"});
  EXPECT_EQ(packed.status, 0) << packed.err;
  return rec;
}

}  // namespace stoker::test
