#include "cli/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>

#include "base/units.hpp"

namespace stoker::cli {

// CLI11 splits the arguments into options with their values and what is left over; what they mean is decided
// here, once it is known that no flag is left over: a mistyped flag is the first thing to tell, not that its
// value was taken for a file.
struct Options::Declared {
  std::string name;
  CLI::Option* option = nullptr;
  std::function<void(std::string_view)> read;  // empty: a flag
  bool* flag = nullptr;
};

Options::Options(std::string verb, std::string example, std::string purpose)
    : page_{.verb = std::move(verb),
            .example = std::move(example),
            .purpose = std::move(purpose),
            .positionals = {},
            .rest = {},
            .entries = {}},
      app_(std::make_unique<CLI::App>()) {
  app_->set_help_flag("");
  app_->allow_extras();
  app_->allow_windows_style_options(false);
}

Options::~Options() = default;

void Options::positional(std::string& value, const std::string& name) {
  page_.positionals += (page_.positionals.empty() ? "" : " ") + name;
  positionals_.push_back({.name = name, .one = &value});
}

void Options::positionals(std::vector<std::string>& values, const std::string& name) {
  page_.positionals += (page_.positionals.empty() ? "" : " ") + name + "...";
  positionals_.push_back({.name = name, .many = &values});
}

void Options::rest(std::vector<std::string>& words, const std::string& name) {
  page_.rest = "[-- " + name + "...]";
  rest_ = &words;
}

void Options::flag(bool& value, const std::string& name, const std::string& help) {
  page_.entries.push_back({name, help, "", rare_});
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
  page_.entries.push_back({name + " " + value_name, help, default_value, rare_});
  CLI::Option* option = app_->add_option(name)->expected(1);
  option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);  // parse() tells of the second one
  declared_.push_back({.name = name, .option = option, .read = std::move(read)});
}

std::string Options::joined(const std::vector<std::string_view>& names) {
  return fmt::format("{}", fmt::join(names, "|"));
}

std::vector<std::string> Options::names() const {
  std::vector<std::string> names;
  for (const Declared& one : declared_) names.push_back(one.name);
  return names;
}

void Options::refuse_unknown_flags(const std::vector<std::string>& leftovers) const {
  std::vector<std::string_view> names;
  for (const Declared& one : declared_) names.push_back(one.name);
  names.emplace_back("--help");
  for (const std::string& argument : leftovers) {
    if (argument.size() < 2 || argument[0] != '-') continue;
    const std::string name = argument.substr(0, argument.find('='));
    throw UsageError(fmt::format("unknown option {}{}", name, did_you_mean(nearest_spelling(name, names))));
  }
}

// CLI11 would take the next option for the value of one that lacks its own, and give a flag's value words of
// its own.
void Options::check_value_shapes(Arguments arguments) const {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    for (const Declared& one : declared_) {
      if (one.flag != nullptr && arguments[i].starts_with(one.name + "="))
        throw UsageError(fmt::format("{} takes no value", one.name));
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

void Options::assign_positionals(const std::vector<std::string>& given) {
  std::size_t next = 0;
  for (const Positional& positional : positionals_) {
    const bool missing = next == given.size();
    if (missing) {
      throw UsageError(fmt::format("{} is missing: stoker {} {} [options]", positional.name, page_.verb,
                                   page_.positionals));
    }
    const std::size_t end = positional.many ? given.size() : next + 1;
    for (std::size_t i = next; i < end; ++i) {
      if (given[i].empty()) throw UsageError(fmt::format("{} is an empty text", positional.name));
    }
    if (positional.one) *positional.one = given[next];
    if (positional.many)
      positional.many->assign(given.begin() + static_cast<std::ptrdiff_t>(next), given.end());
    next = end;
  }
  if (next == given.size()) return;
  const std::string takes = page_.positionals.empty() ? "no argument besides its options" : page_.positionals;
  throw UsageError(fmt::format("'{}' is too many: {} takes {}", given[next], page_.verb, takes));
}

void Options::assign_options() {
  for (const Declared& one : declared_) {
    const std::vector<std::string>& given = one.option->results();
    if (given.empty()) continue;
    if (one.flag) *one.flag = true;
    if (!one.read) continue;
    if (given.size() > 1) throw UsageError(fmt::format("{} is given {} times", one.name, given.size()));
    try {
      one.read(given.front());
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{} {}", one.name, error.what()));
    }
  }
}

bool Options::parse(Arguments arguments) {
  const auto mark =
      std::find(arguments.begin(), arguments.end(), "--");  // behind it everything is positional
  const Arguments before(arguments.begin(), mark);
  const auto asks_for_help = [](const std::string& argument) {
    return argument == "--help" || argument == "-h";
  };
  if (std::any_of(before.begin(), before.end(), asks_for_help)) return false;
  try {
    app_->parse(std::vector<std::string>(before.rbegin(), before.rend()));  // the order that CLI11 wants
  } catch (const CLI::ParseError& error) {
    check_value_shapes(before);
    throw UsageError(error.what());
  }
  std::vector<std::string> positionals = app_->remaining();
  refuse_unknown_flags(positionals);
  check_value_shapes(before);
  if (mark != arguments.end() && rest_ == nullptr)
    positionals.insert(positionals.end(), mark + 1, arguments.end());
  assign_positionals(positionals);
  assign_options();
  if (mark != arguments.end() && rest_ != nullptr) {
    rest_->assign(mark + 1, arguments.end());
    if (rest_->empty() || rest_->front().empty()) throw UsageError("a command is missing behind --");
  }
  return true;
}

}  // namespace stoker::cli
