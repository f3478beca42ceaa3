// The sample data beside the repository (real photos, odd images, foreign record files), which tests skip
// without.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace stoker::test {

// The path of `relative` in the sample data, or "" where it is absent. Set STOKER_DATA to look elsewhere.
std::string shared_data(std::string_view relative);

// Rows of a tab-separated file with a header line, each as column → value.
std::vector<std::map<std::string, std::string>> read_tsv(const std::string& path);

// The regular members of an (uncompressed, ustar) tar of sample photos, at most `limit`: name → bytes.
std::vector<std::pair<std::string, std::string>> read_tar(const std::string& path,
                                                          std::size_t limit = ~std::size_t{0});

}  // namespace stoker::test

// Skips the running test, with a clear word, where the sample data is absent.
#define STOKER_NEEDS_DATA(variable, relative)                         \
  const std::string variable = ::stoker::test::shared_data(relative); \
  if (variable.empty()) GTEST_SKIP() << "sample data is absent: " << (relative)
