// The texts that describe a data set, of any bytes: dataset.json, the index.json of an MDS set, a list.
// Refused, or read to what is the same once it was written and read again.
#include <fmt/format.h>
#include <string_view>

#include "fuzzer.hpp"
#include "record/dataset_manifest.hpp"
#include "record/list_reader.hpp"
#include "record/mds_index.hpp"

namespace {

using namespace stoker;
using namespace stoker::record;
using stoker::fuzz::expect;

void read_as_manifest(std::string_view text) {
  const auto manifest = manifest_from_json(text, "x");
  if (!manifest) return;
  const auto written = manifest_to_json(*manifest);
  expect(written.has_value(), "what was read can be written");
  const auto again = manifest_from_json(*written, "x");
  expect(again.has_value() && *again == *manifest, "and is the same then");
}

void read_as_mds(std::string_view text) {
  const auto index = parse_mds_index(text, "x");
  if (!index) return;
  for (const MdsShardEntry& shard : index->shards)
    expect(shard.columns != nullptr, "a shard has its columns");
}

void read_as_list(std::string_view text) {
  ListLine parsed;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (is_blank_or_comment(line) || !parse_list_line(line, parsed)) continue;
    expect(!parsed.labels.empty() && !parsed.path.empty(), "a line has a label and a path");
    expect(parsed.path.data() >= line.data() &&
               parsed.path.data() + parsed.path.size() <= line.data() + line.size(),
           "the path lies in the line");
    const std::string path(parsed.path);
    if (const auto meant = unescaped_path(path)) expect(meant->size() < path.size(), "escapes are longer");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  if (bytes == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, bytes - 1);
  switch (data[0] % 3) {
    case 0:
      read_as_manifest(text);
      break;
    case 1:
      read_as_mds(text);
      break;
    default:
      read_as_list(text);
  }
  return 0;
}
