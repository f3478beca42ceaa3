// Writes and reads tars for tar_oracle.py. usage:
//   tar_probe copy SOURCE DEST.tar   every sample of SOURCE
//   tar_probe odd DEST.tar           samples with labels, names and fields of every kind
//   tar_probe list SOURCE            a line a sample: key, labels, main field, then NAME:BYTES:CRC32 of each
//   field, with
//                                    tabs between
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

#include "stoker/error.hpp"
#include "stoker/record.hpp"

#include "base/crc.hpp"
#include "support/temp_dir.hpp"

namespace stoker {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

void copy(const std::string& source, const std::string& destination) {
  const test::TempDir indexes;
  const auto reader = open_records(source, {.index_dir = indexes.path()});
  const auto writer = open_record_writer(destination);
  Sample sample;
  for (std::size_t i = 0; i < reader->size(); ++i) {
    reader->read(i, sample);
    writer->add({.key = sample.key,
                 .labels = sample.labels,
                 .fields = sample.fields,
                 .main_field = sample.main_field});
  }
  writer->finish();
}

void list(const std::string& source) {
  const test::TempDir indexes;
  const auto reader = open_records(source, {.index_dir = indexes.path()});
  Sample sample;
  for (std::size_t i = 0; i < reader->size(); ++i) {
    reader->read(i, sample);
    std::string line = sample.key + "\t";
    line += fmt::format("{}", fmt::join(sample.labels, ","));
    line += '\t' + sample.fields[sample.main_field].name;
    for (const Field& field : sample.fields)
      line += fmt::format("\t{}:{}:{:08x}", field.name, field.bytes.size(), crc32_zlib(field.bytes));
    std::printf("%s\n", line.c_str());
  }
}

template <class T>
std::string raw(std::initializer_list<T> numbers) {
  return {reinterpret_cast<const char*>(std::data(numbers)), numbers.size() * sizeof(T)};
}

void write_odd(const std::string& destination) {
  const auto writer = open_record_writer(destination);
  const std::string jpeg = "\xff\xd8\xff\xe0 no picture", large(300'000, 'x');
  const Field image{.name = "image", .bytes = bytes_of(jpeg)};
  const std::vector<float> labels = {3, 0.5f, -1e-7f};
  const auto add = [&](std::string_view key, std::span<const float> its_labels, std::vector<Field> fields) {
    writer->add({.key = key, .labels = its_labels, .fields = fields});
  };
  const auto class_label = std::span(labels).first(1);
  const std::string long_folder(150, 'f'), long_base(120, 'b');
  for (const std::string& key : std::vector<std::string>{
           "n01/plain.JPEG", "n01/plain.png", "a.b.c.jpg", ".hidden", "../up", "/abs//x.jpg",
           "gr\xc3\xbc\xc3\x9f/\xe6\x97\xa5", "a b\nc", "caf\xe9", "__meta__/x", "",
           long_folder + "/short.jpg", long_folder + "/" + long_folder + "/" + long_base, long_base + "/x",
           "~1", "100%", "n01/plain"})
    add(key, class_label, {image});
  add("labels", labels, {image});
  add("unlabelled", {}, {image});
  add("empty", class_label, {{.name = "data", .bytes = {}}});
  add("large", class_label, {{.name = "npy", .bytes = bytes_of(large)}});
  const std::string one = raw<std::int64_t>({500}), floats = raw<float>({0.1f, 2, 1e30f}),
                    list = std::string("\x01\0\0\0a\0\0\0\0", 9), binary = "\x89\xff\0", json = "{}";
  add("features", class_label,
      {image,
       {.name = "image/height", .bytes = bytes_of(one), .type = FieldType::int64},
       {.name = "image/object/bbox/xmin", .bytes = bytes_of(floats), .type = FieldType::float32},
       {.name = "image/class/text", .bytes = bytes_of("a \"cat\"\n\xc3\xbc")},
       {.name = "tags", .bytes = bytes_of(list), .type = FieldType::bytes_list},
       {.name = "image/mask", .bytes = bytes_of(binary)},
       {.name = "json", .bytes = bytes_of(json)},
       {.name = "JPG", .bytes = bytes_of(jpeg)}});
  writer->finish();
}

int run(const std::vector<std::string>& words) {
  if (words.size() == 3 && words[0] == "copy") return copy(words[1], words[2]), 0;
  if (words.size() == 2 && words[0] == "odd") return write_odd(words[1]), 0;
  if (words.size() == 2 && words[0] == "list") return list(words[1]), 0;
  std::fprintf(stderr, "usage: tar_probe copy SOURCE DEST | odd DEST | list SOURCE\n");
  return 2;
}

}  // namespace
}  // namespace stoker

int main(int argc, char** argv) {
  try {
    return stoker::run({argv + 1, argv + argc});
  } catch (const stoker::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
