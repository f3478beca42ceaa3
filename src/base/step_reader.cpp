#include "base/step_reader.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "stoker/error.hpp"

#include "base/units.hpp"

namespace stoker {

std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates) {
  const std::string nearest = nearest_name(name, candidates);
  return nearest.empty() ? "" : fmt::format("did you mean '{}'?", nearest);
}

std::optional<int> whole_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

void StepReader::refuse(std::string found, std::string allowed, std::string next_step) const {
  throw Error(ErrorCode::invalid_argument, {.operation = std::string(grammar_.operation),
                                            .object = fmt::format("'{}'", step_.whole),
                                            .found = std::move(found),
                                            .allowed = std::move(allowed),
                                            .next_step = std::move(next_step)});
}

void StepReader::refuse_unknown(std::span<const std::string_view> names) const {
  refuse(fmt::format("unknown step '{}'", step_.name), fmt::format("{}", fmt::join(names, ", ")),
         did_you_mean(step_.name, names));
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

std::size_t StepReader::choice(std::string_view option, std::span<const std::string_view> names,
                               std::size_t otherwise) {
  const std::optional<std::string_view> text = take(option);
  if (!text) return otherwise;
  const auto found = std::find(names.begin(), names.end(), *text);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  const std::string nearest = nearest_name(*text, names);
  refuse(fmt::format("{}={}", option, *text), fmt::format("{}", fmt::join(names, ", ")),
         nearest.empty() ? "" : fmt::format("did you mean {}={}?", option, nearest));
}

void StepReader::finish(std::span<const std::string_view> allowed) const {
  const std::string names = allowed.empty() ? "no options" : fmt::format("{}", fmt::join(allowed, ", "));
  if (values_taken_ < step_.values.size()) {
    refuse(fmt::format("'{}', one value too many", step_.values[values_taken_]), names);
  }
  for (const auto& [name, value] : step_.options) {
    if (std::find(asked_.begin(), asked_.end(), name) != asked_.end()) continue;
    refuse(fmt::format("unknown option '{}'", name), names, did_you_mean(name, allowed));
  }
}

}  // namespace stoker
