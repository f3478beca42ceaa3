#include "pack/manifest.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <string>

#include "pack/packed_sample.hpp"

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

}  // namespace

std::map<std::string, std::string> options_text(const PackOptions& options) {
  std::map<std::string, std::string> text;
  if (options.resize_short > 0) text["resize-short"] = std::to_string(options.resize_short);
  if (options.enlarge) text["enlarge"] = "true";
  if (options.max_side > 0) text["max-side"] = std::to_string(options.max_side);
  if (options.center_crop) text["center-crop"] = "true";
  if (options.quality) text["quality"] = std::to_string(*options.quality);
  if (options.encode != Encode::keep) text["encode"] = name_of(options.encode);
  if (options.subsampling != Subsampling::keep) text["subsampling"] = name_of(options.subsampling);
  if (options.baseline) text["baseline"] = "true";
  if (options.upright) text["upright"] = "true";
  if (const PrecomputeOptions precompute = precompute_options(options);
      !options.precompute.empty() || !options.precompute_command.empty())
    text[options.precompute.empty() ? "precompute-command" : "precompute"] = canonical_text(precompute);
  if (options.label_offset != 0) text["label-offset"] = std::to_string(options.label_offset);
  if (options.drop_fields) text["drop-fields"] = "true";
  if (options.max_pixels != kDefaultMaxPixels) text["max-pixels"] = std::to_string(options.max_pixels);
  return text;
}

record::DatasetManifest make_manifest(const std::map<std::string, std::string>& options,
                                      const PackReport& report, const record::ManifestSource& source,
                                      const Destination& to) {
  record::DatasetManifest manifest;
  manifest.classes = report.classes;
  manifest.records = report.packed;
  manifest.bytes = report.bytes_out;
  for (const PackedShard& shard : report.shards) {
    manifest.shards.push_back(
        {shard.path.substr(to.folder.size()), shard.records, shard.bytes, shard.crc32c});
  }
  manifest.options = options;
  manifest.source = source;
  manifest.skipped = report.skipped_count;
  manifest.format = to_string(to.format);
  return manifest;
}

}  // namespace stoker::packing
