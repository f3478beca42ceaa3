// The files of a folder that are no samples.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace stoker::record {

// Counts them by the endings of their names. Memory: bounded, whatever the endings.
class OtherFiles {
 public:
  void add(std::string_view folder, std::string_view name);
  // For each ending: "ant/x.gif and 2 more .gif files".
  std::vector<std::string> told() const;

 private:
  struct Kind {
    std::uint64_t files = 0;
    std::string first;
  };
  std::map<std::string, Kind, std::less<>> kinds_;  // by ending, in small letters
};

}  // namespace stoker::record
