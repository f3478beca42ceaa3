// A verb's options in words that come from the library, which spells them as fields.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stoker/error.hpp"

namespace stoker::cli {

class OptionWords {
 public:
  OptionWords() = default;
  // The verb's options ("--max-pixels") and what it was given.
  OptionWords(std::vector<std::string> names, std::span<const std::string> given);

  // `text` with `max_pixels` and `max-pixels`, as whole words, written --max-pixels. Options of one word
  // stay: "images" and "classes" are English.
  std::string spelled(std::string_view text) const;

  // Whether the error is about an option of the call: what it names is one ("--lr", "max_pixels", "quality"),
  // and no file that was given.
  bool is_about_option(const Error& error) const;
  // The error's words, options spelled as on the command line.
  std::string told(const Error& error) const;

 private:
  // "--max-pixels" for "max_pixels"; empty where it is no option.
  std::string option_of(std::string_view word) const;

  std::vector<std::string> names_;
  std::vector<std::string> given_;
};

}  // namespace stoker::cli
