// What a verb takes: each option is declared once, beside the variable that holds its default and gets its
// value.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/help.hpp"
#include "cli/values.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace stoker::cli {

using Arguments = std::span<const std::string>;

// Names of an enumeration's values, for Options::choice.
template <class E>
struct Choice {
  std::string_view name;
  E value;
};

class Options {
 public:
  Options(std::string verb, std::string example, std::string purpose);
  ~Options();
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;

  // Required, in the order of their declaration.
  void positional(std::string& value, const std::string& name);
  // Required, the last positional: one or more.
  void positionals(std::vector<std::string>& values, const std::string& name);

  // Words behind `--`, none or many; without this they are positionals.
  void rest(std::vector<std::string>& words, const std::string& name);

  // What is declared from here on stands below on the help page, by name and default alone.
  void begin_rare() { rare_ = true; }
  void flag(bool& value, const std::string& name, const std::string& help);
  void text(std::string& value, const std::string& name, const std::string& value_name,
            const std::string& help);
  template <std::integral Int>
  void integer(Int& value, const std::string& name, const std::string& help, const Range& range) {
    custom(name, "N", std::to_string(value), help, [&value, range](std::string_view text) {
      Range bounds = range;
      bounds.high = std::min(bounds.high, static_cast<double>(std::numeric_limits<Int>::max()));
      value = static_cast<Int>(parse_integer(text, bounds));
    });
  }
  void real(double& value, const std::string& name, const std::string& value_name, const std::string& help,
            const Range& range);
  void seed(std::uint64_t& value, const std::string& help);
  void threads(int& value, const std::string& name, const std::string& help);
  template <class E, std::size_t n>
  void choice(E& value, const std::string& name, const std::string& help,
              const std::array<Choice<E>, n>& choices) {
    std::vector<std::string_view> names;
    std::vector<E> values;
    std::string fallback;
    for (const Choice<E>& one : choices) {
      names.push_back(one.name);
      values.push_back(one.value);
      if (one.value == value) fallback = one.name;
    }
    custom(name, joined(names), fallback, help,
           [&value, names, values](std::string_view text) { value = values[parse_name(text, names)]; });
  }
  // `read` gets the text that was given, and throws UsageError.
  void custom(const std::string& name, const std::string& value_name, const std::string& default_value,
              const std::string& help, std::function<void(std::string_view)> read);

  // False: help was asked for, and page() is what to print. The variables are then as before.
  // Errors: UsageError.
  bool parse(Arguments arguments);
  const HelpPage& page() const { return page_; }
  // "--max-pixels" and all others that are declared.
  std::vector<std::string> names() const;

 private:
  struct Declared;
  struct Positional {
    std::string name;
    std::string* one = nullptr;
    std::vector<std::string>* many = nullptr;
  };
  static std::string joined(const std::vector<std::string_view>& names);
  void refuse_unknown_flags(const std::vector<std::string>& leftovers) const;
  void check_value_shapes(Arguments arguments) const;
  void assign_positionals(const std::vector<std::string>& given);
  void assign_options();

  bool rare_ = false;
  HelpPage page_;
  std::unique_ptr<CLI::App> app_;
  std::vector<Declared> declared_;
  std::vector<Positional> positionals_;
  std::vector<std::string>* rest_ = nullptr;
};

}  // namespace stoker::cli
