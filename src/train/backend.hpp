// Finds the trainer's shared library and opens it when a training begins.
#pragma once

#include <string>

#include "base/result.hpp"
#include "train/library.hpp"

namespace stoker::training {

// Where libstoker_train_torch.so lies: $STOKER_TRAIN_LIBRARY if set, else the folder of the running program,
// else ../lib/stoker from there; "" if nowhere.
std::string find_library();

// Opens the library (once; it stays open until the process ends) and PyTorch with it.
// Sets OMP_WAIT_POLICY=PASSIVE in the environment before, unless it or GOMP_SPINCOUNT is set: PyTorch's
// compute threads would spin between their tasks otherwise, on the CPUs that the decode workers need
// (docs/train.md has figures). Threads: call before others run that read the environment. Errors: unsupported
// (no library, or it is of another build, or PyTorch does not load), with what to install.
Result<const TrainLibrary*> open_library();

// The error for a build without a trainer.
Error no_trainer();

}  // namespace stoker::training
