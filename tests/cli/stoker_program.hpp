// Short words for the tests of the command line.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/run_program.hpp"
#include "support/temp_dir.hpp"

namespace stoker::test {

// Runs the program that was built beside the tests.
ProgramResult stoker(const std::vector<std::string>& arguments, const RunOptions& options = {});

// Each line of `text` as JSON; fails the test at a line that is none.
std::vector<nlohmann::json> json_lines(const std::string& text);

// The one JSON object that the program printed, its exit status and silence on standard error checked.
nlohmann::json json_of(const ProgramResult& result, int status = 0);

// Names of an object's members.
std::vector<std::string> keys_of(const nlohmann::json& object);

// Whether this build runs under a sanitizer: memory and time are then not the program's own.
bool sanitized();

// A folder of small photos made by `stoker synth`: ROOT/{train,val}/CLASS/*.jpg; returns ROOT.
std::string make_photos(const TempDir& dir, int classes = 2, int images = 5);

// `make_photos`'s training half packed as ROOT/train.rec; returns its path.
std::string make_pack(const TempDir& dir, int classes = 2, int images = 5);

}  // namespace stoker::test
