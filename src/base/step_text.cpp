#include "base/step_text.hpp"

#include <fmt/format.h>
#include <string>

#include "stoker/error.hpp"

#include "base/words.hpp"

namespace stoker {

namespace {

constexpr std::string_view kBlanks = " \t\r\n";

bool is_blank(char c) { return kBlanks.find(c) != std::string_view::npos; }

[[noreturn]] void refuse(const StepGrammar& grammar, std::string_view object, std::string found,
                         std::string allowed) {
  throw Error(ErrorCode::invalid_argument, {.operation = std::string(grammar.operation),
                                            .object = fmt::format("'{}'", object),
                                            .found = std::move(found),
                                            .allowed = std::move(allowed)});
}

void split_arguments(std::string_view inside, const StepGrammar& grammar, StepText& step) {
  if (trimmed(inside).empty()) return;
  while (true) {
    const std::size_t comma = inside.find(',');
    const std::string_view argument = trimmed(inside.substr(0, comma));
    if (argument.empty())
      refuse(grammar, step.whole, "an empty value between commas", "step(value, option=value)");
    const std::size_t equals = argument.find('=');
    if (equals == std::string_view::npos) {
      if (!step.options.empty()) {
        refuse(grammar, step.whole, fmt::format("'{}' without a name behind a named option", argument),
               "plain values first, then option=value");
      }
      step.values.push_back(argument);
    } else {
      const std::string_view name = trimmed(argument.substr(0, equals));
      const std::string_view value = trimmed(argument.substr(equals + 1));
      if (name.empty() || value.empty())
        refuse(grammar, step.whole, fmt::format("'{}'", argument), "option=value");
      for (const auto& option : step.options) {
        if (option.first == name)
          refuse(grammar, step.whole, fmt::format("'{}' twice", name), "each option once");
      }
      step.options.emplace_back(name, value);
    }
    if (comma == std::string_view::npos) return;
    inside.remove_prefix(comma + 1);
  }
}

}  // namespace

std::vector<StepText> split_steps(std::string_view text, const StepGrammar& grammar) {
  std::vector<StepText> steps;
  std::size_t at = 0;
  while (true) {
    while (at < text.size() && is_blank(text[at])) ++at;
    if (at == text.size()) return steps;
    const std::size_t begin = at;
    while (at < text.size() && !is_blank(text[at]) && text[at] != '(') {
      if (text[at] == ')' || text[at] == ',' || text[at] == '|' || text[at] == '=') {
        refuse(grammar, text.substr(begin, at - begin + 1), fmt::format("'{}' outside of brackets", text[at]),
               fmt::format("steps separated by blanks: {}", grammar.example));
      }
      ++at;
    }
    StepText step{.name = text.substr(begin, at - begin)};
    step.whole = step.name;
    if (step.name.empty())
      refuse(grammar, text.substr(begin), "a bracket without a step's name", "step(value)");
    if (at < text.size() && text[at] == '(') {
      const std::size_t close = text.find(')', at);
      if (close == std::string_view::npos) {
        refuse(grammar, text.substr(begin), "'(' that is never closed", "step(value, option=value)");
      }
      const std::string_view inside = text.substr(at + 1, close - at - 1);
      step.whole = text.substr(begin, close + 1 - begin);
      if (inside.find('(') != std::string_view::npos) {
        refuse(grammar, step.whole, "a bracket inside a bracket", "step(value, option=value)");
      }
      split_arguments(inside, grammar, step);
      at = close + 1;
      if (at < text.size() && !is_blank(text[at])) {
        refuse(grammar, text.substr(begin, at + 1 - begin),
               fmt::format("'{}' right behind a bracket", text[at]),
               fmt::format("steps separated by blanks: {}", grammar.example));
      }
    }
    steps.push_back(std::move(step));
  }
}

}  // namespace stoker
