#include "record/dataset_manifest.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

#include "record/json_fields.hpp"
#include "record/shard_name.hpp"
#include "record/small_text.hpp"

namespace stoker::record {

namespace {

using nlohmann::json;
using Fields = JsonFields;

constexpr std::uint64_t kLargestManifest = 64u << 20;

tl::unexpected<Error> broken(ErrorCode code, const std::string& path, std::string found) {
  return fail(code,
              {.operation = "read data set description",
               .object = path,
               .found = std::move(found),
               .next_step = "pack the data set again, or remove the file (class names are then not known)"});
}

void read_classes(Fields& fields, DatasetManifest& manifest) {
  std::set<std::string_view> seen;
  fields.array("classes", [&](const json& name, std::size_t i) {
    if (!name.is_string()) return fields.complain(fmt::format("classes[{}]", i), "text");
    manifest.classes.push_back(name.get<std::string>());
  });
  for (const std::string& name : manifest.classes)
    if (!seen.insert(name).second)
      fields.complain("classes", fmt::format("a list of different names ('{}' twice)", name));
}

void read_shards(Fields& fields, DatasetManifest& manifest) {
  fields.array("shards", [&](const json& item, std::size_t i) {
    if (!item.is_object()) return fields.complain(fmt::format("shards[{}]", i), "an object");
    Fields of_shard(item, fmt::format("shards[{}].", i));
    ManifestShard shard;
    of_shard.text("path", shard.path);
    of_shard.count("records", shard.records);
    of_shard.count("bytes", shard.bytes);
    of_shard.count("crc32c", shard.crc32c);
    fields.take_complaint(of_shard.wrong());
    manifest.shards.push_back(std::move(shard));
  });
}

// What a hand that edited one part of it, and not the other, leaves. Sums that are missing are filled in.
void check_sums(Fields& fields, DatasetManifest& manifest) {
  std::set<std::string_view> seen;
  std::uint64_t records = 0, bytes = 0;
  for (std::size_t i = 0; i < manifest.shards.size(); ++i) {
    const ManifestShard& shard = manifest.shards[i];
    if (!path_within("", shard.path))
      return fields.complain(fmt::format("shards[{}].path", i),
                             fmt::format("the path of a file below the folder ('{}')", shard.path));
    if (!seen.insert(shard.path).second)
      return fields.complain("shards", fmt::format("a list of different files ('{}' twice)", shard.path));
    records += shard.records;
    bytes += shard.bytes;
  }
  if (manifest.shards.empty()) return;
  const auto check = [&](const char* name, std::uint64_t& told, std::uint64_t sum) {
    if (!fields.find(name)) told = sum;
    if (told != sum) fields.complain(name, fmt::format("{}, the sum of its {} shards", sum, seen.size()));
  };
  check("records", manifest.records, records);
  check("bytes", manifest.bytes, bytes);
}

void read_options(Fields& fields, DatasetManifest& manifest) {
  fields.object("options", [&](const std::string& name, const json& value) {
    if (value.is_structured()) return fields.complain("options." + name, "one value");
    manifest.options[name] = value.is_string() ? value.get<std::string>() : value.dump();
  });
}

void read_source(Fields& fields, DatasetManifest& manifest) {
  const json* source = fields.find("source");
  if (!source) return;
  if (!source->is_object()) return fields.complain("source", "an object");
  Fields of_source(*source, "source.");
  of_source.count("samples", manifest.source.samples);
  of_source.count("bytes", manifest.source.bytes);
  of_source.count("crc32c", manifest.source.crc32c);
  fields.take_complaint(of_source.wrong());
}

}  // namespace

std::string manifest_path(const std::string& container) {
  return std::string(without_ending(container)) + std::string(kManifestEnding);
}

Result<std::string> manifest_to_json(const DatasetManifest& manifest) {
  nlohmann::ordered_json object = {{"schema", manifest.schema},
                                   {"format", manifest.format},
                                   {"classes", manifest.classes},
                                   {"records", manifest.records},
                                   {"bytes", manifest.bytes},
                                   {"skipped", manifest.skipped},
                                   {"shards", nlohmann::ordered_json::array()},
                                   {"list", manifest.list},
                                   {"options", manifest.options},
                                   {"source",
                                    {{"samples", manifest.source.samples},
                                     {"bytes", manifest.source.bytes},
                                     {"crc32c", manifest.source.crc32c}}}};
  for (const ManifestShard& shard : manifest.shards)
    object["shards"].push_back(
        {{"path", shard.path}, {"records", shard.records}, {"bytes", shard.bytes}, {"crc32c", shard.crc32c}});
  try {
    return object.dump(2) + '\n';
  } catch (const nlohmann::json::exception&) {
    return fail(ErrorCode::invalid_argument, {.operation = "write data set description",
                                              .found = "a class name, path or option that is not UTF-8",
                                              .next_step = "rename the class folder"});
  }
}

Result<DatasetManifest> manifest_from_json(std::string_view text, const std::string& path) {
  const json object = json::parse(text, nullptr, false);
  if (object.is_discarded()) return broken(ErrorCode::corrupt_data, path, "no JSON");
  if (!object.is_object()) return broken(ErrorCode::corrupt_data, path, "JSON that is no object");
  DatasetManifest manifest;
  manifest.schema.clear();
  Fields fields(object, "");
  fields.text("schema", manifest.schema);
  if (manifest.schema.empty()) return broken(ErrorCode::corrupt_data, path, "no schema");
  if (manifest.schema != kManifestSchema)
    return broken(ErrorCode::unsupported, path,
                  fmt::format("schema '{}' (this build reads {})", manifest.schema, kManifestSchema));
  fields.text("format", manifest.format);
  read_classes(fields, manifest);
  fields.count("records", manifest.records);
  fields.count("bytes", manifest.bytes);
  fields.count("skipped", manifest.skipped);
  read_shards(fields, manifest);
  check_sums(fields, manifest);
  fields.text("list", manifest.list);
  if (manifest.list.find('/') != std::string::npos)
    fields.complain("list", "the name of a file in the folder of this one");
  read_options(fields, manifest);
  read_source(fields, manifest);
  if (!fields.wrong().empty()) return broken(ErrorCode::corrupt_data, path, fields.wrong());
  return manifest;
}

DatasetManifest read_manifest_file(Store& store, const std::string& path) {
  return value_or_throw(manifest_from_json(read_small_text(store, path, kLargestManifest), path));
}

std::optional<DatasetManifest> read_manifest(Store& store, const std::string& container) {
  const std::string path = manifest_path(container);
  if (!store.info(path)) return std::nullopt;
  return read_manifest_file(store, path);
}

std::unique_ptr<WritableFile> prepare_manifest(Store& store, const std::string& path,
                                               const DatasetManifest& manifest) {
  const std::string text = value_or_throw(manifest_to_json(manifest));
  auto file = store.create(path);
  file->append(std::as_bytes(std::span(text)));
  return file;
}

void write_manifest(Store& store, const std::string& path, const DatasetManifest& manifest) {
  prepare_manifest(store, path, manifest)->commit();
}

}  // namespace stoker::record
