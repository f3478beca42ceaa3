#include "cli/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>

#include "base/units.hpp"

namespace stoker::cli {

// CLI11 splits the arguments into options, values and positionals; what they mean is decided here, once it is
// known that nothing is left over: a mistyped flag is the first thing to tell, not that its value was taken
// for a file.
struct Options::Declared {
  std::string name;
  CLI::Option* option = nullptr;
  std::function<void(std::string_view)> read;  // empty: a flag
  bool* flag = nullptr;
  std::string* positional = nullptr;
  std::vector<std::string>* positionals = nullptr;
};

Options::Options(std::string verb, std::string example, std::string purpose)
    : page_{.verb = std::move(verb),
            .example = std::move(example),
            .purpose = std::move(purpose),
            .positionals = {},
            .entries = {}},
      app_(std::make_unique<CLI::App>()) {
  app_->set_help_flag("");
  app_->allow_extras();
  app_->allow_windows_style_options(false);
  app_->add_flag("-h,--help", help_, "")->disable_flag_override();
}

Options::~Options() = default;

void Options::positional(std::string& value, const std::string& name) {
  page_.positionals += (page_.positionals.empty() ? "" : " ") + name;
  CLI::Option* option = app_->add_option(name)->expected(1);
  declared_.push_back({.name = name, .option = option, .read = {}, .positional = &value});
}

void Options::positionals(std::vector<std::string>& values, const std::string& name) {
  page_.positionals += (page_.positionals.empty() ? "" : " ") + name + "...";
  CLI::Option* option = app_->add_option(name)->expected(1, CLI::detail::expected_max_vector_size);
  option->allow_extra_args(false);
  declared_.push_back({.name = name, .option = option, .read = {}, .positionals = &values});
}

void Options::flag(bool& value, const std::string& name, const std::string& help) {
  page_.entries.push_back({name, help, ""});
  CLI::Option* option = app_->add_flag(name)->disable_flag_override();
  declared_.push_back({.name = name, .option = option, .read = {}, .flag = &value});
}

void Options::text(std::string& value, const std::string& name, const std::string& value_name,
                   const std::string& help) {
  custom(name, value_name, value, help, [&value](std::string_view given) {
    if (given.empty()) throw UsageError("'': allowed: a text that is not empty");
    value = given;
  });
}

void Options::real(double& value, const std::string& name, const std::string& value_name,
                   const std::string& help, const Range& range) {
  custom(name, value_name, format_number(value), help,
         [&value, range](std::string_view given) { value = parse_real(given, range); });
}

void Options::seed(std::uint64_t& value, const std::string& help) {
  custom("--seed", "N", fmt::format("{}", value), help,
         [&value](std::string_view given) { value = parse_unsigned(given); });
}

void Options::threads(int& value, const std::string& name, const std::string& help) {
  custom(name, "N|auto", value == 0 ? "auto" : fmt::format("{}", value), help,
         [&value](std::string_view given) { value = parse_threads(given); });
}

void Options::custom(const std::string& name, const std::string& value_name, const std::string& default_value,
                     const std::string& help, std::function<void(std::string_view)> read) {
  page_.entries.push_back({name + " " + value_name, help, default_value});
  CLI::Option* option = app_->add_option(name)->expected(1);
  option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);  // parse() tells of the second one
  declared_.push_back({.name = name, .option = option, .read = std::move(read)});
}

std::string Options::joined(const std::vector<std::string_view>& names) {
  return fmt::format("{}", fmt::join(names, "|"));
}

void Options::refuse_leftovers(const std::vector<std::string>& leftovers) const {
  const auto is_flag = [](const std::string& text) { return text.size() > 1 && text[0] == '-'; };
  std::vector<std::string_view> names{"--help"};
  for (const Declared& one : declared_) {
    if (is_flag(one.name)) names.push_back(one.name);
  }
  for (const std::string& argument : leftovers) {
    if (!is_flag(argument)) continue;
    const std::string name = argument.substr(0, argument.find('='));
    throw UsageError(fmt::format("unknown option {}{}", name, did_you_mean(nearest_name(name, names))));
  }
  if (!leftovers.empty()) {
    const std::string takes =
        page_.positionals.empty() ? "no argument besides its options" : page_.positionals;
    throw UsageError(fmt::format("'{}' is too many: {} takes {}", leftovers.front(), page_.verb, takes));
  }
}

// CLI11 would take the next option for the value of one that lacks its own.
void Options::check_value_shapes(Arguments arguments) const {
  for (std::size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    for (const Declared& one : declared_) {
      if (!one.read) continue;
      if (arguments[i] == one.name + "=")
        throw UsageError(fmt::format("{} needs a value behind the '='", one.name));
      if (arguments[i] != one.name) continue;
      const bool missing = i + 1 == arguments.size() || arguments[i + 1].starts_with("--");
      if (missing) throw UsageError(fmt::format("{} needs a value", one.name));
      ++i;
      break;
    }
  }
}

bool Options::parse(Arguments arguments) {
  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // the order that CLI11 wants
    app_->parse(reversed);
  } catch (const CLI::ParseError& error) {
    if (std::find(arguments.begin(), arguments.end(), "--help") != arguments.end()) return false;
    check_value_shapes(arguments);
    throw UsageError(error.what());
  }
  if (help_) return false;
  refuse_leftovers(app_->remaining());
  check_value_shapes(arguments);
  for (const Declared& one : declared_) {
    const std::vector<std::string>& given = one.option->results();
    if (given.empty()) {
      if (one.positional || one.positionals)
        throw UsageError(
            fmt::format("{} is missing: stoker {} {} [options]", one.name, page_.verb, page_.positionals));
      continue;
    }
    if (one.flag) *one.flag = true;
    if (one.positional) *one.positional = given.front();
    if (one.positionals) *one.positionals = given;
    if ((one.positional || one.positionals) && std::find(given.begin(), given.end(), "") != given.end())
      throw UsageError(fmt::format("{} is an empty text", one.name));
    if (!one.read) continue;
    if (given.size() > 1) throw UsageError(fmt::format("{} is given {} times", one.name, given.size()));
    try {
      one.read(given.front());
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{} {}", one.name, error.what()));
    }
  }
  return true;
}

}  // namespace stoker::cli
