// What `stoker train` takes.
#pragma once

#include <string>

#include "stoker/train.hpp"

#include "cli/options.hpp"

namespace stoker::cli {

// Beside TrainOptions: what the program itself does with it.
struct TrainCall {
  TrainOptions train;
  std::string gpus = "none";
  std::string log_file;  // lines for people, with the time; empty: none
};

void declare_train(Options& options, TrainCall& call);
// Errors: UsageError (what is missing), Error (unsupported).
void check_train(const TrainCall& call);

}  // namespace stoker::cli
