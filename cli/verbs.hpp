// The verbs of the program. Each run_… parses its arguments, calls the library, prints, and returns the exit
// status.
#pragma once

#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/shared_options.hpp"

namespace stoker::cli {

// What a verb is given. Errors leave as UsageError or stoker::Error; program.cpp turns them into words and a
// status.
struct Call {
  Arguments arguments;
  Output& out;
  Talk& talk;

  // Adds --json and --quiet, and parses; false where only help was wanted (it is printed then). Errors:
  // UsageError.
  bool parse(Options& options, CommonOptions& common) const;

  // A line of standard output for people: one line whatever names it holds, and options spelled as such.
  void tell(std::string_view text) const;
};

// Throws cancelled once a signal came or nobody reads the output: for loops that belong to a verb.
void check_stop();

int run_pack(const Call& call);
int run_index(const Call& call);
int run_ls(const Call& call);
int run_verify(const Call& call);
int run_inspect(const Call& call);
int run_synth(const Call& call);
int run_bench_decode(const Call& call);
int run_bench_load(const Call& call);
int run_bench_pack(const Call& call);
int run_bench_start(const Call& call);
int run_train(const Call& call);
int run_export(const Call& call);
int run_doctor(const Call& call);

}  // namespace stoker::cli
