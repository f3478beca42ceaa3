#include "image/step_reader.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "stoker/error.hpp"

#include "base/units.hpp"

namespace stoker::image {

namespace {

std::optional<int> whole_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

void StepReader::refuse(std::string found, std::string allowed, std::string next_step) const {
  throw Error(ErrorCode::invalid_argument, {.operation = "read recipe",
                                            .object = fmt::format("'{}'", step_.whole),
                                            .found = std::move(found),
                                            .allowed = std::move(allowed),
                                            .next_step = std::move(next_step)});
}

std::optional<std::string_view> StepReader::take(std::string_view option) {
  asked_.push_back(option);
  const auto named = std::find_if(step_.options.begin(), step_.options.end(),
                                  [&](const auto& candidate) { return candidate.first == option; });
  if (values_taken_ < step_.values.size()) {
    if (named != step_.options.end()) refuse(fmt::format("'{}' twice", option), "each option once");
    return step_.values[values_taken_++];
  }
  if (named == step_.options.end()) return std::nullopt;
  return named->second;
}

Size StepReader::size(std::string_view option, bool* alone) {
  const std::string allowed = fmt::format("a side N or WIDTHxHEIGHT, each 1..{}: {}(224), {}(320x240)",
                                          kMaxSide, step_.name, step_.name);
  const std::optional<std::string_view> text = take(option);
  if (!text) refuse("no size", allowed);
  const std::size_t cross = text->find('x');
  const std::optional<int> width = whole_number(text->substr(0, cross));
  const std::optional<int> height =
      cross == std::string_view::npos ? width : whole_number(text->substr(cross + 1));
  if (!width || !height || *width < 1 || *width > kMaxSide || *height < 1 || *height > kMaxSide) {
    refuse(fmt::format("{}={}", option, *text), allowed);
  }
  if (alone) *alone = cross == std::string_view::npos;
  return {*width, *height};
}

int StepReader::whole(std::string_view option, int low, int high, int otherwise) {
  const std::optional<std::string_view> text = take(option);
  if (!text) return otherwise;
  const std::optional<int> value = whole_number(*text);
  if (!value || *value < low || *value > high) {
    refuse(fmt::format("{}={}", option, *text), fmt::format("a whole number {}..{}", low, high));
  }
  return *value;
}

double StepReader::number(std::string_view option, double low, double high, double otherwise) {
  const std::optional<std::string_view> text = take(option);
  if (!text) return otherwise;
  const Result<double> value = parse_number(*text);
  if (!value || *value < low || *value > high) {
    refuse(fmt::format("{}={}", option, *text),
           fmt::format("a number {}..{}", format_number(low), format_number(high)));
  }
  return *value;
}

std::pair<double, double> StepReader::range(std::string_view option, double above, double high,
                                            std::pair<double, double> otherwise) {
  const std::optional<std::string_view> text = take(option);
  if (!text) return otherwise;
  const Result<std::pair<double, double>> value = parse_range(*text);
  if (!value || value->first <= above || value->second > high) {
    refuse(
        fmt::format("{}={}", option, *text),
        fmt::format("LOW..HIGH, above {} and up to {}: {}={}..{}", format_number(above), format_number(high),
                    option, format_number(otherwise.first), format_number(otherwise.second)));
  }
  return *value;
}

Filter StepReader::filter(std::string_view option, Filter otherwise) {
  const std::optional<std::string_view> text = take(option);
  if (!text || *text == to_string(otherwise)) return otherwise;
  if (*text == "bilinear") return Filter::bilinear;
  if (*text == "bicubic") return Filter::bicubic;
  static constexpr std::string_view kNames[] = {"bilinear", "bicubic"};
  const std::string nearest = nearest_name(*text, kNames);
  refuse(fmt::format("{}={}", option, *text), "bilinear, bicubic",
         nearest.empty() ? "" : fmt::format("did you mean {}={}?", option, nearest));
}

void StepReader::finish(std::span<const std::string_view> allowed) const {
  const std::string names = allowed.empty() ? "no options" : fmt::format("{}", fmt::join(allowed, ", "));
  if (values_taken_ < step_.values.size()) {
    refuse(fmt::format("'{}', one value too many", step_.values[values_taken_]), names);
  }
  for (const auto& [name, value] : step_.options) {
    if (std::find(asked_.begin(), asked_.end(), name) != asked_.end()) continue;
    const std::string nearest = nearest_name(name, allowed);
    refuse(fmt::format("unknown option '{}'", name), names,
           nearest.empty() ? "" : fmt::format("did you mean '{}'?", nearest));
  }
}

}  // namespace stoker::image
