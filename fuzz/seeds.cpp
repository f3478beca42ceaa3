// Writes the inputs that fuzzing begins with: `seeds FOLDER` makes FOLDER/NAME/… for each fuzzer NAME.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "array/npy.hpp"
#include "image/pixel_encoders.hpp"
#include "jpeg/baseline_decoder.hpp"
#include "jpeg/encoder.hpp"
#include "jpeg/fixtures.hpp"
#include "record/dataset_manifest.hpp"
#include "record/seek_index.hpp"
#include "watch/logs/log_samples.hpp"

namespace stoker {
namespace {

using Bytes = std::vector<std::byte>;
using jpeg::fixtures::Options;

struct Kind {
  const char* name;
  Options options;
  bool baseline = true;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"s444", {}},
      {"s422", {.h = {2, 1, 1}}},
      {"s440", {.v = {2, 1, 1}}},
      {"s420", {.h = {2, 1, 1}, .v = {2, 1, 1}}},
      {"s411", {.h = {4, 1, 1}}},
      {"s410", {.h = {4, 1, 1}, .v = {2, 1, 1}}},
      {"s441", {.v = {4, 1, 1}}},
      {"s221212", {.h = {2, 1, 1}, .v = {2, 2, 2}}},
      {"s222112", {.h = {2, 2, 1}, .v = {2, 1, 2}}},
      {"luma-low", {.h = {1, 2, 2}, .v = {1, 2, 2}}},
      {"gray", {.components = 1}},
      {"rgb", {.rgb = true}},
      {"quality-100", {.quality = 100}},
      {"quality-10", {.quality = 10}},
      {"restart-each", {.restart_interval = 1}},
      {"restarts-420", {.h = {2, 1, 1}, .v = {2, 1, 1}, .restart_interval = 3}},
      {"restarts-far", {.restart_interval = 100}},
      {"progressive", {.progressive = true}, false},
      {"arithmetic", {.arithmetic = true}, false},
      {"arithmetic-progressive", {.progressive = true, .arithmetic = true}, false},
      {"inks", {.components = 4}, false},
  };
  return all;
}

struct SeedFile {
  std::string name;
  Bytes bytes;
  bool baseline = true;
};

std::vector<SeedFile> jpeg_files() {
  std::vector<SeedFile> files;
  for (const Kind& kind : kinds()) {
    for (const Size size : {Size{9, 7}, Size{61, 43}}) {
      const auto rgb = jpeg::fixtures::picture(size.width, size.height);
      files.push_back({kind.name + std::string("-") + std::to_string(size.width),
                       jpeg::fixtures::encode(rgb, size.width, size.height, kind.options), kind.baseline});
    }
  }
  // Huffman tables of its own, codes as short as they can be.
  jpeg::Encoder encoder;
  const auto rgb = jpeg::fixtures::picture(80, 24);
  const auto optimal =
      value_or_throw(encoder.encode(rgb.data(), 80, 24, 240, {.quality = 70, .optimize = true}));
  files.push_back({"optimal-80", Bytes(optimal.begin(), optimal.end())});
  return files;
}

std::vector<SeedFile> other_images() {
  const auto rgb = jpeg::fixtures::picture(31, 23);
  const image::RgbView view{rgb.data(), 31, 23, 93};
  std::vector<SeedFile> files(4);
  files[0].name = "png", files[1].name = "gray-png", files[2].name = "webp", files[3].name = "lossless-webp";
  value_or_throw(image::encode_png(view, false, {}, files[0].bytes));
  value_or_throw(image::encode_png(view, true, {}, files[1].bytes));
  value_or_throw(image::encode_webp(view, 60, false, files[2].bytes));
  value_or_throw(image::encode_webp(view, 60, true, files[3].bytes));
  return files;
}

class Writer {
 public:
  explicit Writer(std::filesystem::path folder) : folder_(std::move(folder)) {}

  void write(const std::string& fuzzer, const std::string& name, const Bytes& prefix,
             const Bytes& bytes) const {
    std::filesystem::create_directories(folder_ / fuzzer);
    std::ofstream file(folder_ / fuzzer / name, std::ios::binary);
    for (const Bytes& part : {prefix, bytes})
      file.write(reinterpret_cast<const char*>(part.data()), static_cast<std::streamsize>(part.size()));
    if (!file.flush()) throw Error(ErrorCode::io, {.operation = "write seed", .object = name});
  }
  // As an input of the image fuzzers: eight bytes of choices, then the file.
  void write_image(const std::string& fuzzer, const SeedFile& file) const {
    for (const unsigned choice : {1u, 2u}) {
      Bytes choices(8);
      choices[0] = static_cast<std::byte>(choice);
      write(fuzzer, file.name + "-" + std::to_string(choice), choices, file.bytes);
    }
  }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

Bytes points_of(const Bytes& file, int interval) {
  jpeg::BaselineDecoder decoder;
  jpeg::SeekPoints points;
  Bytes packed;
  if (!decoder.open(file) && !decoder.has_own_entrances() && !decoder.find_seek_points(interval, points))
    pack_seek_points(points, packed);
  return packed;
}

Bytes bytes_of_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

void write_indexes(const Writer& writer, const std::vector<SeedFile>& files) {
  const auto store = open_store(".");
  for (const std::size_t records : {0, 1, 5}) {
    const std::string path = (writer.folder() / "index").string();
    record::SeekIndexFile index(*store, path,
                                {.source = {.files = records == 1, .records = records, .bytes = 4000}});
    for (std::size_t i = 0; i < records; ++i) {
      Bytes entry;
      const Bytes packed = points_of(files[i].bytes, 2);
      const record::SeekEntry told{.offset = 100 * i,
                                   .bytes = static_cast<std::uint32_t>(files[i].bytes.size()),
                                   .points = jpeg::packed_count(packed),
                                   .reason = static_cast<std::uint8_t>(packed.empty() ? 9 : 0)};
      if (i != 2) append_entry(i, told, packed, entry);
      index.add(entry);
    }
    index.commit();
    const Bytes bytes = bytes_of_file(path);
    std::filesystem::remove(path);
    for (const unsigned chosen : {0u, 2u, 3u, 7u})
      writer.write("seek_index", std::to_string(records) + "-" + std::to_string(chosen),
                   {static_cast<std::byte>(chosen)}, bytes);
  }
}

// A container of some of the samples 0 to 3: of one field and several, without labels and with.
Bytes container_of(const std::string& path, std::span<const std::size_t> samples, std::size_t most_fields) {
  const auto container = open_record_writer(path);
  const std::vector<float> labels = {1, 2.5f};
  const std::string image = "\xff\xd8\xff some bytes\x0a\x23\xd7\xce of an image", words = "{}";
  const std::vector<Field> fields = {{.name = "jpg", .bytes = std::as_bytes(std::span(image))},
                                     {.name = "json", .bytes = std::as_bytes(std::span(words))}};
  for (const std::size_t i : samples)
    container->add({.key = i == 3 ? std::string(120, 'n') : std::to_string(i),
                    .labels = std::span(labels).first(i % 3),
                    .fields = std::span(fields).first(1 + i % most_fields)});
  container->finish();
  Bytes bytes = bytes_of_file(path);
  for (const std::string& made :
       {path, path + ".index", path + ".idx", std::filesystem::path(path).replace_extension(".idx").string()})
    std::filesystem::remove(made);
  return bytes;
}

void write_containers(const Writer& writer) {
  constexpr std::size_t kLongest = 4096 - 1;  // more is not fuzzed
  const std::vector<std::vector<std::size_t>> groups = {{0}, {1}, {2}, {3}, {0, 2}, {0, 0}};
  const std::vector<std::string> endings = {".rec", ".tar", ".tfrecord"};
  for (std::size_t format = 0; format < endings.size(); ++format) {
    for (std::size_t group = 0; group < groups.size(); ++group) {
      Bytes bytes = container_of((writer.folder() / ("container" + endings[format])).string(), groups[group],
                                 format == 0 ? 1 : 2);
      bytes.resize(std::min(bytes.size(), kLongest));  // of a tar, zeros
      for (const unsigned sealed : {0x00u, 0x10u})
        writer.write("container",
                     endings[format].substr(1) + std::to_string(group) + "-" + std::to_string(sealed),
                     {static_cast<std::byte>(format | sealed)}, bytes);
    }
  }
}

void write_traces(const Writer& writer) {
  for (const watch::log_samples::Sample& sample : watch::log_samples::all()) {
    const auto bytes = std::as_bytes(std::span(sample.text));
    writer.write("trace", sample.name, {}, Bytes(bytes.begin(), bytes.end()));
  }
}

void write_arrays(const Writer& writer) {
  const std::vector<float> numbers{0, 1, -2.5F, 1e-3F, 3, 65504};
  Bytes file;
  for (const array::StoredType type : {array::StoredType::float32, array::StoredType::float16}) {
    array::write_npy({2, 3}, numbers, type, file);
    writer.write("npy", std::string(to_string(type)), {}, file);
  }
  // The same bytes as numbers of another type, order of bytes and of axes.
  std::string text(reinterpret_cast<const char*>(file.data()), file.size());
  for (const char* descr : {">f2", "<i2", ">u2", "|i1", "<f4"}) {
    text.replace(text.find("'descr': '") + 10, 3, descr);
    const auto bytes = std::as_bytes(std::span(text));
    writer.write("npy", std::string(descr + 1) + (descr[0] == '>' ? "-swapped" : ""), {},
                 Bytes(bytes.begin(), bytes.end()));
  }
  text.replace(text.find("False"), 5, "True ");
  const auto bytes = std::as_bytes(std::span(text));
  writer.write("npy", "fortran", {}, Bytes(bytes.begin(), bytes.end()));
}

// The first byte says which reader gets the text.
void write_descriptions(const Writer& writer) {
  const auto write = [&](char reader, const char* name, const std::string& text) {
    const std::string whole = reader + text;
    const auto bytes = std::as_bytes(std::span(whole));
    writer.write("description", name, {}, Bytes(bytes.begin(), bytes.end()));
  };
  record::DatasetManifest manifest{.format = "tar", .classes = {"ant", "bee"}, .records = 3, .bytes = 900};
  manifest.shards = {{"x-000000.tar", 2, 600, 7}, {"x-000001.tar", 1, 300, 8}};
  manifest.options = {{"quality", "90"}, {"upright", "true"}};
  manifest.source = {4, 1000, 9};
  write(0, "manifest", value_or_throw(record::manifest_to_json(manifest)));
  write(
      1, "mds",
      R"({"version":2,"shards":[{"format":"mds","version":2,"column_names":["image","label"],)"
      R"("column_encodings":["jpeg","int"],"column_sizes":[null,8],"samples":3,"size_limit":1000,)"
      R"("compression":"zstd:7","hashes":[],"raw_data":{"basename":"shard.00000.mds","bytes":900,"hashes":{}},)"
      R"("zip_data":{"basename":"shard.00000.mds.zstd","bytes":500,"hashes":{}}}]})");
  write(2, "list", "7\t1\ta/b.jpg\n8\t0.5\t-2\tc d.jpg\n# words\n9 1 e.jpg\n10\t1\ttab\\t.jpg\n");
}

void write_all(const std::string& folder) {
  const Writer writer(folder);
  write_descriptions(writer);
  const std::vector<SeedFile> files = jpeg_files();
  for (const SeedFile& file : files) {
    writer.write_image("image_decode", file);
    writer.write_image("transcode", file);
    if (!file.baseline) continue;
    writer.write_image("jpeg_differential", file);
    writer.write_image("own_decoder", file);
    for (const int interval : {1, 8})
      if (const Bytes packed = points_of(file.bytes, interval); !packed.empty())
        writer.write("seek_points", file.name + "-" + std::to_string(interval), {}, packed);
  }
  for (const SeedFile& file : other_images()) writer.write_image("image_decode", file);
  write_indexes(writer, files);
  write_containers(writer);
  write_traces(writer);
  write_arrays(writer);
}

}  // namespace
}  // namespace stoker

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  try {
    stoker::write_all(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "seeds: %s\n", error.what());
    return 1;
  }
  return 0;
}
