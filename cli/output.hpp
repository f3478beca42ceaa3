// Where words go: data to standard output, talk to standard error.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "cli/option_words.hpp"

namespace stoker::cli {

// Standard output, in whole lines. A reader that goes away ends the output quietly (stop_requested() is set);
// any other failure to write is an error, for half of an answer must not look like all of it. Threads: one at
// a time.
class Output {
 public:
  explicit Output(int descriptor = 1);
  // Flushes what is left, but says nothing of a failure: call flush() before an exit status is chosen.
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // Adds a newline. Lines leave at the latest when the next one comes a fifth of a second later.
  // Errors: io, out_of_resources (no space left).
  void line(std::string_view text);
  void flush();
  bool closed() const { return closed_; }  // the reader went away, or a signal came while it took nothing

 private:
  int descriptor_;
  bool closed_ = false;
  std::string pending_;
  std::chrono::steady_clock::time_point last_flush_;
};

// Standard error: notes that --quiet silences, and errors that nothing does. Threads: one at a time.
class Talk {
 public:
  explicit Talk(std::string verb, int descriptor = 2);

  void set_quiet(bool quiet) { quiet_ = quiet; }
  // Options that notes and errors may name, from then on.
  void set_options(OptionWords options) { options_ = std::move(options); }
  const OptionWords& options() const { return options_; }
  bool quiet() const { return quiet_; }
  bool is_terminal() const { return is_terminal_; }

  void note(std::string_view text);   // a line of its own
  void error(std::string_view text);  // "stoker VERB: text"
  // Bytes as they are, for a line that is drawn over and over. Nothing when quiet.
  void raw(std::string_view bytes);

 private:
  std::string verb_;
  int descriptor_;
  OptionWords options_;
  bool quiet_ = false;
  bool is_terminal_ = false;
};

}  // namespace stoker::cli
