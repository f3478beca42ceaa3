// Reads one step's values and options, each once; what nobody asked for is an error.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "stoker/image.hpp"

#include "image/recipe_text.hpp"

namespace stoker::image {

// Largest side of a picture that a recipe may ask for.
inline constexpr int kMaxSide = 16384;

// Errors of all: invalid_argument (thrown), naming the step, what was found and what is allowed.
class StepReader {
 public:
  explicit StepReader(const StepText& step) : step_(step) {}

  // The next positional value, or the option of this name; empty where neither is there.
  std::optional<std::string_view> take(std::string_view option);

  // "224" (a square) or "320x240" (width x height), each 1..kMaxSide; required. `alone` tells which of the
  // two it was.
  Size size(std::string_view option, bool* alone = nullptr);
  int whole(std::string_view option, int low, int high, int otherwise);
  double number(std::string_view option, double low, double high, double otherwise);
  std::pair<double, double> range(std::string_view option, double above, double high,
                                  std::pair<double, double> otherwise);
  Filter filter(std::string_view option, Filter otherwise);

  // Nothing may be left over. `allowed` are the option names for the message.
  void finish(std::span<const std::string_view> allowed) const;

  [[noreturn]] void refuse(std::string found, std::string allowed, std::string next_step = {}) const;

 private:
  const StepText& step_;
  std::size_t values_taken_ = 0;
  std::vector<std::string_view> asked_;
};

}  // namespace stoker::image
