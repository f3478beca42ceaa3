// Reads one step's values and options, each once; what nobody asked for is an error.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/step_text.hpp"

namespace stoker {

// "did you mean 'name'?", or "" where none is near.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates);

// Errors of all: invalid_argument (thrown), naming the step, what was found and what is allowed.
class StepReader {
 public:
  // Both outlive the reader.
  StepReader(const StepText& step, const StepGrammar& grammar) : step_(step), grammar_(grammar) {}

  // The next positional value, or the option of this name; empty where neither is there.
  std::optional<std::string_view> take(std::string_view option);

  int whole(std::string_view option, int low, int high, int otherwise);
  double number(std::string_view option, double low, double high, double otherwise);
  std::pair<double, double> range(std::string_view option, double above, double high,
                                  std::pair<double, double> otherwise);
  // The place of the value among `names`.
  std::size_t choice(std::string_view option, std::span<const std::string_view> names, std::size_t otherwise);

  // Nothing may be left over. `allowed` are the option names for the message.
  void finish(std::span<const std::string_view> allowed) const;

  [[noreturn]] void refuse(std::string found, std::string allowed, std::string next_step = {}) const;
  // The step's name is none of `names`.
  [[noreturn]] void refuse_unknown(std::span<const std::string_view> names) const;

 protected:
  const StepText& step() const { return step_; }

 private:
  const StepText& step_;
  const StepGrammar& grammar_;
  std::size_t values_taken_ = 0;
  std::vector<std::string_view> asked_;
};

// The whole text as a whole number; empty where it is none, or beyond an int.
std::optional<int> whole_number(std::string_view text);

}  // namespace stoker
