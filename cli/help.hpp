// The text of `stoker VERB --help`: a pure function of what the verb declares.
#pragma once

#include <string>
#include <vector>

namespace stoker::cli {

struct HelpEntry {
  std::string left;           // "--quality N"
  std::string text;           // one short fragment
  std::string default_value;  // empty: none to tell
  bool rare = false;          // stands below the others, by name and default alone
};

struct HelpPage {
  std::string verb;         // "bench decode"
  std::string example;      // a whole call
  std::string purpose;      // one or two sentences
  std::string positionals;  // "SOURCE DEST"
  std::string rest;         // "[-- COMMAND...]"
  std::vector<HelpEntry> entries;
};

// 80 columns at most; example first, then purpose, then the options with their defaults. Entries that fit
// into half a line stand two to a line once the page would not fit a screen of 24 lines; rare ones follow
// each other.
std::string help_text(const HelpPage& page);

}  // namespace stoker::cli
