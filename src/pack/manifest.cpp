#include "pack/manifest.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <string>

namespace stoker::packing {
namespace {

std::string name_of(Encode encode) {
  switch (encode) {
    case Encode::keep:
      return "keep";
    case Encode::jpeg:
      return "jpeg";
    case Encode::png:
      return "png";
  }
  return "keep";
}

std::string name_of(Subsampling subsampling) {
  switch (subsampling) {
    case Subsampling::keep:
      return "keep";
    case Subsampling::s420:
      return "420";
    case Subsampling::s444:
      return "444";
  }
  return "keep";
}

// Only what was asked for and shapes the bytes, so that a set that passed through has none.
std::map<std::string, std::string> options_text(const PackOptions& options) {
  std::map<std::string, std::string> text;
  if (options.resize_short > 0) text["resize-short"] = std::to_string(options.resize_short);
  if (options.enlarge) text["enlarge"] = "true";
  if (options.center_crop) text["center-crop"] = "true";
  if (options.quality) text["quality"] = std::to_string(*options.quality);
  if (options.encode != Encode::keep) text["encode"] = name_of(options.encode);
  if (options.subsampling != Subsampling::keep) text["subsampling"] = name_of(options.subsampling);
  if (options.max_pixels != kDefaultMaxPixels) text["max-pixels"] = std::to_string(options.max_pixels);
  return text;
}

}  // namespace

record::DatasetManifest make_manifest(const PackOptions& options, const PackReport& report,
                                      const record::ManifestSource& source) {
  record::DatasetManifest manifest;
  manifest.classes = report.classes;
  manifest.records = report.packed;
  manifest.bytes = report.bytes_out;
  for (const PackedShard& shard : report.shards) {
    manifest.shards.push_back(
        {std::filesystem::path(shard.path).filename().string(), shard.records, shard.bytes, shard.crc32c});
  }
  manifest.options = options_text(options);
  manifest.source = source;
  manifest.skipped = report.skipped_count;
  return manifest;
}

}  // namespace stoker::packing
