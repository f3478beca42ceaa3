#include "record/other_files.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace stoker::record {

namespace {

constexpr std::size_t kMostKinds = 50, kLongestEnding = 16;
constexpr std::string_view kOther = "other";

std::string ending_of(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || name.size() - dot > kLongestEnding) return "";
  std::string ending(name.substr(dot));
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
  return ending;
}

}  // namespace

void OtherFiles::add(std::string_view folder, std::string_view name) {
  std::string ending = ending_of(name);
  if (kinds_.size() >= kMostKinds && !kinds_.contains(ending)) ending = kOther;
  Kind& kind = kinds_[std::move(ending)];
  if (kind.files++ == 0) kind.first = fmt::format("{}/{}", folder, name);
}

std::vector<std::string> OtherFiles::told() const {
  std::vector<std::string> texts;
  for (const auto& [ending, kind] : kinds_)
    texts.push_back(kind.files == 1
                        ? kind.first
                        : fmt::format("{} and {} more {}", kind.first, kind.files - 1,
                                      ending.empty() ? "files without an ending" : ending + " files"));
  return texts;
}

}  // namespace stoker::record
