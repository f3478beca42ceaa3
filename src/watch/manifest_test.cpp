// Every log of the sample data: read, with the means that its manifest tells.
#include <gtest/gtest.h>
#include <map>
#include <regex>

#include "stoker/error.hpp"
#include "stoker/watch.hpp"

#include "support/shared_data.hpp"

namespace stoker {
namespace {

struct Told {
  std::size_t samples = 0;
  double mean = 0;
};

// "0: n=473 mean 91%, …; 1: n=473 mean 0%, …"
std::map<int, Told> told_means(const std::string& text) {
  std::map<int, Told> told;
  const std::regex one(R"((\d+): n=(\d+) mean (\d+)%)");
  for (std::sregex_iterator at(text.begin(), text.end(), one), end; at != end; ++at)
    told[std::stoi((*at)[1])] = {std::stoul((*at)[2]), std::stod((*at)[3])};
  return told;
}

std::map<int, Told> seen_means(const Trace& trace) {
  std::map<int, Told> seen;
  for (const Snapshot& snapshot : trace.snapshots) {
    for (const GpuSeen& gpu : snapshot.gpus) {
      if (!gpu.util_percent) continue;
      ++seen[gpu.index].samples;
      seen[gpu.index].mean += *gpu.util_percent;
    }
  }
  for (auto& [index, one] : seen) one.mean /= static_cast<double>(one.samples);
  return seen;
}

std::vector<std::map<std::string, std::string>> manifest_rows() {
  const std::string path = test::shared_data("gpu-logs/MANIFEST.tsv");
  return path.empty() ? std::vector<std::map<std::string, std::string>>() : test::read_tsv(path);
}

class GpuLog : public testing::TestWithParam<std::map<std::string, std::string>> {};

TEST_P(GpuLog, IsReadWithItsManifestsMeans) {
  const Trace trace = read_trace(test::shared_data("gpu-logs/" + GetParam().at("file")));
  EXPECT_FALSE(trace.kind.empty());
  for (std::size_t i = 1; i < trace.snapshots.size(); ++i)
    ASSERT_GE(trace.snapshots[i].time_s, trace.snapshots[i - 1].time_s) << i;
  const auto told = told_means(GetParam().at("what it shows (means by a small script)"));
  const auto seen = seen_means(trace);
  for (const auto& [index, one] : told) {
    ASSERT_TRUE(seen.contains(index)) << "GPU " << index;
    EXPECT_EQ(seen.at(index).samples, one.samples) << "GPU " << index;
    EXPECT_NEAR(seen.at(index).mean, one.mean, 1) << "GPU " << index;
  }
  if (!told.empty()) {
    EXPECT_EQ(told.size(), seen.size());
  }
}

// Where no log gives its name, the sample data is absent.
INSTANTIATE_TEST_SUITE_P(SampleData, GpuLog, testing::ValuesIn(manifest_rows()), [](const auto& row) {
  return std::regex_replace(row.param.at("file"), std::regex("[^a-zA-Z0-9]"), "_");
});
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(GpuLog);

TEST(GpuLogs, ThoseOfTheManifestAreThere) {
  STOKER_NEEDS_DATA(manifest, "gpu-logs/MANIFEST.tsv");
  EXPECT_GE(manifest_rows().size(), 26u);
}

// It speaks of all kinds of logs, and is none.
TEST(GpuLogs, TheManifestItselfIsRefused) {
  STOKER_NEEDS_DATA(manifest, "gpu-logs/MANIFEST.tsv");
  EXPECT_THROW(read_trace(manifest), Error);
}

// The rows of its source whose value was made unreadable are left out of the mean.
TEST(GpuLogs, UnreadableValuesAreLeftOutAndCounted) {
  STOKER_NEEDS_DATA(made, "gpu-logs/made-na-fields.csv");
  const Trace trace = read_trace(made);
  EXPECT_EQ(trace.snapshots.size(), 60u);
  EXPECT_EQ(seen_means(trace).at(0).samples, 48u);
  EXPECT_EQ(trace.unreadable_values, 114u);
}

}  // namespace
}  // namespace stoker
