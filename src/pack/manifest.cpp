#include "pack/manifest.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>

namespace stoker::packing {
namespace {

using Json = nlohmann::ordered_json;

const char* name_of(Encode encode) {
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

const char* name_of(Subsampling subsampling) {
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

// Only what shapes the bytes.
Json options_json(const PackOptions& options) {
  Json json;
  json["resize_short"] = options.resize_short;
  json["enlarge"] = options.enlarge;
  json["center_crop"] = options.center_crop;
  json["quality"] = options.quality ? Json(*options.quality) : Json(nullptr);
  json["encode"] = name_of(options.encode);
  json["subsampling"] = name_of(options.subsampling);
  json["max_pixels"] = options.max_pixels;
  return json;
}

}  // namespace

std::string manifest_text(const PackOptions& options, const PackReport& report, const Fingerprint& source) {
  Json json;
  json["schema"] = "stoker.dataset/1";
  json["classes"] = report.classes;
  json["records"] = report.packed;
  json["bytes"] = report.bytes_out;
  json["skipped"] = report.skipped_count;
  json["shards"] = Json::array();
  for (const PackedShard& shard : report.shards) {
    json["shards"].push_back({{"path", std::filesystem::path(shard.path).filename().string()},
                              {"records", shard.records},
                              {"bytes", shard.bytes},
                              {"crc32c", shard.crc32c}});
  }
  json["options"] = options_json(options);
  json["source"] = {{"samples", source.samples}, {"bytes", source.bytes}, {"crc32c", source.crc32c}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace stoker::packing
