// Answers questions about pixels, geometry and tensors, one a line, so that an independent program can check
// them.
//
// Lines, their fields apart by tabs:
//   version
//   pixels    PATH x y w h  W H FILTER  wx wy ww wh        (a width of 0: no crop, no resize, no window)
//   geometry  W H SEED EPOCH INDEX RECIPE
//   tensor    PATH SEED EPOCH INDEX RECIPE
//   transcode PATH ORIENTATION                             (the JPEG as baseline, turned; bytes are a file)
// Each answer is a line, `ok width height bytes warning` or `error 0 0 0 message`, and then that many bytes.
#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <iterator>
#include <jpeglib.h>
#include <map>
#include <string>
#include <vector>

#include "stoker/error.hpp"

#include "image/transform.hpp"
#include "jpeg/transcode.hpp"

namespace stoker {
namespace {

struct Answer {
  int width = 0;
  int height = 0;
  std::string warning;
  std::string bytes;
};

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::size_t begin = 0;
  while (true) {
    const std::size_t tab = line.find('\t', begin);
    fields.push_back(line.substr(begin, tab == std::string::npos ? tab : tab - begin));
    if (tab == std::string::npos) return fields;
    begin = tab + 1;
  }
}

// The last file that was asked about: questions come file by file.
const std::string& file_bytes(const std::string& path) {
  static std::string kept_path, kept;
  if (path == kept_path) return kept;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(ErrorCode::not_found, {.operation = "open", .object = path});
  kept.assign(std::istreambuf_iterator<char>(file), {});
  kept_path = path;
  return kept;
}

std::span<const std::byte> as_bytes(const std::string& text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

std::optional<Rect> rect_at(const std::vector<std::string>& fields, std::size_t at) {
  const Rect rect{std::stoi(fields.at(at)), std::stoi(fields.at(at + 1)), std::stoi(fields.at(at + 2)),
                  std::stoi(fields.at(at + 3))};
  if (rect.width == 0) return std::nullopt;
  return rect;
}

Answer pixels(image::Decoder& decoder, const std::vector<std::string>& fields) {
  DecodeSpec spec;
  spec.crop = rect_at(fields, 2);
  if (fields.at(6) != "0") spec.resize = Size{std::stoi(fields.at(6)), std::stoi(fields.at(7))};
  spec.filter = fields.at(8) == "bicubic" ? Filter::bicubic : Filter::bilinear;
  spec.window = rect_at(fields, 9);
  const image::Decoded decoded = value_or_throw(decoder.decode(as_bytes(file_bytes(fields.at(1))), spec));
  Answer answer{decoded.pixels.width, decoded.pixels.height, std::string(decoded.warning), {}};
  for (int y = 0; y < answer.height; ++y) {
    const std::uint8_t* row = decoded.pixels.data + static_cast<std::size_t>(y) * decoded.pixels.stride;
    answer.bytes.append(reinterpret_cast<const char*>(row), static_cast<std::size_t>(answer.width) * 3);
  }
  return answer;
}

image::SampleCoordinates coordinates(const std::vector<std::string>& fields, std::size_t at) {
  return {std::stoull(fields.at(at)), std::stoull(fields.at(at + 1)), std::stoull(fields.at(at + 2))};
}

std::string text_of(const std::optional<Rect>& rect) {
  return rect ? fmt::format("{},{},{},{}", rect->x, rect->y, rect->width, rect->height) : "none";
}

Answer geometry(const std::vector<std::string>& fields) {
  const Recipe recipe = Recipe::parse(fields.at(6));
  const image::Geometry folded = image::fold_geometry(
      recipe.steps(), {std::stoi(fields.at(1)), std::stoi(fields.at(2))}, coordinates(fields, 3));
  const std::optional<Size>& resize = folded.spec.resize;
  Answer answer;
  answer.bytes = fmt::format("{} {} {} {} {} {}", text_of(folded.spec.crop),
                             resize ? fmt::format("{},{}", resize->width, resize->height) : "none",
                             to_string(folded.spec.filter), text_of(folded.spec.window),
                             text_of(folded.visible), folded.flip ? 1 : 0);
  return answer;
}

Answer tensor(image::Decoder& decoder, const std::vector<std::string>& fields) {
  static std::map<std::string, image::Transform> made;
  const auto transform = made.try_emplace(fields.at(5), Recipe::parse(fields.at(5))).first;
  const Recipe& recipe = transform->second.recipe();
  Answer answer{recipe.output_size().width, recipe.output_size().height, "", {}};
  std::vector<float> memory((recipe.bytes_per_sample() + 3) / 4);  // aligned for every number type
  const auto outcome = value_or_throw(
      transform->second.run(decoder, {.bytes = as_bytes(file_bytes(fields.at(1)))}, coordinates(fields, 2),
                            reinterpret_cast<std::byte*>(memory.data())));
  answer.warning = std::string(outcome.warning);
  answer.bytes.assign(reinterpret_cast<const char*>(memory.data()), recipe.bytes_per_sample());
  return answer;
}

Answer transcode(const std::vector<std::string>& fields) {
  static jpeg::Transcoder transcoder;
  const auto written = transcoder.run(as_bytes(file_bytes(fields.at(1))), kDefaultMaxPixels,
                                      jpeg::turn_of(std::stoi(fields.at(2))));
  if (!written) {
    throw Error(ErrorCode::unsupported,
                {.operation = "transcode", .found = std::string(to_string(written.error()))});
  }
  return {0, 0, "", {reinterpret_cast<const char*>(written->data()), written->size()}};
}

Answer answer_to(image::Decoder& decoder, const std::vector<std::string>& fields) {
  if (fields[0] == "version") return {0, 0, "", std::to_string(LIBJPEG_TURBO_VERSION_NUMBER)};
  if (fields[0] == "pixels") return pixels(decoder, fields);
  if (fields[0] == "geometry") return geometry(fields);
  if (fields[0] == "transcode") return transcode(fields);
  if (fields[0] == "tensor") return tensor(decoder, fields);
  throw Error(ErrorCode::invalid_argument,
              {.operation = "answer", .object = fields[0], .found = "unknown question"});
}

void write(const char* status, const Answer& answer) {
  std::string line = answer.warning;
  std::replace_if(line.begin(), line.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  line = fmt::format("{}\t{}\t{}\t{}\t{}\n", status, answer.width, answer.height, answer.bytes.size(), line);
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fwrite(answer.bytes.data(), 1, answer.bytes.size(), stdout);
  std::fflush(stdout);
}

}  // namespace
}  // namespace stoker

int main() {
  stoker::image::Decoder decoder;
  for (std::string line; std::getline(std::cin, line);) {
    try {
      stoker::write("ok", stoker::answer_to(decoder, stoker::fields_of(line)));
    } catch (const std::exception& error) {
      stoker::write("error", {0, 0, error.what(), {}});
    }
  }
}
