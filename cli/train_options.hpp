// What `stoker train` takes.
#pragma once

#include <string>

#include "stoker/train.hpp"

#include "cli/options.hpp"

namespace stoker::cli {

// Beside TrainOptions: what the program itself does with it.
struct TrainCall {
  TrainOptions train;
  std::string several_gpus;  // asked for, and not to be had yet; empty: none or one
  std::string log_file;      // lines for people, with the time; empty: none
};

void declare_train(Options& options, TrainCall& call);
// Errors: UsageError (what is missing), Error (unsupported).
void check_train(const TrainCall& call);

}  // namespace stoker::cli
